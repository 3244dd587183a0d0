"""TypeChecked (rule TypeCheck): control flow hands on what it promises (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pypto_core import ir
from pypto_core.analysis.names import written_text
from pypto_core.diagnostics import Diagnostic
from pypto_core.ops.proofs import prove_eq, prove_le
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

RULE = "TypeCheck"
_report = Finding(RULE)

_DTYPE = ("type-dtype-mismatch", 102)


class Difference(NamedTuple):
    """Why two types are not the same: code, number and text.

    ``unproven``: equality of symbolic extents could not be shown, and it could not be refuted either.
    """

    code: str
    number: int
    text: str
    unproven: bool = False


def _kind(type_: ir.Type) -> str:
    return type_.name if isinstance(type_, ir.SingletonType) else type(type_).__name__


def _is_silent(type_: ir.Type) -> bool:
    """Types about which nothing may be said: unknown or already reported."""
    return type_ is ir.UNKNOWN or isinstance(type_, ir.ErrorType)


def type_difference(left: ir.Type, right: ir.Type) -> Difference | None:
    """The first difference of two types as the rule sees it, None when they are provably the same."""
    if left is right or _is_silent(left) or _is_silent(right):
        return None
    if _kind(left) != _kind(right):
        return Difference("type-kind-mismatch", 101, f"type kinds differ: {_kind(left)} and {_kind(right)}")
    if isinstance(left, ir.TupleType):
        assert isinstance(right, ir.TupleType)
        if len(left.types) != len(right.types):
            return Difference(
                "type-size-mismatch", 105, f"tuples of {len(left.types)} and {len(right.types)} elements"
            )
        return next(
            (d for a, b in zip(left.types, right.types, strict=True) if (d := type_difference(a, b))), None
        )
    if isinstance(left, ir.ScalarType):
        assert isinstance(right, ir.ScalarType)
        return _dtype_difference(left.dtype, right.dtype)
    if isinstance(left, (ir.TensorType, ir.TileType)):
        assert isinstance(right, (ir.TensorType, ir.TileType))
        return _shaped_difference(left, right)
    return None


def _dtype_difference(left: ir.DataType, right: ir.DataType) -> Difference | None:
    pair = {left, right}
    if left is right or pair == {ir.DataType.INDEX, ir.DataType.INT64}:
        return None
    return Difference(*_DTYPE, f"dtypes differ: {left.text} and {right.text}")


def _extents_difference(
    what: str, left: tuple[ir.Expr, ...], right: tuple[ir.Expr, ...]
) -> Difference | None:
    if len(left) != len(right):
        return Difference("type-rank-mismatch", 103, f"{what} ranks differ: {len(left)} and {len(right)}")
    for axis, (a, b) in enumerate(zip(left, right, strict=True)):
        equal = prove_eq(a, b)
        if equal is not True:
            verb = "differ" if equal is False else "are not provably equal"
            return Difference(
                "type-extent-mismatch",
                104,
                f"{what} extents of dimension {axis} {verb}: {_text(a)} and {_text(b)}",
                equal is None,
            )
    return None


def _text(extent: ir.Expr) -> str:
    return str(extent.value) if isinstance(extent, ir.ConstInt) else written_text(extent)


def _shaped_difference(
    left: ir.TensorType | ir.TileType, right: ir.TensorType | ir.TileType
) -> Difference | None:
    found = (
        _dtype_difference(left.dtype, right.dtype)
        or _extents_difference("shape", left.shape, right.shape)
        or _extents_difference("valid shape", left.valid_shape, right.valid_shape)
    )
    if found is not None:
        return found
    if isinstance(left, ir.TensorType) and isinstance(right, ir.TensorType):
        pads = tuple(t.tensor_view.pad if t.tensor_view else ir.PadValue.null for t in (left, right))
        if pads[0] is not pads[1]:
            return Difference(
                "type-pad-mismatch", 109, f"tensor padding differs: {pads[0].name} and {pads[1].name}"
            )
        if isinstance(left, ir.DistributedTensorType) and isinstance(right, ir.DistributedTensorType):
            if left.window_buffer is not right.window_buffer:
                return Difference("type-window-mismatch", 110, "distributed tensors lie in different windows")
        return None
    assert isinstance(left, ir.TileType) and isinstance(right, ir.TileType)
    if left.tile_view is None or right.tile_view is None:
        return None
    ours, theirs = left.tile_view, right.tile_view
    same = (
        ours.blayout is theirs.blayout
        and ours.slayout is theirs.slayout
        and ours.fractal == theirs.fractal
        and ours.pad is theirs.pad
        and ours.compact is theirs.compact
        and ir.dims_equal(ours.stride, theirs.stride)
        and (ours.start_offset is None) == (theirs.start_offset is None)
        and (
            ours.start_offset is None
            or theirs.start_offset is None
            or ir.dim_equal(ours.start_offset, theirs.start_offset)
        )
    )
    return None if same else Difference("type-tile-view-mismatch", 111, "tile view metadata differ")


class _Check:
    def __init__(self, function: ir.Function) -> None:
        self._function = function
        self._seen: set[ir.Type] = set()

    def run(self) -> Iterator[Diagnostic]:
        function = self._function
        for param in function.params:
            yield from self._type(param.type, best_span(param.span, function.span))
        for type_ in function.return_types:
            yield from self._type(type_, function.span)
        for stmt in ir.walk_stmts(function.body):
            for expr in ir.stmt_exprs(stmt):
                for part in ir.walk_exprs(expr):
                    yield from self._type(part.type, best_span(part.span, stmt.span))
            match stmt:
                case ir.ForStmt():
                    yield from self._range(stmt)
                    yield from self._loop(stmt, "for loop")
                case ir.WhileStmt():
                    yield from self._condition(stmt.condition, "while", stmt.span)
                    yield from self._loop(stmt, "while loop")
                case ir.IfStmt():
                    yield from self._condition(stmt.condition, "if", stmt.span)
                    yield from self._branch(stmt)

    # -- single types ----------------------------------------------------------------------------------------------

    def _type(self, type_: ir.Type, span: ir.Span) -> Iterator[Diagnostic]:
        """An explicit valid shape has the rank of the shape and stays inside it."""
        if isinstance(type_, ir.TupleType):
            for inner in type_.types:
                yield from self._type(inner, span)
            return
        view = (
            type_.tensor_view
            if isinstance(type_, ir.TensorType)
            else type_.tile_view
            if isinstance(type_, ir.TileType)
            else None
        )
        if view is None or not view.valid_shape or type_ in self._seen:
            return
        self._seen.add(type_)
        assert isinstance(type_, (ir.TensorType, ir.TileType))
        if len(view.valid_shape) != len(type_.shape):
            yield self._found(
                Difference(
                    "type-rank-mismatch",
                    103,
                    f"valid shape has {len(view.valid_shape)} dimensions, the shape {len(type_.shape)}",
                ),
                span,
            )
            return
        for axis, (valid, extent) in enumerate(zip(view.valid_shape, type_.shape, strict=True)):
            negative = prove_le(ir.ConstInt(0), valid) is False
            if negative or prove_le(valid, extent) is False:
                yield self._found(
                    Difference(
                        "type-extent-mismatch",
                        104,
                        f"valid extent {_text(valid)} of dimension {axis} is outside 0..{_text(extent)}",
                    ),
                    span,
                )

    def _found(self, difference: Difference, span: ir.Span) -> Diagnostic:
        return _report(
            difference.code, difference.number, f"{difference.text} in function '{self._function.name}'", span
        )

    # -- conditions and ranges -------------------------------------------------------------------------------------

    def _condition(self, condition: ir.Expr, kind: str, where: ir.Span) -> Iterator[Diagnostic]:
        type_ = condition.type
        if _is_silent(type_):
            return
        span = best_span(condition.span, where)
        if not isinstance(type_, ir.ScalarType):
            yield _report(
                "condition-not-scalar",
                106,
                f"The {kind} condition must be a scalar, not a {_kind(type_)}",
                span,
            )
        elif type_.dtype is not ir.DataType.BOOL:
            yield _report(
                "condition-not-bool",
                108,
                f"The {kind} condition must be BOOL, got {type_.dtype.text}; compare explicitly, for example `!= 0`",
                span,
            )

    def _range(self, loop: ir.ForStmt) -> Iterator[Diagnostic]:
        for role, bound in (("start", loop.start), ("stop", loop.stop), ("step", loop.step)):
            if not isinstance(bound.type, ir.ScalarType) and not _is_silent(bound.type):
                yield _report(
                    "range-not-scalar",
                    107,
                    f"The {role} of a for loop must be a scalar, not a {_kind(bound.type)}",
                    best_span(bound.span, loop.span),
                )

    # -- values handed on ------------------------------------------------------------------------------------------

    def _pair(
        self,
        statement: str,
        index: int,
        roles: tuple[str, str],
        types: tuple[ir.Type, ir.Type],
        span: ir.Span,
    ) -> Iterator[Diagnostic]:
        difference = type_difference(*types)
        if difference is not None:
            yield _report(
                difference.code,
                difference.number,
                f"{statement}: {roles[0]} and {roles[1]} of value {index} do not have the same type: "
                f"{difference.text}",
                span,
                data={"unproven": True} if difference.unproven else None,
            )

    def _loop(self, loop: ir.ForStmt | ir.WhileStmt, kind: str) -> Iterator[Diagnostic]:
        stmts = ir.body_stmts(loop.body)
        ending = stmts[-1] if stmts else None
        if not loop.iter_args or not isinstance(ending, ir.YieldStmt):
            return
        sizes = (len(loop.iter_args), len(ending.values), len(loop.return_vars))
        if len(set(sizes)) != 1:
            yield _report(
                "type-size-mismatch",
                105,
                f"{kind}: {sizes[0]} carried values, {sizes[1]} yielded values and {sizes[2]} results",
                loop.span,
            )
            return
        slots = zip(loop.iter_args, ending.values, loop.return_vars, strict=True)
        for i, (arg, value, result) in enumerate(slots):
            name = author_name(arg)
            declared = (f"carried value '{name}'", arg.type)
            for roles in (
                (("initial value", arg.init_value.type), declared),
                (declared, ("yielded value", value.type)),
                (("yielded value", value.type), ("result", result.type)),
            ):
                (left, left_type), (right, right_type) = roles
                yield from self._pair(kind, i, (left, right), (left_type, right_type), loop.span)

    def _branch(self, branch: ir.IfStmt) -> Iterator[Diagnostic]:
        if not branch.return_vars or branch.else_body is None:
            return
        endings = []
        for body in (branch.then_body, branch.else_body):
            stmts = ir.body_stmts(body)
            last = stmts[-1] if stmts else None
            if not isinstance(last, ir.YieldStmt):
                return
            endings.append(last.values)
        sizes = (len(endings[0]), len(endings[1]), len(branch.return_vars))
        if len(set(sizes)) != 1:
            yield _report(
                "type-size-mismatch",
                105,
                f"if: then yields {sizes[0]} values, else {sizes[1]}, and there are {sizes[2]} results",
                branch.span,
            )
            return
        for i, (then, other, result) in enumerate(zip(*endings, branch.return_vars, strict=True)):
            yield from self._pair("if", i, ("then value", "else value"), (then.type, other.type), branch.span)
            yield from self._pair("if", i, ("then value", "result"), (then.type, result.type), branch.span)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    yield from _Check(function).run()


VERIFIER = Verifier("TypeChecked", RULE, check)
