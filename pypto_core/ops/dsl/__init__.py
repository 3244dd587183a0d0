"""The callables of the language (`pl.*`, `pld.*`): catalogue for people, resolver for the frontend."""

from pypto_core.ops.dsl.catalogue import (
    callables,
    documentation_of,
    find_callable,
    hover_text,
    members,
    near_names,
)
from pypto_core.ops.dsl.constants import ENUMERATIONS, MaskPattern, ScopeMode, find_constant
from pypto_core.ops.dsl.model import DslCallable, DslParam
from pypto_core.ops.dsl.resolve import resolve_dsl_call
from pypto_core.ops.dsl.values import UNEVALUATED, CallSite, DslFault, DslValue, Unevaluated

__all__ = [
    "ENUMERATIONS",
    "UNEVALUATED",
    "CallSite",
    "DslCallable",
    "DslFault",
    "DslParam",
    "DslValue",
    "MaskPattern",
    "ScopeMode",
    "Unevaluated",
    "callables",
    "documentation_of",
    "find_callable",
    "find_constant",
    "hover_text",
    "members",
    "near_names",
    "resolve_dsl_call",
]
