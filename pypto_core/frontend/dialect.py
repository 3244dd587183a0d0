"""What differs between the two kinds of author's functions: ``@pl.function`` bodies and JIT bodies.

The statement and expression readers ask the dialect where the language documents give JIT functions rules of their own
(docs/spec/language.md §2.4). The default is ``@pl.function``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pypto_core.ir import Expr, ParamDirection, Type, Var

if TYPE_CHECKING:
    from pypto_core.frontend.context import FunctionContext


class Dialect:
    """Rules of ``@pl.function``: nothing special."""

    #: Whether default values of parameters mean something.
    takes_defaults = False

    def statement(self, ctx: FunctionContext, node: ast.stmt) -> bool:
        """Read a statement that only this dialect knows; True when it was one."""
        return False

    def attribute(self, ctx: FunctionContext, node: ast.Attribute) -> Expr | None:
        """Value of ``x.shape``-like attributes, None when this is no such thing."""
        return None

    def subscript(self, ctx: FunctionContext, node: ast.Subscript) -> Expr | None:
        """Value of ``x.shape[0]``-like subscripts, None when this is no such thing."""
        return None

    def name(self, ctx: FunctionContext, node: ast.Name) -> Expr | None:
        """Value of an outer name by a rule of this dialect, None for the general rule."""
        return None

    def call(self, ctx: FunctionContext, node: ast.Call, name: str) -> Expr | None:
        """A call by bare name, None when the name is nothing that this dialect calls."""
        return None

    def keyword_value(self, ctx: FunctionContext, node: ast.expr) -> object | None:
        """A keyword value by a rule of this dialect (``x.dtype``), None for the general rule."""
        return None

    def static(self, ctx: FunctionContext, node: ast.expr) -> ast.expr:
        """A compile-time condition with what this dialect knows of parameters put in."""
        return node

    def param_type(self, ctx: FunctionContext, node: ast.arg) -> Type | None:
        """Type of a parameter that does not come from its annotation."""
        return None

    def direction(self, ctx: FunctionContext, node: ast.arg, direction: ParamDirection) -> ParamDirection:
        """Direction of a parameter that is written ``direction``."""
        return direction

    def returns(
        self, ctx: FunctionContext, node: ast.FunctionDef | ast.AsyncFunctionDef, params: tuple[Var, ...]
    ) -> tuple[Type, ...] | None:
        """Result types that do not come from the annotation alone, None for the general rule."""
        return None

    def begin_body(self, ctx: FunctionContext) -> None:
        """Called between the signature and the body."""

    def rebinding(self, ctx: FunctionContext, name: str) -> str | None:
        """Name of the new variable that an assignment to a bound ``name`` makes, None when it writes the old one."""
        return None

    def hidden(self, ctx: FunctionContext, name: str) -> str | None:
        """Why an outer name that exists cannot be used here, None when there is no such name."""
        return None

    def dispatches(self, ctx: FunctionContext, name: str) -> bool:
        """Whether calling ``name`` launches a kernel of the program."""
        from pypto_core.frontend.external import is_kernel

        return is_kernel(ctx, name)
