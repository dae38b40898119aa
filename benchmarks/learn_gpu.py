"""nDCG@10 of tensors that lie on a GPU: the Triton kernels beside plain PyTorch and TorchMetrics.

    python benchmarks/learn_gpu.py --output benchmarks/learn_gpu.txt
    python benchmarks/learn_gpu.py --tune

Values are compared with plain PyTorch's first, ties included. Times are medians by CUDA events. Needs torch, triton
and NumPy; the native core is not used, and may be missing.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import sys
import types
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))


def _without_native_core() -> None:
    """A machine that is lent for its GPU may have no core built for its Python; nothing here calls it."""
    try:
        importlib.import_module("idealist.kernels._native")
    except ImportError:

        class StandIn(types.ModuleType):
            def __getattr__(self, name: str) -> Any:
                if name.startswith("__"):
                    raise AttributeError(name)
                return type(name, (), {"__init__": lambda self, *args, **kwargs: None})

        for name in [name for name in sys.modules if name.partition(".")[0] == "idealist"]:
            del sys.modules[name]
        sys.modules["idealist.kernels._native"] = StandIn("idealist.kernels._native")


_without_native_core()

from idealist import NDCG, Conventions  # noqa: E402
from idealist.learn.tensors import fused  # noqa: E402
from idealist.learn.tensors import tensor_evaluation as il_tensors  # noqa: E402

SHAPES = ((1_000_000, 100), (100_000, 1_000), (200, 1_000_000))
GOALS = {(1_000_000, 100): 0.7, (100_000, 1_000): 0.9, (200, 1_000_000): 2.0}
K = 10
MEASURE = NDCG(k=K)
CONVENTIONS = {ties: Conventions(ties=ties) for ties in ("input-order", "id-descending", "averaged")}


def drawn(rows: int, columns: int, *, ties: bool = False, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores of 32 bits and grades 0 to 4; with `ties`, few different scores."""
    generator = torch.Generator(device="cuda").manual_seed(seed)
    scores = torch.randn(rows, columns, device="cuda", generator=generator)
    if ties:
        scores = (scores * 8).round() / 8
    grades = torch.randint(0, 5, (rows, columns), dtype=torch.int32, device="cuda", generator=generator)
    return scores, grades


