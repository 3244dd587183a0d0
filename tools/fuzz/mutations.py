"""Ways in which a kernel becomes wrong: tokens, statements, constants, nesting, parts of other kernels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

#: Tokens of Python text, coarse: names, numbers, strings, operators. Whitespace between them is kept as it is.
_TOKEN = re.compile(
    r"[A-Za-z_]\w*|\d+\.\d+(?:[eE][-+]?\d+)?|0x[0-9a-fA-F]+|\d+|\"[^\"\n]*\"|'[^'\n]*'|\*\*|//|<<|>>|[-+*/%<>=!]=|->|[^\s\w]"
)
_NUMBERS = (
    "0", "1", "-1", "2", "3", "7", "8", "15", "16", "17", "31", "64", "128", "513", "4096", "65536", "2**31", "2**63", "10**30", "0.5", "1e308", "1e-45",
    "True", "None", "-0.0", "float('nan')", "float('inf')", "'x'", "()", "[]", "N", "pl.dynamic('N')",
)  # fmt: skip
_DTYPES = ("FP32", "FP16", "BF16", "INT8", "INT32", "UINT8", "BOOL", "INDEX", "FP8E4M3FN", "INT64")
_SPACES = ("Vec", "Mat", "Left", "Right", "Acc", "DDR", "Bias")
_OPERATIONS = (
    "add", "mul", "exp", "row_max", "col_max", "row_sum", "matmul", "matmul_acc", "cast", "aiv_shard", "aic_gather", "load", "store", "move", "slice",
    "reshape", "transpose", "create_tensor", "full", "yield_", "range", "parallel", "pipeline", "split_aiv", "at", "spmd", "tpush_to_aic", "tpop_from_aiv",
    "assemble", "concat", "set_validshape", "row_expand_mul", "col_expand", "scatter", "gather", "sort32", "read", "write", "dim", "const", "fillpad",
)  # fmt: skip
_HEADERS = (
    "if True:", "if x > 0:", "while True:", "for i in pl.range(4):", "for i in pl.parallel(0, 8, 2):", "for i in pl.pipeline(4, stage=2):", "for i in pl.unroll(3):",
    "for _ in pl.split_aiv(2, mode=pl.SplitMode.NONE):", "for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):",
    "for lane in pl.split_aiv(2, mode=pl.SplitMode.LEFT_RIGHT):", "with pl.at(level=pl.Level.CORE_GROUP):", "with pl.cluster():", "with pl.spmd(4):",
    "with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN)]):", "with pl.incore():", "with pl.manual_scope():", "try:", "def inner(x):",
    "for i, (a, b) in pl.range(4, init_values=(x, y)):", "with pl.auto_incore():", "class Inner:", "async def inner():", "match x:",
)  # fmt: skip
_LINES = (
    "break", "continue", "return", "pass", "yield x", "x = x", "x, y = y, x", "x = pl.yield_(x)", "raise ValueError", "del x", "global x", "import os",
    "pl.free(x)", "assert x", "x: int = 3", "x += 1", "x[0:1, 0:1] = x", "x = lambda: x", "print(x)", "x = [x, x]", "x = pl.aiv_shard(x)", "return x, y",
    "x = pl.add(x, x)", "x = pl.matmul(x, x)", "x = 1 if x else 2", "x = x @ y", "x = (y := 3)", "await x", "x = f'{x}'", "@x",
)  # fmt: skip

Mutation = Callable[[str, Random, Sequence[str]], str]


def _tokens(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _TOKEN.finditer(text)]


def _some_token(text: str, random: Random) -> tuple[int, int]:
    """A token, most often one of the second half of the file: what stands before is often only imports."""
    tokens = _tokens(text)
    if not tokens:
        return 0, 0
    low = 0 if random.random() < 0.3 else len(tokens) // 4
    return tokens[random.randrange(low, len(tokens))]


def delete_token(text: str, random: Random, others: Sequence[str]) -> str:
    start, end = _some_token(text, random)
    return text[:start] + text[end:]


def repeat_token(text: str, random: Random, others: Sequence[str]) -> str:
    start, end = _some_token(text, random)
    return text[:end] + random.choice(["", " ", ", "]) + text[start:end] + text[end:]


def swap_tokens(text: str, random: Random, others: Sequence[str]) -> str:
    first, second = sorted((_some_token(text, random), _some_token(text, random)))
    if first[1] > second[0]:
        return text
    return (
        text[: first[0]]
        + text[slice(*second)]
        + text[first[1] : second[0]]
        + text[slice(*first)]
        + text[second[1] :]
    )


def _replaced(text: str, pattern: str, random: Random, choices: Sequence[str]) -> str:
    found = [match.span() for match in re.finditer(pattern, text)]
    if not found:
        return text
    start, end = random.choice(found)
    return text[:start] + random.choice(choices) + text[end:]


def change_number(text: str, random: Random, others: Sequence[str]) -> str:
    return _replaced(text, r"\b\d+(?:\.\d+)?\b", random, _NUMBERS)


def change_dtype(text: str, random: Random, others: Sequence[str]) -> str:
    return _replaced(text, r"\b(?:FP32|FP16|BF16|INT\d+|UINT\d+|BOOL|INDEX)\b", random, _DTYPES)


def change_space(text: str, random: Random, others: Sequence[str]) -> str:
    return _replaced(text, r"(?<=Mem\.)\w+", random, _SPACES)


def change_operation(text: str, random: Random, others: Sequence[str]) -> str:
    return _replaced(text, r"(?<=pl\.)[a-z]\w*(?=\()", random, _OPERATIONS)


def change_mode(text: str, random: Random, others: Sequence[str]) -> str:
    return _replaced(text, r"(?<=SplitMode\.)\w+", random, ("NONE", "UP_DOWN", "LEFT_RIGHT", "SIDEWAYS"))


def change_name(text: str, random: Random, others: Sequence[str]) -> str:
    names = sorted(set(re.findall(r"\b[a-z_]\w*\b", text)))
    return _replaced(text, r"\b[a-z_]\w*\b", random, names) if names else text


def _line_range(lines: list[str], random: Random) -> tuple[int, int]:
    start = random.randrange(len(lines))
    return start, min(len(lines), start + random.choice([1, 1, 1, 1, 2, 3, 5]))


def delete_lines(text: str, random: Random, others: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    start, end = _line_range(lines, random)
    return "".join(lines[:start] + lines[end:])


def repeat_lines(text: str, random: Random, others: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    start, end = _line_range(lines, random)
    return "".join(lines[:end] + lines[start:end] + lines[end:])


def move_lines(text: str, random: Random, others: Sequence[str]) -> str:
    """Statements elsewhere, at the depth of their new neighbour."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 3:
        return text
    start, end = _line_range(lines, random)
    moved, rest = lines[start:end], lines[:start] + lines[end:]
    at = random.randrange(len(rest) + 1)
    if at < len(rest) and random.random() < 0.8:
        moved = _at_depth(moved, _indent(rest[at]))
    return "".join(rest[:at] + moved + rest[at:])


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))] if line.strip() else ""


