"""Parameters that the author declares as inputs and that the compiler makes outputs, since the kernel writes them
(docs/spec/passes_tensor_to_tile.md §1.8, §1.9 c; docs/spec/design/ide.md, Quick fixes)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.verify.base import Finding, Located, author_name

#: The pass that gives parameters their directions.
DECIDED = "ConvertTensorToTileOps"

_report = Finding("ParamDirectionDeclared", Severity.HINT)


def undeclared_outputs(written: ir.Program, converted: ir.Program) -> Iterator[Located]:
    """One hint per such parameter: ``written`` is the program of the author, ``converted`` the one after :data:`DECIDED`."""
    for function in written.functions:
        after = converted.get_function(function.name)
        if after is None or ir.FunctionType.Inline in (function.func_type, after.func_type):
            continue
        for param, before, now in zip(
            function.params, function.param_directions, after.param_directions, strict=False
        ):
            if before is ir.ParamDirection.In and now is not before and param.span.is_valid:
                yield function.name, _undeclared(param, now)


def _undeclared(param: ir.Var, direction: ir.ParamDirection) -> Diagnostic:
    name = author_name(param)
    does = "written" if direction is ir.ParamDirection.Out else "read and written"
    return _report(
        "out-param-undeclared",
        0,
        f"'{name}' is {does}, so the compiler makes it {direction.name}; declare it for those who call the kernel: "
        f"pl.{direction.name}[...]",
        param.span,
        data={"name": name, "direction": direction.name},
    )