def by_sort(scores: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
    """nDCG@10 as one writes it: a stable sort of the scores, a sort of the grades."""
    order = scores.sort(dim=1, descending=True, stable=True).indices[:, :K]
    return shares(grades.gather(1, order), grades.sort(dim=1, descending=True).values[:, :K])


def by_topk(scores: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
    """The same with topk, whose order of equal scores is not defined."""
    order = scores.topk(K, dim=1).indices
    return shares(grades.gather(1, order), grades.topk(K, dim=1).values)


def shares(found: torch.Tensor, best: torch.Tensor) -> torch.Tensor:
    discounts = 1 / torch.log2(torch.arange(2, found.shape[1] + 2, device=found.device, dtype=torch.float32))
    return (found * discounts).sum(1) / (best * discounts).sum(1)


def by_us(scores: torch.Tensor, grades: torch.Tensor, ties: str = "input-order") -> torch.Tensor:
    """What anybody calls."""
    return il_tensors.evaluate_tensors(grades, scores, MEASURE, conventions=CONVENTIONS[ties]).values(MEASURE)


def by_kernels(scores: torch.Tensor, grades: torch.Tensor, launch: Any) -> torch.Tensor:
    """The kernel alone, launched in some way."""
    flag = torch.zeros(1, dtype=torch.int32, device="cuda")
    return fused.gain_sums(scores, grades, "linear", "log2", K, flag, launch=launch)[2]


def milliseconds(work: Callable[[], Any], repeats: int = 25) -> float:
    for _ in range(3):
        work()
    times = []
    for _ in range(repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return float(median(times))


def check(say: Callable[[str], None]) -> None:
    """The kernels' values beside those of a sort in double precision."""
    for rows, columns in (
        (20_011, 100),
        (5_003, 37),
        (2_001, 1_000),
        (1_003, 300),
        (7, 100_003),
        (3, 1_000_000),
    ):
        for ties in (False, True):
            scores, grades = drawn(rows, columns, ties=ties, seed=columns)
            order = scores.sort(dim=1, descending=True, stable=True).indices[:, :K]
            discounts = 1 / torch.log2(torch.arange(2, K + 2, device="cuda", dtype=torch.float64))
            found = (grades.gather(1, order) * discounts).sum(1)
            best = (grades.sort(dim=1, descending=True).values[:, :K] * discounts).sum(1)
            gap = float((by_us(scores, grades) - found / best).abs().max())
            say(
                f"values {rows:>7,} × {columns:<9,} {'ties' if ties else '    '} largest difference {gap:.1e}"
            )
            assert gap < 1e-6, "the kernels are wrong"
    scores, grades = drawn(50, 100)
    scores[7, 3] = float("nan")
    try:
        by_us(scores, grades)
    except ValueError as error:
        say(f"nan is refused: {str(error).splitlines()[0]}")
    else:
        raise AssertionError("nan passed the kernels")


def table(say: Callable[[str], None]) -> None:
    say(
        f"{'queries × documents':>22} {'goal':>6} {'ours':>8} {'ours, ties by id':>18} {'ours, averaged ties':>20} "
        f"{'sort':>8} {'topk':>8}  ms"
    )
    for shape in SHAPES:
        say(line_of(*shape))


def line_of(rows: int, columns: int) -> str:
    both = drawn(rows, columns)
    ours = milliseconds(partial(by_us, *both))
    by_id = milliseconds(partial(by_us, *both, "id-descending"))
    averaged = milliseconds(partial(by_us, *both, "averaged"), 7)
    sort, topk = milliseconds(partial(by_sort, *both), 7), milliseconds(partial(by_topk, *both), 7)
    return (
        f"{rows:>12,} × {columns:<9,} {GOALS[rows, columns]:>4} {ours:>8.3f} {by_id:>18.3f} {averaged:>20.2f} "
        f"{sort:>8.2f} {topk:>8.2f}"
    )


def torchmetrics_line(say: Callable[[str], None]) -> None:
    try:
        from torchmetrics.retrieval import RetrievalNormalizedDCG
    except ImportError:
        say("TorchMetrics is not installed")
        return
    rows, columns = 4_000, 100
    scores, grades = drawn(rows, columns)
    queries = torch.arange(rows, device="cuda").repeat_interleave(columns)

    def theirs() -> torch.Tensor:
        metric = RetrievalNormalizedDCG(top_k=K).to("cuda")
        metric.update(scores.flatten(), grades.flatten().long(), indexes=queries)
        return metric.compute()

    gap = abs(float(theirs()) - float(by_us(scores, grades).mean()))
    say(
        f"{rows:,} × {columns}: TorchMetrics {milliseconds(theirs, 3):.0f} ms, ours "
        f"{milliseconds(partial(by_us, scores, grades)):.3f} ms; the means differ by {gap:.1e}"
    )


def tune(say: Callable[[str], None]) -> None:
    """Every launch of the row kernel, and lengths of segments."""
    for rows, columns in SHAPES[:2]:
        both = drawn(rows, columns)
        block = 1 << (columns - 1).bit_length()
        found = []
        for fours, per_program, warps in product((True, False), (1, 2, 4, 8), (1, 2, 4)):
            if 32 * warps <= per_program * block <= 8192:
                launch = fused.Launch(rows=per_program, block=block, warps=warps, fours=fours)
                found.append((tried(partial(by_kernels, *both, launch)), launch))
        say(f"{rows:,} × {columns:,}")
        for took, launch in sorted(found, key=lambda one: one[0])[:12]:
            say(f"  {took:7.3f} ms  {launch}")
    rows, columns = SHAPES[2]
    scores, grades = drawn(rows, columns)
    say(f"{rows:,} × {columns:,}")
    tables = fused.gain_tables("linear", "log2", K, scores.device)
    flag = torch.zeros(1, dtype=torch.int32, device="cuda")
    segmented = partial(fused._segmented_sums, scores, grades, tables, K, flag, None, None)
    for segment, warps in product((1024, 2048, 4096, 8192), (1, 2, 4, 8)):
        if 128 * warps <= segment <= 4096 * warps:
            say(
                f"  {tried(partial(segmented, segment=segment, warps=warps)):7.3f} ms  segment {segment}, warps {warps}"
            )


def tried(work: Callable[[], Any]) -> float:
    try:
        return milliseconds(work)
    except Exception as error:  # a launch that the compiler or the device refuses
        print(f"{type(error).__name__}: {error}"[:200])
        return float("inf")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", help="a file for what is printed")
    parser.add_argument("--tune", action="store_true", help="try other launches of the kernels")
    arguments = parser.parse_args()
    lines: list[str] = []

    def say(line: str) -> None:
        print(line, flush=True)
        lines.append(line)
        if arguments.output:  # what was measured stays, whatever comes
            Path(arguments.output).write_text("\n".join(lines) + "\n", encoding="utf-8")

    triton = importlib.import_module("triton")
    say(
        f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__}, "
        f"Python {platform.python_version()}"
    )
    check(say)
    table(say)
    torchmetrics_line(say)
    if arguments.tune:
        tune(say)


if __name__ == "__main__":
    main()
