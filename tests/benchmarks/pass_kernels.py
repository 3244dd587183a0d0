"""Kernels of any number of statements, for what the passes cost: a mixed one of tensors, one of tiles, and a deeply nested one."""

from __future__ import annotations

#: One edit of one token that both kernels contain exactly once.
EDIT = ("0.0883883476", "0.0883883477")

_HEAD = "import pypto.language as pl\n\n\n"

#: A block of queries against the keys, carried through a loop, and a gated projection behind it; 25 statements.
_MIXED_BLOCK = """\
        s = pl.mul(pl.matmul(q[:, :], k[{a} : {a} + 64, :], b_trans=True, out_dtype=pl.FP32), SCALE)
        best = pl.row_max(s)
        p = pl.exp(pl.row_expand_sub(s, best))
        denom = pl.row_sum(p)
        ctx = pl.mul(pl.matmul(pl.cast(p, pl.BF16), v[{a} : {a} + 64, :], out_dtype=pl.FP32), 1.0)
        for j{n} in pl.range(1, 4):
            j0 = j{n} * 64
            s = pl.matmul(q[:, :], k[j0 : j0 + 64, :], b_trans=True, out_dtype=pl.FP32)
            s = pl.mul(s, SCALE)
            cur = pl.maximum(best, pl.row_max(s))
            p = pl.exp(pl.row_expand_sub(s, cur))
            decay = pl.exp(pl.sub(best, cur))
            denom = pl.add(pl.mul(denom, decay), pl.row_sum(p))
            pv = pl.matmul(pl.cast(p, pl.BF16), v[j0 : j0 + 64, :], out_dtype=pl.FP32)
            ctx = pl.add(pl.row_expand_mul(ctx, decay), pv)
            best = cur
        out{n} = pl.row_expand_div(ctx, denom)
        o[{r} : {r} + 64, :] = out{n}
        gate{n} = pl.matmul(x[:, {a} : {a} + 64], w[{a} : {a} + 64, :], out_dtype=pl.FP32)
        biased{n} = pl.col_expand_add(gate{n}, bias)
        act{n} = pl.mul(biased{n}, pl.recip(pl.add(pl.exp(pl.neg(biased{n})), 1.0)))
        share{n} = pl.row_expand_div(act{n}, pl.row_sum(act{n}))
        mixed{n} = pl.mul(share{n}, share{n})
        narrow{n} = pl.cast(mixed{n}, pl.BF16)
        y[{r} : {r} + 64, :] = narrow{n}
"""

#: Products of tiles through the cube's buffers, and the vector work on rows that were loaded beside them; 20 statements.
_TILE_BLOCK = """\
        for i{n} in pl.range(4):
            r{n} = i{n} * 64
            a_mat = pl.load(a, [r{n}, {a}], [64, 64], target_memory=pl.Mem.Mat)
            b_mat = pl.load(b, [{a}, 0], [64, 64], target_memory=pl.Mem.Mat)
            a_left = pl.move(a_mat, target_memory=pl.Mem.Left)
            b_right = pl.move(b_mat, target_memory=pl.Mem.Right)
            acc = pl.tile.matmul(a_left, b_right)
            c = pl.store(acc, [r{n}, {a}], c)
        rows{n} = pl.load(x, [{r}, 0], [32, 64])
        wide{n} = pl.tile.muls(rows{n}, SCALE)
        best{n} = pl.tile.row_max(wide{n}, pl.tile.create([32, 64], dtype=pl.FP32))
        low{n} = pl.tile.row_expand_sub(wide{n}, best{n})
        grown{n} = pl.tile.exp(low{n})
        total{n} = pl.tile.row_sum(grown{n}, pl.tile.create([32, 64], dtype=pl.FP32))
        share{n} = pl.tile.row_expand_div(grown{n}, total{n})
        if flag > {n}:
            kept = pl.tile.adds(share{n}, 1.0)
        else:
            kept = pl.tile.muls(share{n}, 2.0)
        y = pl.store(kept, [{r}, 0], y)
"""


