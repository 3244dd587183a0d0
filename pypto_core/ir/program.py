"""Functions and programs (docs/spec/ir.md §1.3, §1.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from pypto_core.ir.enums import FunctionType, Level, ParamDirection, Role, SplitMode
from pypto_core.ir.expr import Var
from pypto_core.ir.node import AttrMap, Node, Stmt, Type, empty_map

#: What a function type implies (§1.4); others leave level and role as given.
DERIVED_LEVEL_ROLE: dict[FunctionType, tuple[Level, Role]] = {
    FunctionType.Orchestration: (Level.CHIP, Role.Orchestrator),
    FunctionType.Graph: (Level.CHIP, Role.Orchestrator),
    FunctionType.InCore: (Level.CHIP_DIE, Role.SubWorker),
    FunctionType.AIC: (Level.AIC, Role.SubWorker),
    FunctionType.AIV: (Level.AIV, Role.SubWorker),
    FunctionType.Group: (Level.CORE_GROUP, Role.SubWorker),
}


@dataclass(frozen=True, slots=True, eq=False)
class Function(Node):
    """A kernel, an orchestration function or a wrapper.

    ``param_directions`` is as long as ``params`` (empty means all In). Level and role follow from ``func_type`` where
    :data:`DERIVED_LEVEL_ROLE` says so; a different explicit value is a ``ValueError``.
    """

    name: str
    params: tuple[Var, ...]
    param_directions: tuple[ParamDirection, ...]
    return_types: tuple[Type, ...]
    body: Stmt
    func_type: FunctionType = FunctionType.Opaque
    level: Level | None = None
    role: Role | None = None
    attrs: AttrMap = field(default_factory=empty_map)
    requires_runtime_binding: bool = False

    def __post_init__(self) -> None:
        if not self.param_directions and self.params:
            object.__setattr__(self, "param_directions", (ParamDirection.In,) * len(self.params))
        derived = DERIVED_LEVEL_ROLE.get(self.func_type)
        if derived is None:
            return
        for name, implied in zip(("level", "role"), derived, strict=True):
            given = getattr(self, name)
            if given is None:
                object.__setattr__(self, name, implied)
            elif given is not implied:
                raise ValueError(
                    f"Function '{self.name}' has func_type={self.func_type.name} which implies "
                    f"{name}={implied.name}, but explicit {name}={given.name} was provided"
                )

    @property
    def split(self) -> SplitMode | None:
        """The split mode, None when absent or NONE."""
        value = self.attrs.get("split")
        return SplitMode(value) if value else None


@dataclass(frozen=True, slots=True, eq=False)
class Program(Node):
    """Functions in name order; ``name`` is ignored by equality, empty prints as ``Program``."""

    functions: tuple[Function, ...]
    name: str = ""

    def __post_init__(self) -> None:
        functions = tuple(sorted(self.functions, key=_name))
        for left, right in pairwise(functions):
            if left.name == right.name:
                raise ValueError(f'Duplicate function name "{left.name}"')
        if functions != self.functions:
            object.__setattr__(self, "functions", functions)

    def get_function(self, name: str) -> Function | None:
        """The function of this name, None when there is none."""
        for function in self.functions:
            if function.name == name:
                return function
        return None

    def with_functions(self, functions: Iterable[Function]) -> Program:
        """This program with other functions; the same object when they are the same functions."""
        new = tuple(sorted(functions, key=_name))
        if len(new) == len(self.functions) and all(a is b for a, b in zip(new, self.functions, strict=True)):
            return self
        return Program(new, self.name, span=self.span)


def _name(function: Function) -> str:
    return function.name
