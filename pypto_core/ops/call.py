"""A call under deduction, and the error that a broken contract raises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from pypto_core.diagnostics import Diagnostic
from pypto_core.ir import Expr, MakeTuple, ScalarType, Span, TensorType, TileType
from pypto_core.ops.declaration import OpDef
from pypto_core.ops.kinds import ArgKind, kind_phrase, type_name


class OpError(Exception):
    """A call that breaks its operator's contract.

    ``diagnostic.span`` is the argument at fault where there is one, else the call. ``arg_index`` / ``keyword`` name
    that argument. ``unproven`` is True when the rule demands a proof about symbolic extents that could not be
    made (as opposed to a fact that is refuted): a caller that invented a symbol for an unknown value must not report it.
    """

    def __init__(
        self,
        diagnostic: Diagnostic,
        arg_index: int | None = None,
        keyword: str | None = None,
        unproven: bool = False,
    ) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic
        self.arg_index = arg_index
        self.keyword = keyword
        self.unproven = unproven


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def ordinal(index: int) -> str:
    """``"first"`` for 0."""
    return _ORDINALS[index] if index < len(_ORDINALS) else f"{index + 1}th"


@dataclass(frozen=True, slots=True, eq=False)
class OpCall:
    """A call under deduction: what a deduction function sees."""

    op: OpDef
    args: tuple[Expr, ...]
    kwargs: Mapping[str, Any]
    span: Span
    backend: Any = None

    @property
    def name(self) -> str:
        return self.op.name

    # -- errors ------------------------------------------------------------------------------------------------
    def error(
        self,
        code: str,
        message: str,
        *,
        arg: int | None = None,
        keyword: str | None = None,
        unproven: bool = False,
        data: Mapping[str, Any] | None = None,
    ) -> OpError:
        """An :class:`OpError` with one of the ``op-*`` codes, at argument ``arg`` where that has a span."""
        span = self.span
        if arg is not None and arg < len(self.args) and self.args[arg].span.is_valid:
            span = self.args[arg].span
        facts = {"op": self.name, **(data or {})}
        if arg is not None:
            facts["arg"] = arg
        if keyword is not None:
            facts["keyword"] = keyword
        return OpError(Diagnostic(code, message, span, data=facts), arg, keyword, unproven)

    def fail(self, code: str, message: str, **where: Any) -> NoReturn:
        """Raise :meth:`error`."""
        raise self.error(code, message, **where)

    def check(self, ok: bool, code: str, message: str, **where: Any) -> None:
        """``fail(code, message)`` unless ``ok``. For messages that are cheap to build."""
        if not ok:
            self.fail(code, message, **where)

    # -- typed operands ----------------------------------------------------------------------------------------
    def tile(self, index: int) -> TileType:
        """The tile type of operand ``index``; ``op-kind`` if it is anything else."""
        t = self.args[index].type
        if not isinstance(t, TileType):
            self.wrong_kind(index, ArgKind.TILE)
        return t

    def scalar(self, index: int) -> ScalarType:
        """The scalar type of operand ``index``; ``op-kind`` if it is anything else."""
        t = self.args[index].type
        if not isinstance(t, ScalarType):
            self.wrong_kind(index, ArgKind.SCALAR)
        return t

    def tensor(self, index: int) -> TensorType:
        """The tensor or distributed tensor type of operand ``index``; ``op-kind`` if it is anything else."""
        t = self.args[index].type
        if not isinstance(t, TensorType):
            self.wrong_kind(index, ArgKind.TENSOR_LIKE)
        return t

    def exact_tensor(self, index: int) -> TensorType:
        """The plain (not distributed) tensor type of operand ``index``."""
        t = self.args[index].type
        if type(t) is not TensorType:
            self.wrong_kind(index, ArgKind.TENSOR)
        return t

    def literal_tuple(self, index: int) -> tuple[Expr, ...]:
        """Elements of operand ``index``, which must be written as a literal tuple or list."""
        arg = self.args[index]
        if type(arg) is not MakeTuple:
            self.wrong_kind(index, ArgKind.LITERAL_TUPLE)
        return arg.elements

    def has(self, index: int) -> bool:
        """Whether optional operand ``index`` is present."""
        return index < len(self.args)

    def param_name(self, index: int) -> str:
        """Declared name of operand ``index``."""
        return self.op.params[index].name if index < len(self.op.params) else f"argument {index}"

    def wrong_kind(self, index: int, kind: ArgKind) -> NoReturn:
        """Report that operand ``index`` is not of ``kind``."""
        type_ = self.args[index].type
        got = type_name(type_)
        seen = f"got {got}"
        if kind is ArgKind.SCALAR_INT32 and isinstance(type_, ScalarType):
            seen = f"but got {type_.dtype.text}"
        own = self.op.params[index].expects if index < len(self.op.params) else ""
        message = (
            f"{self.name} {own}, {seen}"
            if own
            else (
                f"The operator {self.name} requires {ordinal(index)} argument to be "
                f"{kind_phrase(kind)}, but got {got} (argument '{self.param_name(index)}')"
            )
        )
        self.fail("op-kind", message, arg=index, data={"got": got})

    # -- keywords ----------------------------------------------------------------------------------------------
    def kw(self, name: str) -> Any:
        """Value of keyword ``name``, or its declared default."""
        if name in self.kwargs:
            return self.kwargs[name]
        return self.op.kwarg_by_name[name].default

    def require_kw(self, name: str, message: str | None = None) -> Any:
        """Value of keyword ``name``; ``op-keyword`` if absent."""
        if name not in self.kwargs:
            self.fail("op-keyword", message or f"{self.name}: Missing kwarg: {name}", keyword=name)
        return self.kwargs[name]
