"""One file per language feature. Each computes its answer in a pure function and has a ``register(server)``."""

from pypto_lsp.features import (
    call_hierarchy,
    code_actions,
    code_lens,
    commands,
    completion,
    definition,
    diagnostics,
    document_symbols,
    folding,
    hover,
    inlay_hints,
    lowered_ir,
    references,
    rename,
    semantic_tokens,
    signature_help,
    workspace_diagnostics,
    workspace_symbols,
)

#: In the order in which they are registered.
ALL = (
    diagnostics,
    workspace_diagnostics,
    hover,
    completion,
    signature_help,
    definition,
    references,
    rename,
    document_symbols,
    workspace_symbols,
    call_hierarchy,
    folding,
    semantic_tokens,
    inlay_hints,
    code_lens,
    code_actions,
    lowered_ir,
    commands,
)
