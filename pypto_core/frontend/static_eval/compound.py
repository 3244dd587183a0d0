"""Branches, loops, try and with (docs/spec/static-eval.md §4, §4.1)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from pypto_core.frontend.static_eval.control import (
    RAISED,
    Location,
    Outcome,
    Signal,
    SignalKind,
    Slot,
    may_escape,
    may_return,
    same_value,
    stored_names,
)
from pypto_core.frontend.static_eval.interpreter import STATEMENTS, Interpreter
from pypto_core.frontend.static_eval.limits import CannotEvaluate, LimitReached
from pypto_core.frontend.static_eval.payloads import first_unknown
from pypto_core.frontend.static_eval.scopes import Scope
from pypto_core.frontend.static_eval.statements import assign
from pypto_core.frontend.static_eval.values import External, Unknown, Value

Arm = Callable[[], "Signal | None"]


def branch(it: Interpreter, arms: Sequence[Arm], reason: Unknown) -> Signal | None:
    """Run alternatives of which exactly one is taken, and join what they did (§4.1).

    An alternative that only raises is dropped: the others are what can be seen afterwards, as an assumption.
    """
    outcomes = [it.journals.attempt(arm) for arm in arms]
    live = [o for o in outcomes if o.signal is None or o.signal.kind is not SignalKind.RAISE]
    if not live:
        return RAISED
    if len(live) < len(outcomes):
        assumed = frozenset({f"{reason.reason}; the branch that raises is not taken"})
        if len(live) == 1:
            it.journals.apply(live[0], assumed)
            return live[0].signal
    it.journals.join(live, reason)
    return _joined_signal(live, reason)


def _joined_signal(outcomes: list[Outcome], reason: Unknown) -> Signal | None:
    signals = [o.signal for o in outcomes]
    first = signals[0]
    if all(s is None for s in signals):
        return None
    kinds = {s.kind if s is not None else None for s in signals}
    if kinds == {SignalKind.RETURN}:
        values = [s.value for s in signals if s is not None and s.value is not None]
        if all(same_value(values[0], v) for v in values[1:]):
            return first
        return Signal(SignalKind.RETURN, Value(reason))
    if len(kinds) == 1 and first is not None and first.kind is not SignalKind.UNCERTAIN:
        return first
    returns = any(s is not None and (s.kind is SignalKind.RETURN or s.may_return) for s in signals)
    return Signal(SignalKind.UNCERTAIN, may_return=returns)


def _reason(test: Value, node: ast.expr, it: Interpreter) -> Unknown:
    text = it.source.source(node) if it.source is not None else ""
    blocked = first_unknown(test)
    cause = blocked.data.reason if blocked is not None and isinstance(blocked.data, Unknown) else ""
    if not cause and isinstance(test.data, External):
        cause = f"{test.data.name} is not modelled"
    return Unknown(f"the condition {text} is not known" + (f" ({cause})" if cause else ""), text)


def _if(it: Interpreter, node: ast.If, scope: Scope) -> Signal | None:
    if _is_main_guard(node.test):
        return it.execute(node.orelse, scope)
    test = it.evaluate(node.test, scope)
    truth = it.truth(test)
    if truth is None:
        arms = [lambda: it.execute(node.body, scope), lambda: it.execute(node.orelse, scope)]
        return branch(it, arms, _reason(test, node.test, it))
    taken = node.body if truth else node.orelse
    if not test.assumed:
        return it.execute(taken, scope)
    before = it.taint
    it.taint = before | test.assumed
    signal = it.execute(taken, scope)
    if not (may_escape(node.body) or may_escape(node.orelse)):
        it.taint = before  # what follows is reached either way
    return signal


def _is_main_guard(test: ast.expr) -> bool:
    """``__name__ == "__main__"``: never true here (§3.3)."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return False
    sides = (test.left, test.comparators[0])
    names = {s.id for s in sides if isinstance(s, ast.Name)}
    texts = {s.value for s in sides if isinstance(s, ast.Constant)}
    return "__name__" in names and "__main__" in texts


