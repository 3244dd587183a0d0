"""Kernel files of any length, made of the kernels of one realistic file (``tests/golden/kernels/bench_suite_a.py``)."""

from __future__ import annotations

import re
from pathlib import Path

SUITE = Path(__file__).parent.parent / "golden" / "kernels" / "bench_suite_a.py"
#: The kernel in which the benchmarks edit; long files contain it once under this name.
PROBE = "probe_kernel"

_KERNEL = re.compile(r"^@pl\.jit[\s\S]*?^def (\w+)[\s\S]*?(?=^(?:@|# ----)|\Z)", re.MULTILINE)

_PROBE_TEXT = f'''@pl.jit
def {PROBE}(
    x: pl.Tensor[[ROW_TILE, HEAD], pl.FP32],
    gamma: pl.Tensor[[1, HEAD], pl.FP32],
    y: pl.Out[pl.Tensor[[ROW_TILE, HEAD], pl.FP32]],
):
    """The kernel that is being written."""
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="probe"):
        m = pl.mul(pl.row_sum(pl.mul(x, x)), 0.0078125)
        inv = pl.rsqrt(pl.add(m, EPS))
        scaled = pl.row_expand_mul(x, inv)
        y[:, :] = pl.col_expand_mul(scaled, gamma)
    return y


'''


def suite() -> tuple[str, tuple[tuple[str, str], ...]]:
    """The head of the file (imports, constants) and its kernels by name."""
    text = SUITE.read_text(encoding="utf-8")
    kernels = [(m.group(1), m.group().rstrip() + "\n\n\n") for m in _KERNEL.finditer(text)]
    head = text[: text.index(kernels[0][1].rstrip()[:80])]
    return re.sub(r"^# ---- .*\n", "", head, flags=re.MULTILINE).rstrip() + "\n\n\n", tuple(kernels)


def long_file(lines: int, probe_at: float = 0.5) -> str:
    """A file of about ``lines`` lines: copies of the kernels under new names, the probe kernel at ``probe_at`` of its length."""
    head, kernels = suite()
    names = [name for name, _ in kernels]
    parts, count, number = [head], head.count("\n"), 0
    placed = False
    while count < lines or not placed:
        if not placed and count >= lines * probe_at:
            parts.append(_PROBE_TEXT)
            count += _PROBE_TEXT.count("\n")
            placed = True
            continue
        copy, index = divmod(number, len(kernels))
        part = kernels[index][1]
        if copy:
            part = re.sub(rf"(?<!\.)\b({'|'.join(names)})\b", rf"\1_{copy}", part)
        parts.append(part)
        count += part.count("\n")
        number += 1
    return "".join(parts).rstrip() + "\n"


def long_kernel(statements: int, name: str = "long_kernel") -> str:
    """One kernel of about ``statements`` statements: blocks of a product and the vector work on its result, shared by both lanes."""
    block = (
        "        acc{0} = pl.matmul(x[:, {1} : {1} + 64], w[{1} : {1} + 64, :], out_dtype=pl.FP32)",
        "        biased{0} = pl.col_expand_add(acc{0}, bias)",
        "        centred{0} = pl.row_expand_sub(biased{0}, pl.row_max(biased{0}))",
        "        grown{0} = pl.exp(centred{0})",
        "        total{0} = pl.row_sum(grown{0})",
        "        share{0} = pl.row_expand_div(grown{0}, total{0})",
        "        gate{0} = pl.recip(pl.add(pl.exp(pl.neg(biased{0})), 1.0))",
        "        mixed{0} = pl.mul(share{0}, gate{0})",
        "        narrow{0} = pl.cast(mixed{0}, pl.BF16)",
        "        y[{2} : {2} + 32, :] = narrow{0}",
    )
    blocks = max(statements // len(block), 1)
    body = "\n".join(line.format(i, 64 * (i % 8), 32 * i) for i in range(blocks) for line in block)
    return (
        f"@pl.jit\n"
        f"def {name}(\n"
        f"    x: pl.Tensor[[32, 512], pl.BF16],\n"
        f"    w: pl.Tensor[[512, 64], pl.BF16],\n"
        f"    bias: pl.Tensor[[1, 64], pl.FP32],\n"
        f"    y: pl.Out[pl.Tensor[[{32 * blocks}, 64], pl.BF16]],\n"
        f"):\n"
        f'    with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN)], name_hint="{name}"):\n'
        f"{body}\n"
        f"    return y\n"
    )
