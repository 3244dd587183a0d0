"""``@pl.function`` and ``@pl.program`` decorators and the ``pl.func_attr`` prologue (docs/spec/language.md §1.1, §1.2)."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from pypto_core.frontend.annotations import writes_type
from pypto_core.frontend.attributes import read_value
from pypto_core.frontend.context import Fault, FunctionContext, Silent, did_you_mean, enum_list, nearest
from pypto_core.frontend.recovery import FunctionSyntax, Statement
from pypto_core.frontend.symbols import ENUMS, enum_member
from pypto_core.frontend.syntax import dotted, string_literal
from pypto_core.frontend.wording import contradiction
from pypto_core.ir import DERIVED_LEVEL_ROLE, ErrorType, Expr, FunctionType, Level, Role, SplitMode

_KEYWORDS = ("type", "level", "role", "attrs", "auto_scope", "strict_ssa", "external_source")
_FLAGS = ("auto_scope", "strict_ssa")
_ENUM_OF = {"type": "FunctionType", "level": "Level", "role": "Role"}


@dataclass(slots=True)
class FunctionOptions:
    """What the decorator says; ``level`` and ``role`` after derivation from the type."""

    func_type: FunctionType = FunctionType.Opaque
    level: Level | None = None
    role: Role | None = None
    auto_scope: bool = True
    strict: bool = False
    external_source: str | None = None
    attrs: dict[str, Any] = field(default_factory=dict)
    external_node: ast.expr | None = None


def decorator_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, *forms: str) -> ast.expr | None:
    """The decorator whose last name is one of ``forms``."""
    for decorator in node.decorator_list:
        path = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if path is not None and path[-1] in forms:
            return decorator
    return None


def read_function_decorator(
    ctx: FunctionContext, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> FunctionOptions:
    """Keywords of ``@pl.function(...)``; each fault is told and the keyword left out."""
    options = FunctionOptions()
    decorator = decorator_of(node, "function")
    if not isinstance(decorator, ast.Call):
        return _derive(ctx, node, options, {})
    where: dict[str, ast.keyword] = {}
    for keyword in [*_meant(ctx, decorator), *decorator.keywords]:
        with ctx.guarded():
            if keyword.arg is None:
                ctx.fail(
                    "decorator-kwargs-star",
                    "write the keywords of @pl.function out: '**' cannot be read",
                    keyword,
                )
            if keyword.arg not in _KEYWORDS:
                ctx.fail(
                    "jit-decorator-keyword",
                    f"@pl.function takes no keyword '{keyword.arg}'{did_you_mean(keyword.arg, _KEYWORDS)}; "
                    f"it takes {', '.join(_KEYWORDS)}",
                    keyword,
                    name=keyword.arg,
                    suggestion=nearest(keyword.arg, _KEYWORDS),
                )
            where[keyword.arg] = keyword
            _keyword(ctx, options, keyword.arg, keyword.value, keyword)
    return _derive(ctx, node, options, where)


def _meant(ctx: FunctionContext, decorator: ast.Call) -> list[ast.keyword]:
    """Options given by position are told, and read as the keywords that they are meant for."""
    found = by_position(ctx, decorator, _KEYWORDS)
    meant = [ast.copy_location(ast.keyword(name, node), node) for name, node in found]
    return [keyword for keyword in meant if keyword.arg]


def check_options(ctx: FunctionContext, decorator: ast.expr, allowed: tuple[str, ...]) -> bool:
    """Tells of options of a decorator that it does not take and of those given by position; whether all are as they should be."""
    if not isinstance(decorator, ast.Call):
        return True
    right = not by_position(ctx, decorator, allowed)
    takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
    for keyword in decorator.keywords:
        if keyword.arg is None or keyword.arg in allowed:
            continue
        right = False
        ctx.error(
            "jit-decorator-keyword",
            f"@{ctx.text(decorator.func)} takes no keyword '{keyword.arg}'{did_you_mean(keyword.arg, allowed)}; {takes}",
            keyword,
            name=keyword.arg,
            suggestion=nearest(keyword.arg, allowed),
        )
    return right


def by_position(
    ctx: FunctionContext, decorator: ast.Call, allowed: tuple[str, ...]
) -> list[tuple[str, ast.expr]]:
    """Tells of options given by position; each with the keyword that it is meant for, empty when that is open."""
    found = []
    flags = [name for name in allowed if name in _FLAGS]
    for node in decorator.args:
        path = dotted(node) or ()
        name = next((k for k, enum in _ENUM_OF.items() if k in allowed and enum in path[-2:-1]), "")
        if flags and isinstance(node, ast.Constant) and isinstance(node.value, bool):
            name = flags[0]
        write = f": write {name}={ctx.text(node)}" if name else ""
        ctx.error(
            "jit-decorator-keyword",
            f"@{ctx.text(decorator.func)} takes its options by keyword only{write}",
            node,
            suggestion=name,
        )
        found.append((name, node))
    return found


def _keyword(
    ctx: FunctionContext, options: FunctionOptions, name: str, value: ast.expr, at: ast.keyword
) -> None:
    if name in _ENUM_OF:
        member = read_enum(ctx, value, _ENUM_OF[name], name)
        if name == "type":
            options.func_type = member if isinstance(member, FunctionType) else FunctionType.Opaque
        elif name == "level":
            options.level = member if isinstance(member, Level) else None
        else:
            options.role = member if isinstance(member, Role) else None
    elif name == "auto_scope":
        options.auto_scope = _bool(ctx, value, name)
    elif name == "strict_ssa":
        options.strict = _bool(ctx, value, name)
    elif name == "external_source":
        text = string_literal(value)
        if text is None:
            evaluated = ctx.annotations.evaluate(value)
            text = evaluated.data if isinstance(evaluated.data, str) else None
        options.external_source, options.external_node = text or "", value
    else:
        ctx.warn(
            "attrs-on-decorator",
            "attrs= on the decorator is deprecated: write pl.func_attr({...}) first in the body",
            at,
        )
        options.attrs.update(_decorator_attrs(ctx, value))


def read_enum(ctx: FunctionContext, node: ast.expr, enum: str, keyword: str) -> Any:
    """``pl.<Enum>.<member>`` or ``None``."""
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    path = dotted(node)
    cls = ENUMS[enum]
    if path is None or len(path) < 2:
        value = ctx.annotations.lookup(path[0]) if path is not None else None
        if value is not None and isinstance(value.data, cls):
            return value.data
        ctx.fail(
            "decorator-enum-literal",
            f"{keyword} is written pl.{enum}.<member>, not '{ctx.text(node)}'; members are {enum_list(cls)}",
            node,
        )
    if path[-2] != enum or (
        len(path) > 2 and path[-3] not in ("pl", "pld") and ctx.annotations.lookup(path[-3]) is None
    ):
        ctx.fail(
            "decorator-enum-prefix",
            f"{keyword} takes a member of pl.{enum}, not '{ctx.text(node)}'",
            node,
            enum=enum,
        )
    member = enum_member(enum, path[-1])
    if member is None:
        ctx.fail(
            "decorator-enum-literal",
            f"pl.{enum} has no member '{path[-1]}'{did_you_mean(path[-1], cls.__members__)}; members are {enum_list(cls)}",
            node,
            name=path[-1],
            suggestion=nearest(path[-1], cls.__members__),
        )
    return member


def _bool(ctx: FunctionContext, node: ast.expr, name: str) -> bool:
    if not (isinstance(node, ast.Constant) and isinstance(node.value, bool)):
        ctx.fail("decorator-bool-literal", f"{name} is written True or False, not '{ctx.text(node)}'", node)
    return node.value


def _decorator_attrs(ctx: FunctionContext, node: ast.expr) -> dict[str, Any]:
    if isinstance(node, ast.Constant) and node.value is None:
        return {}
    if not isinstance(node, ast.Dict):
        ctx.fail("attrs-not-dict", "attrs is a dict literal", node)
    attrs: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values):
        with ctx.guarded():
            if key is None:
                ctx.fail("attrs-star", "write the attributes out: '**' cannot be read", value)
            name = string_literal(key)
            if name is None:
                ctx.fail("attrs-key", f"attribute keys are string literals, not '{ctx.text(key)}'", key)
            _store(attrs, name, _decorator_value(ctx, name, value))
    return attrs


def _decorator_value(ctx: FunctionContext, name: str, node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    path = dotted(node)
    if path is not None and len(path) >= 2 and path[-2] in ENUMS:
        member = enum_member(path[-2], path[-1])
        if member is None:
            ctx.fail("attrs-value", f"pl.{path[-2]} has no member '{path[-1]}'", node)
        return member
    if isinstance(node, ast.Call):
        called = dotted(node.func)
        if called is not None and called[-1] in ("available_cluster_count", "available_aiv_count"):
            from pypto_core.frontend.expressions import expr

            return expr(ctx, node)
    if writes_type(node):
        ctx.fail(
            "attrs-annotation-only",
            f"attribute '{name}' cannot be '{ctx.text(node)}': a type stands in annotations only",
            node,
        )
    if isinstance(node, ast.Name):
        ctx.fail(
            "attrs-ref", f"attribute '{name}' cannot refer to the name '{node.id}': write the value", node
        )
    raise ctx.fault(
        "attrs-value",
        f"attribute '{name}' cannot be '{ctx.text(node)}': write a constant or pl.SplitMode.X",
        node,
    )


def _store(attrs: dict[str, Any], name: str, value: Any) -> None:
    """``split`` is kept as its number, and not at all when it is NONE."""
    if isinstance(value, SplitMode):
        value = int(value)
    if name == "split" and value == 0:
        return
    attrs[name] = value


def _derive(
    ctx: FunctionContext,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    options: FunctionOptions,
    where: dict[str, ast.keyword],
) -> FunctionOptions:
    derived = DERIVED_LEVEL_ROLE.get(options.func_type)
    if derived is not None:
        for name, implied in zip(("level", "role"), derived):
            given = getattr(options, name)
            if given is not None and given is not implied:
                ctx.error(
                    f"{name}-mismatch",
                    contradiction(node.name, options.func_type, name, implied, given),
                    where.get(name, node.decorator_list[0]),
                )
            setattr(options, name, implied)
    if options.external_source is not None and options.func_type not in (FunctionType.AIC, FunctionType.AIV):
        ctx.error(
            "external-source-type",
            f"external_source belongs to a function of type AIC or AIV; '{node.name}' is {options.func_type.name}",
            options.external_node or node.decorator_list[0],
        )
    return options


def split_prologue(ctx: FunctionContext, syntax: FunctionSyntax) -> tuple[dict[str, Any], list[Statement]]:
    """Attributes of the leading ``pl.func_attr({...})`` statements and the statements behind them.

    A docstring may stand in front; it stays, for it becomes a comment.
    """
    attrs: dict[str, Any] = {}
    rest = list(syntax.body)
    kept: list[Statement] = []
    while rest:
        first = rest[0]
        if (
            isinstance(first.node, ast.Expr)
            and isinstance(first.node.value, ast.Constant)
            and isinstance(first.node.value.value, str)
        ):
            kept.append(rest.pop(0))
            continue
        call = func_attr_call(first.node)
        if call is None:
            break
        rest.pop(0)
        outer, ctx.source = ctx.source, first.source
        try:
            _directive(ctx, call, attrs)
        except Fault as fault:
            ctx.report(fault)
        except Silent:
            ctx.mark_incomplete()
        finally:
            ctx.source = outer
    return attrs, [*kept, *rest]


def func_attr_call(node: ast.stmt) -> ast.Call | None:
    """The call of a ``pl.func_attr(...)`` statement."""
    if (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and dotted(node.value.func) == ("pl", "func_attr")
    ):
        return node.value
    return None


def _directive(ctx: FunctionContext, call: ast.Call, attrs: dict[str, Any]) -> None:
    if len(call.args) != 1 or call.keywords or not isinstance(call.args[0], ast.Dict):
        ctx.fail("func-attr-form", 'write pl.func_attr({"key": value})', call)
    for key, value in zip(call.args[0].keys, call.args[0].values):
        name = string_literal(key)
        if name is None:
            ctx.fail(
                "func-attr-form", "attribute keys are string literals", key if key is not None else value
            )
        if name in ("auto_scope", "external_source"):
            ctx.error(
                "func-attr-reserved",
                f"'{name}' belongs to the decorator: @pl.function({name}=...)",
                key or value,
                name=name,
            )
            continue
        if name in attrs:
            ctx.error("func-attr-duplicate", f"attribute '{name}' is given twice", key or value, name=name)
            continue
        if name == "split":
            _check_member(ctx, value)
        _check_references(ctx, name, value)
        read = read_value(ctx, name, value, "func-attr-form")
        if _is_faulty(read):
            continue
        if name == "split" and not (isinstance(read, int) and read in _SPLIT_MODES):
            ctx.fail(
                "func-attr-form",
                f"'split' is a pl.SplitMode: write pl.SplitMode.UP_DOWN, LEFT_RIGHT or NONE, not '{ctx.text(value)}'",
                value,
            )
        _check_name(ctx, name, key or value)
        _store(attrs, name, read)


def _check_references(ctx: FunctionContext, name: str, node: ast.expr) -> None:
    """A bare name is a parameter, never an outer value (§1.2)."""
    for item in node.elts if isinstance(node, ast.List | ast.Tuple) else [node]:
        if isinstance(item, ast.Name) and item.id not in ctx.names:
            value = ctx.closure.lookup(item.id)
            if value is None or value.is_unknown:
                continue  # told where the value is read
            ctx.fail(
                "func-attr-form",
                f"attribute '{name}' cannot be '{item.id}': a name stands for a parameter here; write the value",
                item,
                name=item.id,
            )


def _check_member(ctx: FunctionContext, node: ast.expr) -> None:
    """A mode that ``pl.SplitMode`` has not."""
    path = dotted(node)
    members = SplitMode.__members__
    if path is not None and path[-2:-1] == ("SplitMode",) and path[-1] not in members:
        ctx.fail(
            "func-attr-form",
            f"pl.SplitMode has no member '{path[-1]}'{did_you_mean(path[-1], members)}; members are {enum_list(SplitMode)}",
            node,
            name=path[-1],
            suggestion=nearest(path[-1], members),
        )


def _check_name(ctx: FunctionContext, name: str, node: ast.expr) -> None:
    """Any attribute may be given; one that is almost ``split`` would be kept without effect."""
    if name != "split" and (name.lower() == "split" or sorted(name) == sorted("split")):
        ctx.warn(
            "func-attr-form",
            f"attribute '{name}' has no effect (did you mean 'split'?)",
            node,
            name=name,
            suggestion="split",
        )


_SPLIT_MODES = frozenset(int(mode) for mode in SplitMode)


def _is_faulty(value: object) -> bool:
    """Whether an error has been reported for the value already."""
    return isinstance(value, Expr) and isinstance(value.type, ErrorType)
