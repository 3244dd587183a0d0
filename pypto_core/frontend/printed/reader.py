"""Reader of the printed form: the inverse of the printer (docs/spec/ir.md §4, §4.12).

A printed program carries everything that a pass may ask: an assignment's type is its annotation, operators appear under
their IR names with positional IR arguments, and one name is one variable. Nothing is checked here; texts that the
printer never writes cost the function they stand in and give one diagnostic each.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any

from pypto_core.diagnostics import Diagnostic, error
from pypto_core.frontend.printed.expressions import read_attrs, read_expr
from pypto_core.frontend.printed.faults import PrintedFault
from pypto_core.frontend.printed.names import (
    FREE_SUFFIX,
    INDEX_TYPE,
    Definition,
    FunctionNames,
    ProgramNames,
    base_names,
    definitions,
)
from pypto_core.frontend.printed.statements import read_body
from pypto_core.frontend.printed.types import read_param_type, read_return_types, read_type
from pypto_core.frontend.symbols import symbol_value
from pypto_core.frontend.syntax import SourceMap, SyntaxFault, dotted, parse_text, string_literal
from pypto_core.ir import (
    UNKNOWN,
    Chunk,
    ConstInt,
    Expr,
    Function,
    FunctionType,
    InlineStmt,
    Level,
    ParamDirection,
    Program,
    Role,
    SeqStmts,
    Span,
    Stmt,
    TensorType,
    TupleType,
    Type,
    Var,
)

HEADER = "# pypto.program:"
_HEADER_LINE = re.compile(r"\A\s*# pypto\.program:[ \t]*(\S*)")
_HEADER_OF_BLOCK = re.compile(r"^( *)(?:class |with |for |if |else|while |def ).*:[ \t]*$")


def is_printed(text: str) -> bool:
    """Whether ``text`` says that it is printed IR."""
    return _HEADER_LINE.match(text) is not None


@dataclass(slots=True)
class PrintedProgram:
    """What a printed text holds."""

    program: Program | None
    diagnostics: list[Diagnostic] = field(default_factory=list)


def read_printed(text: str, filename: str) -> PrintedProgram:
    """The program of a printed text. Never raises on any text."""
    chunk = Chunk(filename, text)
    tree = parse_text(chunk)
    if isinstance(tree, SyntaxFault):
        repaired = parse_text(chunk, fill_empty_blocks(text))
        if isinstance(repaired, SyntaxFault):
            return PrintedProgram(None, [error("python-syntax", tree.message, tree.span)])
        tree = repaired
    try:
        return _ProgramReader(chunk, tree).read()
    except RecursionError:
        fault = error("not-supported", "the text is too deeply nested", Span(chunk, 0, 0))
        return PrintedProgram(None, [fault])


def fill_empty_blocks(text: str) -> str:
    """``pass`` into blocks that are printed without a body (an empty program, a scope with nothing in it).

    Lines are kept: the word goes behind the colon or into the empty line that follows.
    """
    lines = text.split("\n")
    for i, line in enumerate(lines):
        header = _HEADER_OF_BLOCK.match(line)
        if header is None:
            continue
        following = next((other for other in lines[i + 1 :] if other.strip()), "")
        if len(following) - len(following.lstrip(" ")) <= len(header.group(1)):
            lines[i] = line.rstrip() + " pass"
    return "\n".join(lines)


class _ProgramReader:
    def __init__(self, chunk: Chunk, tree: ast.Module) -> None:
        self.chunk = chunk
        self.source = SourceMap(chunk)
        self.tree = tree
        self.names = ProgramNames()
        self.signatures: dict[str, FunctionReader] = {}
        self.diagnostics: list[Diagnostic] = []
        self.lines = chunk.text.split("\n")

    def read(self) -> PrintedProgram:
        cls: ast.ClassDef | None = None
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef) and cls is None:
                cls = node
            elif isinstance(node, ast.Assign):
                self._dynamic(node)
            elif isinstance(node, ast.ClassDef):
                message = (
                    f"the text holds several programs: '{cls.name}' and '{node.name}'"
                    if cls is not None
                    else ""
                )
                self.diagnostics.append(error("text-multiple", message, self.source.span(node)))
        if cls is None:
            return PrintedProgram(None, [self._no_program()])
        readers = [FunctionReader(self, node) for node in cls.body if isinstance(node, ast.FunctionDef)]
        self.signatures = {r.node.name: r for r in readers}
        self.names.functions = [r.names for r in readers]
        if self.names.dynamic:
            for reader in readers:
                self._adopt_declared_params(reader)
        functions = [f for f in (self._function(r) for r in readers) if f is not None]
        header = _HEADER_LINE.match(self.chunk.text)
        name = header.group(1) if header is not None and header.group(1) else cls.name
        unique = {f.name: f for f in functions}
        program = Program(tuple(unique.values()), name, span=self.source.span(cls))
        return PrintedProgram(program, self.diagnostics)

    def _no_program(self) -> Diagnostic:
        """Why a text whose header promises a program has none."""
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef):
                message = f"the header says program, but '{node.name}' is a lone function: put it into a class, or delete the header"
                start = self.source.span(node).start + len("def ")
                return error("text-kind", message, Span(self.chunk, start, start + len(node.name)))
        return error("text-empty", "the text holds no program", Span(self.chunk, 0, 0))

    def _dynamic(self, node: ast.Assign) -> None:
        call, target = node.value, node.targets[0]
        if (
            isinstance(call, ast.Call)
            and dotted(call.func) == ("pl", "dynamic")
            and isinstance(target, ast.Name)
        ):
            hint = string_literal(call.args[0]) if call.args else None
            span = self.source.span(node)
            self.names.dynamic[target.id] = Var(hint or target.id, INDEX_TYPE, span=span)

    def _adopt_declared_params(self, reader: FunctionReader) -> None:
        """A parameter inside a parameter's valid_shape is declared on top as well: both are one variable (§4.1)."""
        for annotation in reader.names.params.values():
            for call in ast.walk(annotation) if annotation is not None else ():
                if not isinstance(call, ast.Call):
                    continue
                for keyword in call.keywords:
                    if keyword.arg == "valid_shape":
                        self._adopt(reader, keyword.value)

    def _adopt(self, reader: FunctionReader, valid_shape: ast.expr) -> None:
        for inner in ast.walk(valid_shape):
            if (
                isinstance(inner, ast.Name)
                and inner.id in reader.names.params
                and inner.id in self.names.dynamic
            ):
                var = reader.names.defined(inner.id)
                if var is not None:
                    self.names.dynamic[inner.id] = var

    def _function(self, reader: FunctionReader) -> Function | None:
        try:
            return reader.read()
        except PrintedFault as fault:
            node = fault.node if isinstance(fault.node, (ast.expr, ast.stmt, ast.arg)) else reader.node
            self.diagnostics.append(error(fault.code, fault.message, self.source.span(node)))
        except (ValueError, TypeError, IndexError, KeyError) as reason:
            span = self.source.span(reader.node)
            message = f"function '{reader.node.name}': {reason}"
            self.diagnostics.append(error("function-wrapper", message, span))
        return None