def _for(it: Interpreter, node: ast.For | ast.AsyncFor, scope: Scope) -> Signal | None:
    source = it.evaluate(node.iter, scope)
    try:
        if isinstance(node, ast.AsyncFor):
            raise CannotEvaluate("asynchronous loop")
        items = _loop_items(it, source)
    except CannotEvaluate as fault:
        it.doubt += 1
        lost = Unknown(f"set in a loop over something unknown: {fault.reason}")
        return _repeat(it, node, [node.target], scope, lost)
    before = it.taint
    it.taint = before | source.assumed
    for count, item in enumerate(items):
        it.budget.spend()
        if count >= it.budget.limits.iterations:
            return _repeat(it, node, [node.target], scope, Unknown("iteration limit"))
        assign(it, node.target, item, scope, node)
        signal = it.execute(node.body, scope)
        if signal is None or signal.kind is SignalKind.CONTINUE:
            continue
        if signal.kind is SignalKind.BREAK:
            it.taint = it.taint if may_return(node.body) else before
            return None
        if signal.kind is SignalKind.UNCERTAIN:
            again = _repeat(it, node, [node.target], scope, Unknown("it is not known how often a loop runs"))
            return _after_uncertain(signal, again)
        return signal
    it.taint = it.taint if may_return(node.body) else before
    return it.execute(node.orelse, scope)


def _loop_items(it: Interpreter, source: Value) -> Sequence[Value] | _Lazy:
    if isinstance(source.data, range):
        return _Lazy(source.data, source)
    return it.iterate(source)


class _Lazy:
    """Numbers of a range, made one by one: a long range costs only the turns that are run."""

    def __init__(self, numbers: range, source: Value) -> None:
        self.numbers = numbers
        self.source = source

    def __iter__(self) -> Iterator[Value]:
        return (Value(n, self.source.assumed) for n in self.numbers)


def _while(it: Interpreter, node: ast.While, scope: Scope) -> Signal | None:
    count = 0
    before = it.taint
    while True:
        it.budget.spend()
        test = it.evaluate(node.test, scope)
        truth = it.truth(test)
        if truth is None:
            return _repeat(it, node, [], scope, _reason(test, node.test, it))
        it.taint = it.taint | test.assumed
        if not truth:
            it.taint = it.taint if may_return(node.body) else before
            return it.execute(node.orelse, scope)
        count += 1
        if count > it.budget.limits.iterations:
            return _repeat(it, node, [], scope, Unknown("iteration limit"))
        signal = it.execute(node.body, scope)
        if signal is None or signal.kind is SignalKind.CONTINUE:
            continue
        if signal.kind is SignalKind.BREAK:
            return None
        if signal.kind is SignalKind.UNCERTAIN:
            again = _repeat(it, node, [], scope, Unknown("it is not known how often a loop runs"))
            return _after_uncertain(signal, again)
        return signal


def _after_uncertain(signal: Signal, again: Signal | None) -> Signal | None:
    if signal.may_return or (again is not None and again.may_return):
        return Signal(SignalKind.UNCERTAIN, may_return=True)
    return None


#: How often the body of a loop of unknown length is run to find what it changes.
_TURNS = 16


def _repeat(
    it: Interpreter,
    node: ast.For | ast.AsyncFor | ast.While,
    targets: Sequence[ast.expr],
    scope: Scope,
    reason: Unknown,
) -> Signal | None:
    """A loop that runs an unknown number of times: everything that it may store becomes unknown.

    The body is run with everything already lost that an earlier turn may have changed, until no new change shows up.
    """
    body = [*node.body, *node.orelse]
    lost: dict[Location, Slot] = {}
    for name in stored_names([*targets, *body]):
        home = scope.owner(name)
        lost[id(home), name] = (home, name)
    signal: Signal | None = None
    # Objects that every turn makes anew always look changed; what was there before shows up in the first few turns.
    for _ in range(_TURNS):
        outcome = it.journals.attempt(lambda: _one_turn(it, body, scope, lost, reason))
        signal = outcome.signal
        new = {k: (o, key) for k, (o, key, _, _) in outcome.changes.items() if k not in lost}
        if not new:
            break
        lost.update(new)
    for location, (owner, key) in lost.items():
        change = outcome.changes.get(location)
        it.journals.lose(owner, key, reason, change[3] if change is not None else None)
    returns = signal is not None and (signal.kind is SignalKind.RETURN or signal.may_return)
    return Signal(SignalKind.UNCERTAIN, may_return=True) if returns else None


