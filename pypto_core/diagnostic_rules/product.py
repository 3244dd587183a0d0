"""Codes of the product itself: limits and faults that are not the author's."""

from __future__ import annotations

from pypto_core.diagnostics import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "file-too-large",
        "The file is larger than the analysis limit",
        "Files above the size limit (2 MiB unless configured otherwise) are left alone so that the editor stays quick. Split the file, or raise "
        "the limit in the settings.",
        Severity.INFORMATION,
    ),
    Rule(
        "internal",
        "Internal error of the tool",
        "A step of the analysis failed on this kernel. That is a fault of the tool and not of the kernel; the log holds the details, and the rest of the file is analysed as usual.",
        Severity.INFORMATION,
    ),
    Rule(
        "compiler-internal",
        "The compiler cannot handle this construct",
        "On this input the compiler itself ends in an internal check. The message says which construct it cannot handle; writing it differently is the only way round.",
    ),
    Rule(
        "not-supported",
        "Not supported by a lowering pass yet",
        "The analysis cannot lower this statement yet. Later stages are skipped for the function; earlier findings stand.",
        Severity.INFORMATION,
    ),
    Rule(
        "file-unreadable",
        "The file cannot be read as text",
        "The file is missing, is not readable, or does not decode as UTF-8. Nothing in it is analysed.",
    ),
    Rule(
        "tile-parameter",
        "A kernel takes a tile",
        "The compiler's pipeline builds kernels whose parameters are tensors and scalars. A kernel that takes tiles is analysed from its tile form on: the split checks, the lanes and the "
        "later stages are shown as for any other, but the compiler itself would not accept it as an entry.",
        Severity.HINT,
    ),
)
