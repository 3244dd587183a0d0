"""Codes of the product itself: limits and faults that are not the author's."""

from __future__ import annotations

from pypto_core.diagnostic_rules.samples import T, one
from pypto_core.diagnostics import Rule, Severity


def _filled(rows: str) -> str:
    """A block that puts ``x`` into a larger buffer on the chip."""
    body = f"""
        with pl.at(level=pl.Level.CORE_GROUP):
            whole = «pl.create_tensor([{rows}, 128], dtype=pl.FP32)»
            out[:, :] = pl.assemble(whole, x, [0, 0])
        return out
    """
    result = f"pl.Tensor[[{rows}, 128], pl.FP32]"
    return one(body, f"x: {T}; out: pl.Out[{result}]", result)


def _ignoring(code: str) -> str:
    """A value that nobody uses, and a comment that ignores a code there."""
    body = f"""
        spare = pl.exp(x)  # pypto: ignore[{code}]
        out[:, :] = pl.exp(x)
        return out
    """
    return one(body, f"x: {T}; out: pl.Out[{T}]")


RULES: tuple[Rule, ...] = (
    Rule(
        "file-too-large",
        "The file is larger than the analysis limit",
        "Files above the size limit (2 MiB unless configured otherwise) are left alone so that the editor stays quick. Split the file, or raise "
        "the limit in the settings.",
        Severity.INFORMATION,
        no_source="The size of a file decides, not what stands in it.",
    ),
    Rule(
        "internal",
        "Internal error of the tool",
        "A step of the analysis failed on this kernel. That is a fault of the tool and not of the kernel; the log holds the details, and the rest of the file is analysed as usual.",
        Severity.INFORMATION,
        no_source="A kernel that shows it is a fault of the tool: please report it.",
    ),
    Rule(
        "compiler-internal",
        "The compiler cannot handle this construct",
        "On this input the compiler itself ends in an internal check. The message says which construct it cannot handle; writing it differently is the only way round.",
        failing=_filled("512"),
        repaired=_filled("256"),
        chip="a2a3",
    ),
    Rule(
        "not-supported",
        "Not supported by a lowering pass yet",
        "The analysis cannot lower this statement yet. Later stages are skipped for the function; earlier findings stand.",
        Severity.INFORMATION,
        no_source="A kernel that shows it is a gap of the tool: please report it.",
    ),
    Rule(
        "file-unreadable",
        "The file cannot be read as text",
        "The file is missing, is not readable, or does not decode: it is UTF-8, or what a line such as `# -*- coding: latin-1 -*-` at its top says. Nothing in it is analysed.",
        no_source="It is about the bytes of a file, which no kernel shows.",
    ),
    Rule(
        "ignore-unknown",
        "A comment that ignores a code which does not exist",
        "`# pypto: ignore[CODE]` at the end of a line silences findings of this code there. A code that no finding has silences nothing; a pattern such as `aiv-*` stands for all codes that it "
        "matches. The same holds for a bracket that is not closed.",
        Severity.WARNING,
        failing=_ignoring("«unused-varable»"),
        repaired=_ignoring("unused-variable"),
        fix="review",
    ),
    Rule(
        "ignore-unused",
        "A comment that ignores nothing",
        "No finding stands on the first or last line of which the comment silences it, so the comment would hide the next one unseen. It is said of a file that is analysed completely, and of the chip that it "
        "is analysed for: another chip may have a finding here.",
        Severity.HINT,
        failing=one(
            "out[:, :] = pl.exp(x)  # pypto: ignore[«op-shape»]\nreturn out", f"x: {T}; out: pl.Out[{T}]"
        ),
        repaired=one("out[:, :] = pl.exp(x)\nreturn out", f"x: {T}; out: pl.Out[{T}]"),
        fix="review",
        tags=("unnecessary",),
    ),
    Rule(
        "tile-parameter",
        "A kernel takes a tile",
        "The compiler's pipeline builds kernels whose parameters are tensors and scalars. A kernel that takes tiles is analysed from its tile form on: the split checks, the lanes and the "
        "later stages are shown as for any other, but the compiler itself would not accept it as an entry.",
        Severity.HINT,
        failing=one(
            "out = pl.store(pl.exp(a), [0, 0], out)\nreturn out",
            f"«a: pl.Tile[[64, 128], pl.FP32]»; out: pl.Out[{T}]",
            kind="InCore",
        ),
        repaired=one(
            "a = pl.load(x, [0, 0], [64, 128])\nout = pl.store(pl.exp(a), [0, 0], out)\nreturn out",
            f"x: {T}; out: pl.Out[{T}]",
            kind="InCore",
        ),
    ),
)