def _one_turn(
    it: Interpreter, body: Sequence[ast.stmt], scope: Scope, lost: dict[Location, Slot], reason: Unknown
) -> Signal | None:
    for owner, key in lost.values():
        it.journals.lose(owner, key, reason)
    try:
        return it.execute(body, scope)
    except LimitReached:
        return None


def _try(it: Interpreter, node: ast.Try, scope: Scope) -> Signal | None:
    signal = _guarded(it, node, scope)
    last = it.execute(node.finalbody, scope)
    return last if last is not None else signal


def _guarded(it: Interpreter, node: ast.Try, scope: Scope) -> Signal | None:
    doubt = it.doubt
    body = it.journals.attempt(lambda: it.execute(node.body, scope))
    raised = body.signal is not None and body.signal.kind is SignalKind.RAISE
    if not node.handlers or (not raised and it.doubt == doubt):
        it.journals.apply(body, frozenset())
        if body.signal is not None:
            return body.signal
        return it.execute(node.orelse, scope)
    reason = Unknown("set in a try statement of which it is not known whether it raises")

    def handled(handler: ast.ExceptHandler) -> Signal | None:
        if not raised:
            for owner, key, _, _ in body.changes.values():
                it.journals.lose(owner, key, reason)
        else:
            it.journals.apply(body, frozenset())
        if handler.name is not None:
            it.bind(scope, handler.name, Value(reason))
        return it.execute(handler.body, scope)

    arms: list[Arm] = [lambda h=h: handled(h) for h in node.handlers]  # type: ignore[misc]
    if not raised:

        def undisturbed() -> Signal | None:
            signal = it.execute(node.body, scope)
            return signal if signal is not None else it.execute(node.orelse, scope)

        arms.insert(0, undisturbed)
    if len(arms) == 1:
        return arms[0]()
    return branch(it, arms, reason)


def _with(it: Interpreter, node: ast.With | ast.AsyncWith, scope: Scope) -> Signal | None:
    """Names bound inside a with statement are unknown: what the manager does is not modelled."""
    reason = Unknown("bound inside a with statement")

    def run() -> Signal | None:
        for item in node.items:
            if item.optional_vars is not None:
                assign(it, item.optional_vars, Value(reason), scope, node)
        return it.execute(node.body, scope)

    return _lose_all(it, run, reason)


def _lose_all(it: Interpreter, run: Arm, reason: Unknown) -> Signal | None:
    outcome = it.journals.attempt(run)
    for owner, key, _, after in outcome.changes.values():
        it.journals.lose(owner, key, reason, after)
    signal = outcome.signal
    if signal is not None and signal.kind is SignalKind.RETURN:
        return Signal(SignalKind.RETURN, Value(reason))
    return signal


def _match(it: Interpreter, node: ast.Match, scope: Scope) -> Signal | None:
    """Patterns are not modelled: what the cases bind is unknown."""
    reason = Unknown("bound in a match statement")
    for name in stored_names([node]):
        it.bind(scope, name, Value(reason))

    def run() -> Signal | None:
        arms: list[Arm] = [lambda c=c: it.execute(c.body, scope) for c in node.cases]  # type: ignore[misc]
        return branch(it, [*arms, lambda: None], reason)

    return _lose_all(it, run, reason)


STATEMENTS.update(
    {
        ast.If: _if,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.While: _while,
        ast.Try: _try,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Match: _match,
    }
)
_TRY_STAR = getattr(ast, "TryStar", None)
if _TRY_STAR is not None:
    STATEMENTS[_TRY_STAR] = _try
