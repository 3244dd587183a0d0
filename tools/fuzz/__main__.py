"""``python -m tools.fuzz --minutes 30``: mutate, analyse, report each new crash with a small text that shows it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path

import pypto_core as pc
from tools.fuzz.analysis import Crash, crash_of, reduced
from tools.fuzz.mutations import mutated

ROOT = Path(__file__).parents[2]
BACKENDS = ("a2a3", "a5", "a2a3", None)
_BATCH = 20


def corpus() -> list[str]:
    """Right and wrong kernels of all kinds: the golden sources, the samples, the examples of the rules."""
    files = [*sorted((ROOT / "tests/golden").rglob("*.py")), *sorted((ROOT / "docs/samples").glob("*.py"))]
    texts = [file.read_text(encoding="utf-8") for file in files]
    for _, rule in sorted(pc.rules().items()):
        texts += [text for text in (rule.failing, rule.repaired) if text]
    return [text for text in texts if len(text) < 20_000]


def case(seed: int, number: int, texts: Sequence[str]) -> tuple[str, str | None]:
    """Text and backend of a case."""
    return mutated(seed, number, texts), BACKENDS[number % len(BACKENDS)]


def crashes(seed: int, numbers: range, texts: Sequence[str]) -> Iterator[tuple[int, Crash]]:
    """The crashes of some cases."""
    for number in numbers:
        crash = crash_of(*case(seed, number, texts))
        if crash is not None:
            yield number, crash


_texts: list[str] = []


def _batch(seed: int, numbers: range) -> list[tuple[int, Crash]]:
    if not _texts:
        _texts.extend(corpus())
    return list(crashes(seed, numbers, _texts))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT / "build/fuzz", help="folder for texts that crash")
    options = parser.parse_args()
    texts = corpus()
    end = time.monotonic() + options.minutes * 60
    seen: dict[str, int] = {}
    done, next_number = 0, options.start
    with ProcessPoolExecutor(options.jobs) as pool:
        running: set[Future[list[tuple[int, Crash]]]] = set()
        while running or time.monotonic() < end:
            while len(running) < options.jobs + 1 and time.monotonic() < end:
                running.add(pool.submit(_batch, options.seed, range(next_number, next_number + _BATCH)))
                next_number += _BATCH
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                done += _BATCH
                for number, crash in future.result():
                    seen[crash.what] = seen.get(crash.what, 0) + 1
                    if seen[crash.what] == 1:
                        _show(options.seed, number, crash, texts, options.out)
    print(f"{done} kernels, {len(seen)} kinds of crashes")
    for what, count in sorted(seen.items(), key=lambda item: -item[1]):
        print(f"{count:6} {what}")
    return 1 if seen else 0


def _show(seed: int, number: int, crash: Crash, texts: Sequence[str], out: Path) -> None:
    text, backend = case(seed, number, texts)
    small = text if crash.what.startswith("hang") else reduced(text, backend, crash.what)
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{seed}_{number}_{backend}.py"
    file.write_text(small, encoding="utf-8", newline="")
    print(
        f"\n=== case {number} (seed {seed}, {backend}): {crash.what}\n{crash.details}\n--- {file}\n{small}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