def _at_depth(lines: list[str], indent: str) -> list[str]:
    own = min((len(_indent(line)) for line in lines if line.strip()), default=0)
    return [indent + line[own:] if line.strip() else line for line in lines]


def change_depth(text: str, random: Random, others: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    start, end = _line_range(lines, random)
    deeper = random.random() < 0.5
    changed = ["    " + line if deeper else line[min(4, len(_indent(line))) :] for line in lines[start:end]]
    return "".join(lines[:start] + changed + lines[end:])


def nest(text: str, random: Random, others: Sequence[str]) -> str:
    """Statements below a new header of some kind."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    start, end = _line_range(lines, random)
    header = _indent(lines[start]) + _with_names(random.choice(_HEADERS), text, random) + "\n"
    return "".join([*lines[:start], header, *("    " + line for line in lines[start:end]), *lines[end:]])


def unnest(text: str, random: Random, others: Sequence[str]) -> str:
    """A header taken away, what stands below it one level out."""
    lines = text.splitlines(keepends=True)
    headers = [
        i
        for i, line in enumerate(lines)
        if line.rstrip().endswith(":") and line.strip().startswith(("for", "with", "if", "while"))
    ]
    if not headers:
        return text
    at = random.choice(headers)
    depth = len(_indent(lines[at]))
    end = at + 1
    while end < len(lines) and (not lines[end].strip() or len(_indent(lines[end])) > depth):
        end += 1
    return "".join(
        lines[:at] + [line[min(4, len(_indent(line))) :] for line in lines[at + 1 : end]] + lines[end:]
    )


def insert_line(text: str, random: Random, others: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    at = random.randrange(len(lines) + 1)
    indent = _indent(lines[at]) if at < len(lines) else "    "
    line = indent + _with_names(random.choice(_LINES), text, random) + "\n"
    return "".join([*lines[:at], line, *lines[at:]])


def _with_names(line: str, text: str, random: Random) -> str:
    """``x`` and ``y`` of a pattern become names of the file."""
    names = re.findall(r"^\s+([a-z_]\w*)(?:\s*:[^=\n]*)?\s*=", text, re.MULTILINE) or ["x"]
    return re.sub(r"\b[xy]\b", lambda match: random.choice(names), line)


def splice(text: str, random: Random, others: Sequence[str]) -> str:
    """Statements of another kernel in the middle of this one."""
    lines = text.splitlines(keepends=True)
    theirs = random.choice(others).splitlines(keepends=True)
    if not lines or not theirs:
        return text
    start, end = _line_range(theirs, random)
    at = random.randrange(len(lines))
    return "".join(lines[:at] + _at_depth(theirs[start:end], _indent(lines[at])) + lines[at:])


def replace_expression(text: str, random: Random, others: Sequence[str]) -> str:
    """A bracketed part becomes another one of the file."""
    parts = [match.span() for match in re.finditer(r"\([^()\n]*\)|\[[^\[\]\n]*\]", text)]
    if not parts:
        return text
    (start, end), other = random.choice(parts), random.choice(parts)
    return text[:start] + text[slice(*other)] + text[end:]


def wrap_expression(text: str, random: Random, others: Sequence[str]) -> str:
    names = [match.span() for match in re.finditer(r"(?<=[(,= ])[a-z_]\w*(?=[),\n])", text)]
    if not names:
        return text
    start, end = random.choice(names)
    form = random.choice(
        [
            "pl.{0}({1})",
            "pl.{0}({1}, {1})",
            "({1}, {1})",
            "-{1}",
            "[{1}]",
            "{1}[0]",
            "{1}[0:8, :]",
            "{1}.shape[0]",
            "{1} + {1}",
            "not {1}",
            "{1} < {1} < {1}",
        ]
    )
    return text[:start] + form.format(random.choice(_OPERATIONS), text[start:end]) + text[end:]


def noise(text: str, random: Random, others: Sequence[str]) -> str:
    at = random.randrange(len(text) + 1)
    return (
        text[:at]
        + random.choice(
            [
                "\x00",
                "\t",
                "\r",
                "\f",
                "\\",
                '"""',
                "'",
                "#",
                "(",
                ")",
                "{",
                "é",
                "\u2028",
                "\ud7ff",
                "🙂",
                ";",
                ":",
                "\\\n",
                "@",
                "`",
            ]
        )
        + text[at:]
    )


def cut(text: str, random: Random, others: Sequence[str]) -> str:
    return text[: random.randrange(len(text) + 1)]


MUTATIONS: tuple[Mutation, ...] = (
    delete_token, repeat_token, swap_tokens, change_number, change_number, change_dtype, change_space, change_operation, change_operation, change_mode,
    change_name, change_name, delete_lines, repeat_lines, move_lines, move_lines, change_depth, nest, nest, unnest, insert_line, splice, replace_expression,
    wrap_expression, wrap_expression, noise, cut,
)  # fmt: skip


def mutated(seed: int, number: int, corpus: Sequence[str]) -> str:
    """Case ``number`` of a run; the same for the same seed and corpus."""
    random = Random(f"{seed}:{number}")
    text = random.choice(corpus)
    for _ in range(random.choice([1, 1, 1, 2, 2, 3, 5])):
        text = random.choice(MUTATIONS)(text, random, corpus)
    return text