class FunctionReader:
    """Reads one function; the mutable part of the reading (current region, current target) lives here."""

    def __init__(self, program: _ProgramReader, node: ast.FunctionDef) -> None:
        self.program = program
        self.source = program.source
        self.node = node
        self.in_type = False
        self.region: Any = None
        self.target: str | None = None
        self._types: dict[str, Type] = {}
        args = [a for a in node.args.args if a.arg != "self"]
        params: dict[str, ast.expr | None] = {a.arg: _bare(a.annotation) for a in args}
        bound: dict[str, Definition] = {}
        for name, definition in definitions(node.body):
            bound.setdefault(name, definition)
        order = [*params, *(name for name in bound if name not in params)]
        order = [
            name for name in order if name not in program.names.dynamic or name in params or name in bound
        ]
        self.names = FunctionNames(program.names, params, bound, base_names(order), self._read_type_of)
        self._orphans: list[str] | None = None

    def next_orphan(self) -> str | None:
        """The next name, in order of use, that the body uses without binding it (and that nobody has taken yet)."""
        if self._orphans is None:
            self._orphans = self._unbound_names()
        return self._orphans.pop(0) if self._orphans else None

    def _unbound_names(self) -> list[str]:
        known, dynamic = self.names.hints, self.names.program.dynamic
        found: dict[str, None] = {}
        for stmt in self.node.body:
            for inner in ast.walk(stmt):
                if (
                    isinstance(inner, ast.Name)
                    and isinstance(inner.ctx, ast.Load)
                    and inner.id not in known
                    and inner.id not in dynamic
                    and inner.id not in _PREFIXES
                    and not inner.id.endswith(FREE_SUFFIX)
                ):
                    found.setdefault(inner.id)
        return list(found)

    # --- what statements and expressions ask -------------------------------------------------------------------------

    def expr(self, node: ast.expr, type_: Type | None = None) -> Expr:
        return read_expr(self, node, type_)

    def body(self, nodes: list[ast.stmt], first: Stmt | None = None) -> Stmt:
        return read_body(self, nodes, first)

    def dim(self, node: ast.expr) -> Expr:
        """A dimension or view element: names follow the rules of types."""
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return ConstInt(node.value, span=self.source.span(node))
        outer, self.in_type = self.in_type, True
        try:
            return read_expr(self, node)
        finally:
            self.in_type = outer

    def type(self, node: ast.expr) -> Type:
        """A type; equal texts in one function are one object, for their names are the same variables."""
        text = self.source.source(node)
        found = self._types.get(text)
        if found is None:
            found = self._types[text] = read_type(self, node)
        return found

    def _read_type_of(self, node: ast.expr, names: FunctionNames) -> Type:
        return self.type(node)

    def result_type(self, name: str) -> Type:
        """What a call of a function of this program gives: its return type, a tuple of several, unknown of none."""
        callee = self.program.signatures.get(name)
        if callee is None:
            return UNKNOWN
        types = callee.return_types()
        return UNKNOWN if not types else types[0] if len(types) == 1 else TupleType(types)

    def return_types(self) -> tuple[Type, ...]:
        return read_return_types(self, self.node.returns)

    def comments(self, node: ast.stmt) -> tuple[str, ...]:
        """Comment lines directly above a statement, without ``# ``."""
        lines = self.program.lines
        row = node.lineno - 2
        found: list[str] = []
        while row >= 0:
            line = lines[row].lstrip()
            if not line.startswith("#"):
                break
            found.append(line[2:] if line.startswith("# ") else line[1:])
            row -= 1
        return tuple(reversed(found))

    # --- the function itself -----------------------------------------------------------------------------------------

    def read(self) -> Function:
        node = self.node
        func_type, level, role, attrs = self._decorator()
        params, directions = self._params()
        return_types = self.return_types()
        body_nodes = list(node.body)
        if body_nodes and (directive := func_attr(body_nodes[0])) is not None:
            attrs = {**read_attrs(self, directive), **attrs}
            body_nodes = body_nodes[1:]
        plain = role is Role.SubWorker and level is not None and level >= Level.HOST and level <= Level.GLOBAL
        abstract = len(body_nodes) == 1 and _is_ellipsis(body_nodes[0])
        if plain:
            body: Stmt = InlineStmt(
                "" if abstract else self._verbatim(body_nodes), span=self.source.span(node)
            )
        elif abstract:
            body = SeqStmts((), span=self.source.span(node))
        else:
            body = self.body(body_nodes)
        return Function(
            node.name,
            params,
            directions,
            return_types,
            body,
            func_type,
            level,
            role,
            attrs,
            requires_runtime_binding=abstract,
            span=self.source.span(node),
        )

    def _decorator(self) -> tuple[FunctionType, Level | None, Role | None, dict[str, Any]]:
        values: dict[str, Any] = {}
        for decorator in self.node.decorator_list:
            if isinstance(decorator, ast.Call):
                for keyword in decorator.keywords:
                    path = dotted(keyword.value)
                    value: Any = symbol_value(path) if path is not None else None
                    if value is None and isinstance(keyword.value, ast.Constant):
                        value = keyword.value.value
                    values[keyword.arg or ""] = value
        attrs: dict[str, Any] = {}
        if values.get("auto_scope") is False:
            attrs["auto_scope"] = False
        if values.get("external_source"):
            attrs["external_source"] = values["external_source"]
        return values.get("type") or FunctionType.Opaque, values.get("level"), values.get("role"), attrs

    def _params(self) -> tuple[tuple[Var, ...], tuple[ParamDirection, ...]]:
        directions: list[ParamDirection] = []
        for arg in self.node.args.args:
            if arg.arg == "self":
                continue
            if arg.annotation is None:
                raise PrintedFault("param-no-annotation", f"parameter '{arg.arg}' has no type", arg)
            directions.append(read_param_type(self, arg.annotation)[1])
        made: list[Var] = []
        for arg in self.node.args.args:
            if arg.arg != "self":
                var = self.names.defined(arg.arg)
                assert var is not None
                made.append(var)
        return tuple(made), tuple(directions)

    def _verbatim(self, nodes: list[ast.stmt]) -> str:
        if not nodes:
            return ""
        last = nodes[-1]
        assert last.end_lineno is not None
        lines = self.program.lines[nodes[0].lineno - 1 : last.end_lineno]
        indent = " " * nodes[0].col_offset
        return "\n".join(line.removeprefix(indent) for line in lines)


def _bare(annotation: ast.expr | None) -> ast.expr | None:
    """The type inside ``pl.Out[...]`` or ``pl.InOut[...]``."""
    if isinstance(annotation, ast.Subscript):
        head = dotted(annotation.value)
        if head is not None and head[-1] in ("Out", "InOut"):
            return annotation.slice
    return annotation


def func_attr(node: ast.stmt) -> ast.expr | None:
    """The dict of a ``pl.func_attr({...})`` statement."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        if dotted(call.func) == ("pl", "func_attr") and len(call.args) == 1:
            return call.args[0]
    return None


def _is_ellipsis(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is Ellipsis
    )


_PREFIXES = frozenset({"pl", "pld", "self", "inf", "nan", "abs"})

__all__ = ["HEADER", "FunctionReader", "PrintedProgram", "TensorType", "is_printed", "read_printed"]