def _blocks(block: str, statements: int, each: int, rows: int) -> tuple[str, int]:
    count = max(statements // each, 1)
    return "".join(block.format(n=n, a=64 * (n % 8), r=rows * n) for n in range(count)), count


def mixed_kernel(statements: int) -> str:
    """A file with one kernel of tensors on both cores, rows shared by both lanes, of about ``statements`` statements."""
    body, count = _blocks(_MIXED_BLOCK, statements, 25, 64)
    return (
        f"{_HEAD}SCALE = {EDIT[0]}\n\n\n"
        f"@pl.jit\n"
        f"def mixed_kernel(\n"
        f"    q: pl.Tensor[[64, 64], pl.BF16],\n"
        f"    k: pl.Tensor[[512, 64], pl.BF16],\n"
        f"    v: pl.Tensor[[512, 64], pl.BF16],\n"
        f"    x: pl.Tensor[[64, 512], pl.BF16],\n"
        f"    w: pl.Tensor[[512, 64], pl.BF16],\n"
        f"    bias: pl.Tensor[[1, 64], pl.FP32],\n"
        f"    o: pl.Out[pl.Tensor[[{64 * count}, 64], pl.FP32]],\n"
        f"    y: pl.Out[pl.Tensor[[{64 * count}, 64], pl.BF16]],\n"
        f"):\n"
        f'    with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN)], name_hint="mixed"):\n'
        f"{body}"
        f"    return o, y\n"
    )


def tile_kernel(statements: int) -> str:
    """A file with one kernel of tiles, of about ``statements`` statements."""
    body, count = _blocks(_TILE_BLOCK, statements, 20, 32)
    return (
        f"{_HEAD}SCALE = {EDIT[0]}\n\n\n"
        f"@pl.jit\n"
        f"def tile_kernel(\n"
        f"    a: pl.Tensor[[256, 512], pl.BF16],\n"
        f"    b: pl.Tensor[[512, 64], pl.BF16],\n"
        f"    x: pl.Tensor[[{32 * count}, 64], pl.FP32],\n"
        f"    flag: pl.Scalar[pl.INDEX],\n"
        f"    c: pl.Out[pl.Tensor[[256, 512], pl.FP32]],\n"
        f"    y: pl.Out[pl.Tensor[[{32 * count}, 64], pl.FP32]],\n"
        f"):\n"
        f'    with pl.at(level=pl.Level.CORE_GROUP, name_hint="tiles"):\n'
        f"{body}"
        f"    return c, y\n"
    )


def nested_kernel(depth: int) -> str:
    """A kernel of ``depth`` loops and branches inside one another, one statement on each level."""
    lines = []
    for level in range(depth):
        indent = "    " * (level + 2)
        head = f"for i{level} in pl.range(2):" if level % 2 == 0 else f"if i{level - 1} > 0:"
        lines += [f"{indent}{head}", f"{indent}    t = pl.add(t, 1.0)"]
    body = "\n".join(lines)
    return (
        f"{_HEAD}@pl.jit\n"
        f"def nested_kernel(x: pl.Tensor[[32, 64], pl.FP32], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):\n"
        f'    with pl.at(level=pl.Level.CORE_GROUP, name_hint="nested"):\n'
        f"        t = pl.mul(x[:, :], 1.0)\n"
        f"{body}\n"
        f"        y[:, :] = t\n"
        f"    return y\n"
    )


#: A task for the cores per block, reading what the one before wrote; 8 statements.
_TASK_BLOCK = """\
    for r{n} in pl.parallel(0, 256, 32):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="task{n}"):
            rows = pl.cast(x[r{n} : r{n} + 32, :], pl.FP32)
            best = pl.row_max(rows)
            grown = pl.exp(pl.row_expand_sub(rows, best))
            share = pl.matmul(pl.cast(grown, pl.BF16), w, out_dtype=pl.FP32)
            t{n}[r{n} : r{n} + 32, :] = pl.mul(share, SCALE)
    y = pl.assemble(y, t{n}, [{r}, 0])
"""


def task_kernel(statements: int) -> str:
    """A file with one orchestration of many small kernels, of about ``statements`` statements."""
    body, count = _blocks(
        "    t{n} = pl.create_tensor([256, 64], dtype=pl.FP32)\n" + _TASK_BLOCK, statements, 9, 256
    )
    return (
        f"{_HEAD}SCALE = {EDIT[0]}\n\n\n"
        f"@pl.jit\n"
        f"def task_kernel(\n"
        f"    x: pl.Tensor[[256, 64], pl.BF16],\n"
        f"    w: pl.Tensor[[64, 64], pl.BF16],\n"
        f"    y: pl.Out[pl.Tensor[[{256 * count}, 64], pl.FP32]],\n"
        f"):\n"
        f"{body}"
        f"    return y\n"
    )


#: Constants that branches compare with, and a value that every branch and loop makes another; 6 statements.
_BRANCH_BLOCK = """\
        c{n} = {n}
        if flag > c{n}:
            t = pl.add(t, SCALE)
        for i{n} in pl.range(4):
            u{n} = pl.mul(t, 0.5)
            t = pl.add(u{n}, t)
"""


def branch_kernel(statements: int) -> str:
    """A file with one kernel of many branches and loops behind one another, of about ``statements`` statements."""
    body, _ = _blocks(_BRANCH_BLOCK, statements, 6, 0)
    return (
        f"{_HEAD}SCALE = {EDIT[0]}\n\n\n"
        f"@pl.jit\n"
        f"def branch_kernel(\n"
        f"    x: pl.Tensor[[32, 64], pl.FP32], flag: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]\n"
        f"):\n"
        f'    with pl.at(level=pl.Level.CORE_GROUP, name_hint="branches"):\n'
        f"        t = pl.mul(x[:, :], 1.0)\n"
        f"{body}"
        f"        y[:, :] = t\n"
        f"    return y\n"
    )
