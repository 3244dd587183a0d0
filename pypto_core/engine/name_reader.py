"""Reads the names of one top-level statement: the walk behind :mod:`pypto_core.engine.names`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from pypto_core.engine.mentions import Mentions
from pypto_core.engine.scopes import (
    NOT_NAMES,
    Argument,
    CallSite,
    ClassInfo,
    FunctionInfo,
    Imported,
    ItemNames,
    Kind,
    Parameter,
    Role,
    Scope,
    Symbol,
    Use,
    docstring,
    home_of,
)
from pypto_core.frontend.per_item import Item
from pypto_core.frontend.recovery import Broken, ClassSyntax, FunctionSyntax, Statement
from pypto_core.frontend.syntax import SourceMap, dotted
from pypto_core.ir import Span

_DEFINED = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")


def read_item(item: Item) -> ItemNames:
    """Scopes and uses of a statement, resolved as far as the statement itself goes."""
    reader = _Reader(item)
    reader.read()
    return reader.result


class _Reader:
    def __init__(self, item: Item) -> None:
        self.result = ItemNames(item, Scope("module", "", None))
        self.source: SourceMap = item.source
        self.scope = self.result.module
        self.function: FunctionInfo | None = None
        self.owner: ClassInfo | None = None
        #: Statements ``global`` and ``nonlocal`` so far.
        self.declarations = 0

    def read(self) -> None:
        item = self.result.item
        try:
            if isinstance(item, FunctionSyntax):
                self.function_syntax(item)
            elif isinstance(item, ClassSyntax):
                self.class_syntax(item)
            else:
                self.visit(item.node)
        except RecursionError:
            pass  # an expression nested hundreds of times: the names read before it stand
        self._resolve()
        self.result.index()

    def _resolve(self) -> None:
        """Give every use its symbol; what no scope of the statement binds stays free."""
        module = self.result.module
        for use in self.result.uses:
            if use.role in NOT_NAMES:
                continue
            scope: Scope | None = home_of(use)
            first = True
            while scope is not None and scope is not module:
                if use.name in scope.symbols and (first or scope.kind != "class"):
                    use.symbol = scope.symbols[use.name]
                    use.symbol.found.append(use)
                    break
                first = first and scope.kind == "comprehension"
                scope = scope.parent
            else:
                self.result.free.append(use)

    # ------------------------------------------------------------------------------------------------- uses
    def use(self, span: Span, name: str, role: Role, kind: Kind = Kind.VARIABLE) -> Use:
        found = Use(span, name, role, self.scope)
        self.result.uses.append(found)
        if role.binds:
            home = home_of(found)
            if home is not self.result.module and name not in home.symbols:
                home.symbols[name] = Symbol(name, kind, home)
        return found

    def _word(self, node: ast.stmt | ast.excepthandler, pattern: re.Pattern[str], name: str) -> Span:
        """Span of ``name`` as matched by ``pattern`` at or after the start of ``node``."""
        start = self.source.start(node)
        match = pattern.search(self.source.chunk.text, start)
        if match is None:
            return Span(self.source.chunk, start, start)
        return Span(self.source.chunk, match.start(1), match.end(1))

    # ------------------------------------------------------------------------------------------------- definitions
    def function_syntax(self, syntax: FunctionSyntax) -> None:
        self.source = syntax.source
        body = syntax.body
        self._function(syntax.node, [(s.node, s.source) for s in body])

    def class_syntax(self, syntax: ClassSyntax) -> None:
        self.source = source = syntax.source
        node = syntax.node
        info = self._class_header(node)
        outer, owner = self.scope, self.owner
        self.scope, self.owner = Scope("class", node.name, outer), info
        members: list[FunctionSyntax | Statement] = sorted(
            [*syntax.functions, *syntax.others], key=lambda m: m.source.span(m.node).line
        )
        info.doc = docstring([m.node for m in members if isinstance(m, Statement)][:1])
        for member in members:
            self.source = member.source
            if isinstance(member, FunctionSyntax):
                self.function_syntax(member)
                info.last = info.functions[-1].last if info.functions else info.last
            else:
                self.visit(member.node)
                info.last = member.source.span(member.node)
        self.scope, self.owner, self.source = outer, owner, source

    def _class_header(self, node: ast.ClassDef) -> ClassInfo:
        for child in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(child)
        span = self._word(node, _DEFINED, node.name)
        use = self.use(span, node.name, Role.DEFINITION, Kind.CLASS)
        header = self._header(node)
        info = ClassInfo(
            node.name, use, header, header, _decorators(node.decorator_list), docstring(node.body)
        )
        self.result.classes.append(info)
        return info

    def _header(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Span:
        """From the first decorator to the end of the definition's first lines."""
        first: ast.expr | ast.stmt = node.decorator_list[0] if node.decorator_list else node
        start = self.source.start(first)
        return Span(self.source.chunk, start, max(self.source.span(node).end, start))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        info = self._class_header(node)
        outer, owner = self.scope, self.owner
        self.scope, self.owner = Scope("class", node.name, outer), info
        for child in node.body:
            self.visit(child)
        info.last = self.source.span(node)
        self.scope, self.owner = outer, owner

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._function(node, [(child, self.source) for child in node.body])

    visit_AsyncFunctionDef = visit_FunctionDef

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, body: Sequence[tuple[ast.stmt, SourceMap]]
    ) -> None:
        source, arguments = self.source, node.args
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._outer_parts(arguments)
        if node.returns is not None:
            self.visit(node.returns)
        use = self.use(self._word(node, _DEFINED, node.name), node.name, Role.DEFINITION, Kind.FUNCTION)
        owner = self.owner if self.scope.kind == "class" else None
        header = self._header(node)
        info = FunctionInfo(
            node.name,
            use,
            header,
            body[-1][1].last(body[-1][0]) if body else header,
            self._parameters(arguments),
            source.source(node.returns) if node.returns is not None else "",
            _decorators(node.decorator_list),
            docstring([s for s, _ in body[:1]]),
            owner.name if owner is not None else "",
            nested=self.function is not None,
        )
        self.result.functions.append(info)
        if owner is not None:
            owner.functions.append(info)
        if use.symbol is None and self.scope.symbols.get(node.name) is not None:
            self.scope.symbols[node.name].function = info
        outer, function = self.scope, self.function
        self.scope = Scope("function", node.name, outer, function=info)
        self.function = info
        self._bind_parameters(arguments)
        for child, child_source in body:
            self.source = child_source
            self._piece(child)
        self.scope, self.function, self.source = outer, function, source

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._outer_parts(node.args)
        outer = self.scope
        self.scope = Scope("function", "<lambda>", outer)
        self._bind_parameters(node.args)
        self.visit(node.body)
        self.scope = outer

    def _outer_parts(self, arguments: ast.arguments) -> None:
        """Annotations and defaults, which are read outside the function."""
        for argument in _all_arguments(arguments):
            if argument.annotation is not None:
                self.visit(argument.annotation)
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)

    def _bind_parameters(self, arguments: ast.arguments) -> None:
        for argument in _all_arguments(arguments):
            start = self.source.start(argument)
            span = Span(self.source.chunk, start, start + len(argument.arg))
            self.use(span, argument.arg, Role.PARAMETER, Kind.PARAMETER)

    def _parameters(self, arguments: ast.arguments) -> list[Parameter]:
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults: dict[str, ast.expr | None] = dict(
            zip([a.arg for a in positional[len(positional) - len(arguments.defaults) :]], arguments.defaults)
        )
        defaults.update(zip([a.arg for a in arguments.kwonlyargs], arguments.kw_defaults))
        found = []
        for argument in _all_arguments(arguments):
            start = self.source.start(argument)
            default = defaults.get(argument.arg)
            prefix = "*" if argument is arguments.vararg else "**" if argument is arguments.kwarg else ""
            found.append(
                Parameter(
                    argument.arg,
                    Span(self.source.chunk, start, start + len(argument.arg)),
                    _one_line(self.source.source(argument.annotation))
                    if argument.annotation is not None
                    else "",
                    _one_line(self.source.source(default)) if default is not None else "",
                    argument in arguments.kwonlyargs,
                    prefix,
                )
            )
        return found

    # ------------------------------------------------------------------------------------------------- statements
    def visit(self, node: ast.AST) -> None:
        if self.source.parts and isinstance(node, ast.stmt):
            outer, self.source = self.source, self.source.of(node)
            if self.source is not outer:
                self._piece(node)
                self.source = outer
                return
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            self.children(node)

    def _piece(self, node: ast.AST) -> None:
        """A statement with a chunk of its own: what it mentions is remembered beside it."""
        known = self.source.memory.get(("names", id(node)))
        if known is not None and self.scope.kind == "function":
            known[1].repeat(self.result, self.scope, self.function)
            return
        place, sites, before = len(self.result.uses), len(self.result.calls), self._definitions()
        self.visit(node)
        if self.scope.kind == "function" and self._definitions() == before:
            mentions = Mentions.of(self.result.uses[place:], self.result.calls[sites:], self.scope)
            if mentions is not None:
                self.source.memory["names", id(node)] = (node, mentions)

    def _definitions(self) -> tuple[int, ...]:
        found = self.result
        return (
            len(found.functions), len(found.classes), len(found.imports), len(found.stars), self.declarations,
        )  # fmt: skip

    def children(self, node: ast.AST) -> None:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                self.visit(value)
            elif isinstance(value, list):
                for child in value:
                    if isinstance(child, ast.AST):
                        self.visit(child)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
        self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def visit_Broken(self, node: Broken) -> None:
        start = self.source.start(node)
        text = self.source.chunk.text
        for name in node.names:
            match = re.compile(rf"\b{re.escape(name)}\b").search(text, start)
            if match is not None:
                self.use(Span(self.source.chunk, match.start(), match.end()), name, Role.WRITE)
        for child in node.body:
            self.visit(child)

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self.declarations += 1
        for name in node.names:
            self.scope.outer[name] = "global" if isinstance(node, ast.Global) else "nonlocal"

    visit_Nonlocal = visit_Global

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.type is not None:
            self.visit(node.type)
        if node.name:
            self.use(self._word(node, re.compile(r"\bas\s+(\w+)"), node.name), node.name, Role.WRITE)
        for child in node.body:
            self.visit(child)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            bound = alias.asname or alias.name.split(".")[0]
            module = alias.name if alias.asname else bound
            self._imported(alias, bound, Imported(module, None))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.result.stars.append(module)
            else:
                self._imported(alias, alias.asname or alias.name, Imported(module, alias.name))

    def _imported(self, alias: ast.alias, bound: str, imported: Imported) -> None:
        span = self.source.span(alias)
        start = span.end - len(bound) if alias.asname else span.start
        use = self.use(Span(span.chunk, start, start + len(bound)), bound, Role.IMPORT, Kind.IMPORT)
        use.imported = imported
        if alias.asname and imported.attribute is not None:
            there = Span(span.chunk, span.start, span.start + len(alias.name))
            self.result.uses.append(Use(there, alias.name, Role.IMPORTED, self.scope, imported=imported))
        home = home_of(use)
        if home is self.result.module:
            self.result.imports[bound] = imported
        else:
            home.symbols[bound].imported = imported

    # ------------------------------------------------------------------------------------------------- expressions
    def visit_Name(self, node: ast.Name) -> Use:
        role = Role.READ if isinstance(node.ctx, ast.Load) else Role.WRITE
        return self.use(self.source.span(node), node.id, role)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def visit_Attribute(self, node: ast.Attribute) -> Use | None:
        base: Use | None = None
        if isinstance(node.value, ast.Name):
            base = self.visit_Name(node.value)
        elif isinstance(node.value, ast.Attribute):
            base = self.visit_Attribute(node.value)
        else:
            self.visit(node.value)
        if base is None:
            return None
        end = self.source.end(node)
        use = Use(
            Span(self.source.chunk, end - len(node.attr), end),
            node.attr,
            Role.ATTRIBUTE,
            self.scope,
            base=base,
        )
        self.result.uses.append(use)
        return use

    def visit_Call(self, node: ast.Call) -> None:
        callee: Use | None = None
        if isinstance(node.func, ast.Name):
            callee = self.visit_Name(node.func)
        elif isinstance(node.func, ast.Attribute):
            callee = self.visit_Attribute(node.func)
        else:
            self.visit(node.func)
        call: CallSite | None = None
        if callee is not None:
            arguments = [Argument(self.source.span(a), starred=isinstance(a, ast.Starred)) for a in node.args]
            arguments += [
                Argument(self.source.span(k.value), k.arg or "**", k.arg is None) for k in node.keywords
            ]
            call = CallSite(self.source.span(node), callee, arguments)
            self.result.calls.append(call)
            if self.function is not None:
                self.function.calls.append(call)
        for argument in node.args:
            self.visit(argument)
        for keyword in node.keywords:
            if keyword.arg is not None:
                start = self.source.start(keyword)
                span = Span(self.source.chunk, start, start + len(keyword.arg))
                self.result.uses.append(Use(span, keyword.arg, Role.KEYWORD, self.scope, call=call))
            self.visit(keyword.value)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        outer = self.scope
        self.visit(node.generators[0].iter)
        self.scope = Scope("comprehension", "", outer)
        for number, generator in enumerate(node.generators):
            if number:
                self.visit(generator.iter)
            self.visit(generator.target)
            for condition in generator.ifs:
                self.visit(condition)
        if isinstance(node, ast.DictComp):
            self.visit(node.key)
            self.visit(node.value)
        else:
            self.visit(node.elt)
        self.scope = outer

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension


_HANDLERS: dict[type[ast.AST], Callable[[_Reader, ast.AST], object]] = {
    cls: getattr(_Reader, f"visit_{cls.__name__}")
    for cls in (
        Broken, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Assign, ast.AnnAssign,
        ast.AugAssign, ast.Global, ast.Nonlocal, ast.ExceptHandler, ast.Import, ast.ImportFrom, ast.Name,
        ast.NamedExpr, ast.Attribute, ast.Call, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp,
    )
}  # fmt: skip


def _all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    found = [*arguments.posonlyargs, *arguments.args]
    if arguments.vararg is not None:
        found.append(arguments.vararg)
    found.extend(arguments.kwonlyargs)
    if arguments.kwarg is not None:
        found.append(arguments.kwarg)
    return found


def _decorators(nodes: Sequence[ast.expr]) -> list[tuple[str, ...]]:
    found = []
    for node in nodes:
        path = dotted(node.func if isinstance(node, ast.Call) else node)
        if path is not None:
            found.append(path)
    return found


def _one_line(text: str) -> str:
    return " ".join(text.split())
