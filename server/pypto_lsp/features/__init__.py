"""One file per language feature. Each computes its answer in a pure function and has a ``register(server)``."""

from pypto_lsp.features import (
    code_actions,
    commands,
    diagnostics,
    hover,
    lowered_ir,
)

#: In the order in which they are registered.
ALL = (diagnostics, hover, code_actions, lowered_ir, commands)
