"""Text of statements and scopes (docs/spec/ir.md §4.3, §4.7).

``line_hook`` sees every printed statement with its first line, so that a caller can map lowered text to nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pypto_core.ir import expr as E
from pypto_core.ir import stmt as S
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.dtype import DataType
from pypto_core.ir.enums import ForKind, SplitMode
from pypto_core.ir.node import AttrMap, Stmt
from pypto_core.ir.print_expr import ExprPrinter
from pypto_core.ir.print_text import PrintError, quote
from pypto_core.ir.stmt import body_stmts
from pypto_core.ir.walk import calls_in

LineHook = Callable[[int, Stmt], None]
_KINDS = {
    ForKind.Sequential: "range",
    ForKind.Parallel: "parallel",
    ForKind.Unroll: "unroll",
    ForKind.Pipeline: "pipeline",
}
_INDENT = "    "


class StmtPrinter(ExprPrinter):
    """Appends lines to :attr:`lines`; :meth:`text` joins them."""

    def __init__(
        self,
        prefix: str = "pl",
        explicit_layout: bool = False,
        concise: bool = False,
        line_hook: LineHook | None = None,
    ) -> None:
        super().__init__(prefix, explicit_layout)
        self.concise = concise
        self.lines: list[str] = []
        self.line_hook = line_hook

    def text(self) -> str:
        return "\n".join(self.lines)

    # -------------------------------------------------------------------------------------------------- statements
    def function_body(self, body: Stmt, indent: str) -> None:
        """Body of a function: a yield directly in it prints as a return."""
        stmts = body_stmts(body)
        for i, stmt in enumerate(stmts):
            if stmt.__class__ is S.YieldStmt:
                stmts = (*stmts[:i], S.ReturnStmt(stmt.values, span=stmt.span), *stmts[i + 1 :])
        self.stmts(stmts, indent)

    def stmt(self, stmt: Stmt, indent: str, returns: Sequence[E.Var] = (), comments: bool = True) -> None:
        """Print one statement; ``returns`` are the return vars that a trailing yield defines."""
        if comments and stmt.leading_comments:
            self.lines.extend(f"{indent}# {line}" for line in stmt.leading_comments)
        if self.line_hook is not None and stmt.__class__ is not S.SeqStmts:
            self.line_hook(len(self.lines), stmt)
        _lookup(stmt.__class__)(self, stmt, indent, returns)

    def stmts(self, stmts: Sequence[Stmt], indent: str, returns: Sequence[E.Var] = ()) -> None:
        last = len(stmts) - 1
        for i, stmt in enumerate(stmts):
            if i < last and is_task_placeholder(stmt, stmts[i + 1]):
                continue
            self.stmt(stmt, indent, returns if i == last else ())

    def body(self, body: Stmt, indent: str, returns: Sequence[E.Var] = ()) -> None:
        """Body of an if or a loop: ``pass`` when empty."""
        if body.__class__ is S.SeqStmts and not body.stmts:
            self.lines.append(f"{indent}pass")
        else:
            self.stmt(body, indent, returns)

    def _line(self, indent: str, text: str) -> None:
        self.lines.append(indent + text)

    def _seq(self, stmt: S.SeqStmts, indent: str, returns: Sequence[E.Var]) -> None:
        if stmt.stmts:
            self.stmts(stmt.stmts, indent, returns)
        else:
            self.lines.append("")

    def _assign(self, stmt: S.AssignStmt, indent: str, returns: Sequence[E.Var]) -> None:
        value = self.expr(stmt.value)
        if self.concise:
            self._line(indent, f"{self.name(stmt.var)} = {value}")
        else:
            self._line(indent, f"{self.name(stmt.var)}: {self.type(stmt.var.type)} = {value}")

    def _eval(self, stmt: S.EvalStmt, indent: str, returns: Sequence[E.Var]) -> None:
        self._line(indent, self.expr(stmt.expr))

    def _return(self, stmt: S.ReturnStmt, indent: str, returns: Sequence[E.Var]) -> None:
        self._line(indent, f"return {self.exprs(stmt.values)}" if stmt.values else "return")

    def _yield(self, stmt: S.YieldStmt, indent: str, returns: Sequence[E.Var]) -> None:
        call = f"{self.prefix}.yield_({self.exprs(stmt.values)})"
        if not returns or not stmt.values:
            self._line(indent, call)
        elif len(returns) == 1:
            var = returns[0]
            note = "" if self.concise else f": {self.type(var.type)}"
            self._line(indent, f"{self.name(var)}{note} = {call}")
        else:
            self._line(indent, f"{', '.join([self.name(v) for v in returns])} = {call}")

    @goes_deep
    def _if(self, stmt: S.IfStmt, indent: str, returns: Sequence[E.Var]) -> None:
        self._line(indent, f"if {self.expr(stmt.condition)}:")
        self.body(stmt.then_body, indent + _INDENT, stmt.return_vars)
        if stmt.else_body is not None:
            self._line(indent, "else:")
            self.body(stmt.else_body, indent + _INDENT, stmt.return_vars)

    def _for(self, stmt: S.ForStmt, indent: str, returns: Sequence[E.Var]) -> None:
        target = self.name(stmt.loop_var)
        if stmt.iter_args:
            target += f", {self._tuple([self.name(a) for a in stmt.iter_args])}"
        parts = [self._bounds(stmt)]
        attrs: AttrMap = stmt.attrs
        if stmt.kind is ForKind.Pipeline:
            if "pipeline_stages" not in attrs:
                raise PrintError("pipeline loop without stages")
            parts.append(f"stage={attrs['pipeline_stages']}")
            attrs = {k: v for k, v in attrs.items() if k != "pipeline_stages"}
        elif stmt.kind is ForKind.Unroll and stmt.iter_args:
            raise PrintError("unroll loop with iter_args")
        if stmt.iter_args:
            parts.append(f"init_values={self._tuple([self.expr(a.init_value) for a in stmt.iter_args])}")
        parts += self.attrs_of(attrs)
        self._line(indent, f"for {target} in {self.prefix}.{_KINDS[stmt.kind]}({', '.join(parts)}):")
        self.body(stmt.body, indent + _INDENT, stmt.return_vars)

    def _bounds(self, stmt: S.ForStmt) -> str:
        if _is_index(stmt.step, 1):
            if _is_index(stmt.start, 0):
                return self.expr(stmt.stop)
            return f"{self.expr(stmt.start)}, {self.expr(stmt.stop)}"
        return self.exprs((stmt.start, stmt.stop, stmt.step))

    @staticmethod
    def _tuple(items: Sequence[str]) -> str:
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"

    def _while(self, stmt: S.WhileStmt, indent: str, returns: Sequence[E.Var]) -> None:
        if stmt.iter_args:
            names = self._tuple([self.name(a) for a in stmt.iter_args])
            values = self._tuple([self.expr(a.init_value) for a in stmt.iter_args])
            self._line(indent, f"for {names} in {self.prefix}.while_(init_values={values}):")
            self._line(indent + _INDENT, f"{self.prefix}.cond({self.expr(stmt.condition)})")
        else:
            self._line(indent, f"while {self.expr(stmt.condition)}:")
        self.body(stmt.body, indent + _INDENT, stmt.return_vars)

    def _break(self, stmt: S.BreakStmt, indent: str, returns: Sequence[E.Var]) -> None:
        self._line(indent, "break")

    def _continue(self, stmt: S.ContinueStmt, indent: str, returns: Sequence[E.Var]) -> None:
        self._line(indent, "continue")

    def _inline(self, stmt: S.InlineStmt, indent: str, returns: Sequence[E.Var]) -> None:
        lines = stmt.body.split("\n")
        self.lines.append(indent + lines[0])
        self.lines.extend(indent + line if line else line for line in lines[1:])

    # ------------------------------------------------------------------------------------------------------ scopes
    def _scope(self, header: str, body: Stmt, indent: str) -> None:
        self._line(indent, header)
        self.stmt(body, indent + _INDENT)

    def optimizations(self, scope: S.InCoreScopeStmt) -> str:
        """`, optimizations=[...]` of an InCore scope, empty when it has none."""
        parts = []
        if scope.split is not SplitMode.NONE:
            parts.append(f"{self.prefix}.split({self.prefix}.SplitMode.{scope.split.name})")
        if "slot_num" in scope.attrs:
            parts.append(f"{self.prefix}.cross_core_slot(slot_num={scope.attrs['slot_num']})")
        return f", optimizations=[{', '.join(parts)}]" if parts else ""

    @staticmethod
    def _hint_kwarg(scope: S.ScopeStmt) -> str:
        return f", name_hint={quote(scope.name_hint)}" if scope.name_hint else ""

    def _var_list(self, key: str, values: Sequence[Any]) -> str:
        names = [self.expr(v) for v in values if v is not None]
        return f", {key}=[{', '.join(names)}]" if names else ""

    def _tail(self, attrs: AttrMap) -> str:
        text = self._var_list("deps", attrs.get("manual_dep_edges", ()))
        text += self._var_list("no_dep_args", attrs.get("arg_direction_overrides_vars", ()))
        text += self._var_list("dumps", attrs.get("dump_vars", ()))
        if attrs.get("allow_early_resolve"):
            text += ", allow_early_resolve=True"
        if attrs.get("windowize"):
            text += ", windowize=True"
        return text

    def _as_task(self, attrs: AttrMap) -> str:
        task = attrs.get("task_id_var")
        return f" as {self.name(task)}" if task is not None else ""

    def _incore(self, scope: S.InCoreScopeStmt, indent: str, returns: Sequence[E.Var]) -> None:
        p = self.prefix
        head = f"with {p}.at(level={p}.Level.CORE_GROUP{self.optimizations(scope)}{self._hint_kwarg(scope)}"
        self._scope(f"{head}{self._tail(scope.attrs)}){self._as_task(scope.attrs)}:", scope.body, indent)

    def _hierarchy(self, scope: S.HierarchyScopeStmt, indent: str, returns: Sequence[E.Var]) -> None:
        p = self.prefix
        role = f", role={p}.Role.{scope.role.name}" if scope.role is not None else ""
        head = f"with {p}.at(level={p}.Level.{scope.level.name}{role}{self._hint_kwarg(scope)}"
        self._scope(f"{head}{self._tail(scope.attrs)}){self._as_task(scope.attrs)}:", scope.body, indent)

    def _cluster(self, scope: S.ClusterScopeStmt, indent: str, returns: Sequence[E.Var]) -> None:
        hint = f"name_hint={quote(scope.name_hint)}" if scope.name_hint else ""
        self._scope(f"with {self.prefix}.cluster({hint}):", scope.body, indent)

    def _runtime(self, scope: S.RuntimeScopeStmt, indent: str, returns: Sequence[E.Var]) -> None:
        p = self.prefix
        mode = f"mode={p}.ScopeMode.MANUAL" if scope.manual else ""
        self._line(indent, f"with {p}.scope({mode}):")
        self.stmt(scope.body, indent + _INDENT, () if scope.manual else returns)

    def _comm_domain(self, scope: S.CommDomainScopeStmt, indent: str, returns: Sequence[E.Var]) -> None:
        devices = str(list(scope.devices)) if scope.devices else "all"
        slots = ", ".join([slot.name_hint for slot in scope.slots])
        self._line(indent, f"# pld.comm_domain: devices={devices}, slots=[{slots}]")
        self.stmt(scope.body, indent)

    def _split_aiv(self, scope: S.SplitAivScopeStmt, indent: str, returns: Sequence[E.Var]) -> None:
        stmts = body_stmts(scope.body)
        binding = leading_index(stmts, "tile.get_subblock_idx")
        name = "aiv_id" if binding is None else self.name(binding)
        p = self.prefix
        outer, self.in_region = self.in_region, True
        header = f"for {name} in {p}.split_aiv(2, mode={p}.SplitMode.{scope.split.name}):"
        self._loop_scope(header, stmts if binding is None else stmts[1:], indent)
        self.in_region = outer

    def _loop_scope(self, header: str, stmts: Sequence[Stmt], indent: str) -> None:
        """A scope printed as a loop whose index binding is in the header."""
        self._line(indent, header)
        if stmts:
            self.stmts(stmts, indent + _INDENT)
        else:
            self.lines.extend((f"{indent}{_INDENT}pass", ""))

    def _spmd(self, scope: S.SpmdScopeStmt, indent: str, returns: Sequence[E.Var]) -> None:
        attrs = scope.attrs
        incore = scope.body if isinstance(scope.body, S.InCoreScopeStmt) else None
        head = f"{self.prefix}.spmd({self.expr(scope.core_num)}"
        if scope.sync_start:
            head += ", sync_start=True"
        head += self._hint_kwarg(scope)
        tail = ", allow_early_resolve=True" if attrs.get("allow_early_resolve") else ""
        if attrs.get("predicate") is not None:
            tail += f", predicate=({self.expr(attrs['predicate'])})"
        if attrs.get("task_id_var") is not None:
            optimizations = self.optimizations(incore) if incore is not None else ""
            deps = self._var_list("deps", attrs.get("manual_dep_edges", ()))
            body = scope.body
            if incore is not None and (
                optimizations or any(c.op.name == "tile.get_block_idx" for c in calls_in(incore.body))
            ):
                body = incore.body
            self._scope(f"with {head}{optimizations}{deps}{tail}){self._as_task(attrs)}:", body, indent)
            return
        stmts = body_stmts(incore.body) if incore is not None else ()
        binding = leading_index(stmts, "tile.get_block_idx")
        if incore is not None and binding is not None:
            header = f"for {self.name(binding)} in {head}{self.optimizations(incore)}{tail}):"
            self._loop_scope(header, stmts[1:], indent)
            return
        self._scope(f"with {head}{tail}):", scope.body, indent)


def leading_index(stmts: Sequence[Stmt], op: str) -> E.Var | None:
    """The variable that the first statement binds to a call of ``op``, else None."""
    if stmts and isinstance(stmts[0], S.AssignStmt):
        value = stmts[0].value
        if value.__class__ is E.Call and value.op.name == op:
            return stmts[0].var
    return None


def is_task_placeholder(stmt: Stmt, following: Stmt) -> bool:
    """``T = system.task_invalid()`` right before the scope that binds T (§4.7, placeholder suppression)."""
    return (
        stmt.__class__ is S.AssignStmt
        and not stmt.leading_comments
        and isinstance(following, S.ScopeStmt)
        and following.attrs.get("task_id_var") is stmt.var
        and stmt.value.__class__ is E.Call
        and stmt.value.op.name == "system.task_invalid"
    )


def _is_index(expr: Any, value: int) -> bool:
    return expr.__class__ is E.ConstInt and expr.value == value and expr.dtype is DataType.INDEX


_Printer = Callable[[StmtPrinter, Any, str, Sequence[E.Var]], None]
_PRINTERS: Mapping[type, _Printer] = {
    S.SeqStmts: StmtPrinter._seq,
    S.AssignStmt: StmtPrinter._assign,
    S.EvalStmt: StmtPrinter._eval,
    S.ReturnStmt: StmtPrinter._return,
    S.YieldStmt: StmtPrinter._yield,
    S.IfStmt: StmtPrinter._if,
    S.ForStmt: StmtPrinter._for,
    S.WhileStmt: StmtPrinter._while,
    S.BreakStmt: StmtPrinter._break,
    S.ContinueStmt: StmtPrinter._continue,
    S.InlineStmt: StmtPrinter._inline,
    S.InCoreScopeStmt: StmtPrinter._incore,
    S.HierarchyScopeStmt: StmtPrinter._hierarchy,
    S.ClusterScopeStmt: StmtPrinter._cluster,
    S.RuntimeScopeStmt: StmtPrinter._runtime,
    S.CommDomainScopeStmt: StmtPrinter._comm_domain,
    S.SplitAivScopeStmt: StmtPrinter._split_aiv,
    S.SpmdScopeStmt: StmtPrinter._spmd,
}


def _lookup(cls: type) -> _Printer:
    found = _PRINTERS.get(cls)
    if found is None:
        raise PrintError(f"statement {cls.__name__} has no printed form")
    return found
