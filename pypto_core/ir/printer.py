"""The printed form of programs and functions, byte for byte (docs/spec/ir.md §4.1, §4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pypto_core.ir import expr as E
from pypto_core.ir.basic_types import TupleType
from pypto_core.ir.enums import FunctionType, ParamDirection, Role, SplitMode
from pypto_core.ir.names import BodyVars, assign_names
from pypto_core.ir.node import Expr, Node, Stmt, Type
from pypto_core.ir.print_stmt import LineHook, StmtPrinter
from pypto_core.ir.print_text import quote
from pypto_core.ir.program import Function, Program
from pypto_core.ir.stmt import SeqStmts
from pypto_core.ir.types import TensorType, TileType
from pypto_core.ir.walk import calls_in, stmt_defs, stmt_exprs, walk_exprs, walk_stmts

_INDENT = "    "


def print_ir(
    node: Node,
    *,
    concise: bool = False,
    prefix: str = "pl",
    explicit_layout: bool = False,
    line_hook: LineHook | None = None,
) -> str:
    """The canonical text of a program, function, statement, expression or type.

    ``concise`` drops annotations of assignments and single yields, ``explicit_layout`` shows every effective tile view. ``line_hook(line, stmt)``
    is called with the 0-based line on which each statement starts. There is no trailing newline except for a program without functions.
    """
    printer = StmtPrinter(prefix, explicit_layout, concise, line_hook)
    if isinstance(node, Program):
        return _print_program(printer, node)
    if isinstance(node, Function):
        _print_function(printer, node, "", {})
        return printer.text()
    if isinstance(node, Type):
        return printer.type(node)
    variables = BodyVars(node)
    printer.names = assign_names({**variables.defs, **variables.uses})
    printer.function_defs = variables.defs
    if isinstance(node, Stmt):
        printer.stmt(node, "", comments=False)
        return printer.text()
    assert isinstance(node, Expr)
    return printer.expr(node)


def _print_program(printer: StmtPrinter, program: Program) -> str:
    name = program.name or "Program"
    lines = printer.lines
    lines.append(f"# pypto.program: {name}")
    prefix = printer.prefix
    lines.append(
        "import pypto.language as pl" if prefix == "pl" else f"from pypto import language as {prefix}"
    )
    lines.append("")
    symbols = assign_names(dynamic_symbols(program))
    if symbols:
        lines.extend(f'{text} = {prefix}.dynamic("{text}")' for text in sorted(symbols.values()))
        lines.append("")
    lines.append(f"@{prefix}.program")
    lines.append(f"class {name}:")
    if not program.functions:
        return printer.text() + "\n"
    printer.in_program = True
    for function in print_order(program):
        _print_function(printer, function, _INDENT, symbols)
    return printer.text()


def _print_function(printer: StmtPrinter, function: Function, indent: str, symbols: dict[E.Var, str]) -> None:
    variables = BodyVars(function.body)
    _name_function(printer, function, variables, symbols)
    printer.function_defs = variables.defs
    lines, p = printer.lines, printer.prefix
    keywords = "".join(_decorator_keywords(function, p))
    lines.append(f"{indent}@{p}.function" + (f"({keywords[2:]})" if keywords else ""))
    params = ["self"] if printer.in_program and function.role is not Role.SubWorker else []
    printer.in_signature = True
    for var, direction in zip(function.params, function.param_directions, strict=True):
        text = printer.type(var.type)
        if direction is not ParamDirection.In:
            text = f"{p}.{direction.name}[{text}]"
        params.append(f"{printer.name(var)}: {text}")
    returns = [printer.type(t) for t in function.return_types]
    printer.in_signature = False
    arrow = ""
    if returns:
        arrow = f" -> {returns[0]}" if len(returns) == 1 else f" -> tuple[{', '.join(returns)}]"
    lines.append(f"{indent}def {function.name}({', '.join(params)}){arrow}:")
    inner = indent + _INDENT
    attrs = _func_attrs(printer, function)
    if attrs:
        lines.append(f"{inner}{p}.func_attr({{{attrs}}})")
    if function.requires_runtime_binding:
        lines.append(f"{inner}...")
    elif isinstance(function.body, SeqStmts) and not function.body.stmts:
        lines.append(f"{inner}pass")
    else:
        printer.function_body(function.body, inner)


def _name_function(
    printer: StmtPrinter, function: Function, variables: BodyVars, symbols: dict[E.Var, str]
) -> None:
    """Names of one function: symbols of the program keep theirs, free variables of the body get a suffix (§4.9)."""
    order: dict[E.Var, None] = dict.fromkeys(function.params)
    order.update(variables.defs)
    order.update(variables.uses)
    names = assign_names(var for var in order if var not in symbols)
    bound = {*function.params, *variables.defs}
    for var in variables.uses:
        if var not in bound and var not in symbols:
            names[var] += "__FREE_VAR"
    printer.names = {**names, **symbols}
    printer.dim_names = symbols


def _decorator_keywords(function: Function, p: str) -> Iterator[str]:
    if function.func_type is not FunctionType.Opaque:
        yield f", type={p}.FunctionType.{function.func_type.name}"
    if function.level is not None:
        yield f", level={p}.Level.{function.level.name}"
    if function.role is not None:
        yield f", role={p}.Role.{function.role.name}"
    if function.attrs.get("auto_scope") is False:
        yield ", auto_scope=False"
    if function.attrs.get("external_source"):
        yield f", external_source={quote(function.attrs['external_source'])}"


_SPLIT_MODES = frozenset(int(mode) for mode in SplitMode)


def _func_attrs(printer: StmtPrinter, function: Function) -> str:
    parts = []
    for key, value in function.attrs.items():
        if key in ("auto_scope", "external_source") or (key == "split" and not value):
            continue
        if key == "split" and isinstance(value, int) and value in _SPLIT_MODES:
            text = f"{printer.prefix}.SplitMode.{SplitMode(value).name}"
        else:
            text = printer.attr_value(key, value)
        parts.append(f'"{key}": {text}')
    return ", ".join(parts)


def print_order(program: Program) -> tuple[Function, ...]:
    """Callees first, otherwise name order; plain name order when functions call each other in a cycle."""
    by_name = {f.name: f for f in program.functions}
    done: dict[str, Function] = {}
    open_: set[str] = set()

    def emit(function: Function) -> bool:
        if function.name in done:
            return True
        if function.name in open_:
            return False
        open_.add(function.name)
        for callee in sorted({c.op.name for c in calls_in(function.body) if c.op.__class__ is E.GlobalVar}):
            if callee in by_name and not emit(by_name[callee]):
                return False
        open_.discard(function.name)
        done[function.name] = function
        return True

    if all(emit(function) for function in program.functions):
        return tuple(done.values())
    return program.functions


# ----------------------------------------------------------------------------------------------------- dynamic symbols
def dynamic_symbols(program: Program) -> list[E.Var]:
    """Variables that the program declares with ``pl.dynamic`` (§4.1), in order of first occurrence."""
    found: dict[E.Var, None] = {}
    bound: set[E.Var] = set()
    params: set[E.Var] = set()
    kept: set[E.Var] = set()
    for function in program.functions:
        params.update(function.params)
        bound.update(function.params)
        for var in function.params:
            for dim in _dims_of(var.type):
                found.setdefault(dim)
            if isinstance(var.type, TensorType) and var.type.tensor_view is not None:
                for dim in _dim_vars(var.type.tensor_view.valid_shape):
                    kept.add(dim)
                    found.setdefault(dim)
        for kind in function.return_types:
            for dim in _dims_of(kind):
                found.setdefault(dim)
        for var in _body_references(function.body, bound):
            for dim in _dims_of(var.type):
                found.setdefault(dim)
    return [var for var in found if var not in bound or (var in kept and var in params)]


def _body_references(body: Stmt, bound: set[E.Var]) -> Iterator[E.Var]:
    """Plain variables that a body defines or uses; its definitions are added to ``bound``."""
    seen: set[E.Var] = set()
    for stmt in walk_stmts(body):
        for var in stmt_defs(stmt):
            bound.add(var)
            if var.__class__ is E.Var and var not in seen:
                seen.add(var)
                yield var
        for root in stmt_exprs(stmt):
            for expr in walk_exprs(root):
                if expr.__class__ is E.Var and expr not in seen:
                    seen.add(expr)
                    yield expr


def _dims_of(kind: Type) -> Iterator[E.Var]:
    if kind.__class__ is TensorType:
        assert isinstance(kind, TensorType)
        yield from _dim_vars(kind.shape)
        if kind.tensor_view is not None:
            yield from _dim_vars(kind.tensor_view.valid_shape)
            yield from _dim_vars(kind.tensor_view.stride)
    elif isinstance(kind, TileType):
        yield from _dim_vars(kind.shape)
        view = kind.tile_view
        if view is not None:
            yield from _dim_vars(view.valid_shape)
            yield from _dim_vars(view.stride)
            if view.start_offset is not None:
                yield from _dim_vars((view.start_offset,))
    elif isinstance(kind, TupleType):
        for element in kind.types:
            yield from _dims_of(element)


def _dim_vars(dims: Iterable[Expr]) -> Iterator[E.Var]:
    for dim in dims:
        if dim.__class__ is E.Var or dim.__class__ is E.IterArg:
            yield dim
        elif isinstance(dim, E.BinaryExpr):
            yield from _dim_vars((dim.left, dim.right))
        elif isinstance(dim, E.UnaryExpr):
            yield from _dim_vars((dim.operand,))
