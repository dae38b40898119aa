"""Measures on tensors beside TorchMetrics' retrieval metrics, on a processor: the same values, in one run.

    python benchmarks/learn_cpu.py --output benchmarks/learn_cpu.txt

TorchMetrics and ours take turns, and the medians of processor time are compared, which other work on the machine changes
little; both begin with tensors and end with one number. Scores are above 0, because to most of TorchMetrics' metrics a
document with another score was not found.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch
import torchmetrics
from torchmetrics import retrieval

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from idealist import Conventions
from idealist.learn import evaluate_tensors

# Ours, theirs, and whether theirs takes grades or only whether a document is relevant.
PAIRS: list[tuple[str, Callable[[], torchmetrics.Metric], bool]] = [
    ("nDCG@10", lambda: retrieval.RetrievalNormalizedDCG(top_k=10), True),
    ("nDCG", lambda: retrieval.RetrievalNormalizedDCG(), True),
    ("AP", lambda: retrieval.RetrievalMAP(), False),
    ("AP(divisor=found)@10", lambda: retrieval.RetrievalMAP(top_k=10), False),
    ("RR", lambda: retrieval.RetrievalMRR(), False),
    ("P@10", lambda: retrieval.RetrievalPrecision(top_k=10), False),
    ("R@10", lambda: retrieval.RetrievalRecall(top_k=10), False),
    ("Success@10", lambda: retrieval.RetrievalHitRate(top_k=10), False),
    ("Rprec", lambda: retrieval.RetrievalRPrecision(), False),
]
BY_INDEX = Conventions(ties="input-order")


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=4_000)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", help="a file for what is printed")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(arguments.threads)
    lines: list[str] = []

    def say(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    rows, columns = arguments.queries, arguments.documents
    generator = torch.Generator().manual_seed(0)
    scores = torch.rand(rows, columns, generator=generator) + 0.01
    grades = torch.randint(0, 5, (rows, columns), generator=generator)
    relevant = (torch.rand(rows, columns, generator=generator) < 0.1).long()
    queries = torch.arange(rows).repeat_interleave(columns)
    say(
        f"{rows:,} × {columns:,}, {arguments.threads} thread(s), torch {torch.__version__}, "
        f"TorchMetrics {torchmetrics.__version__}, Python {platform.python_version()}"
    )
    say(f"{'':22} {'TorchMetrics':>14} {'ours':>10} {'ratio':>7} {'means differ by':>16}")
    for measure, make, graded in PAIRS:
        labels = grades if graded else relevant

        def theirs() -> torch.Tensor:
            metric = make()  # noqa: B023
            metric.update(scores.flatten(), labels.flatten(), indexes=queries)  # noqa: B023
            return metric.compute()

        def ours() -> torch.Tensor:
            return evaluate_tensors(labels, scores, measure, conventions=BY_INDEX).mean(measure)  # noqa: B023

        gap = abs(float(theirs()) - float(ours()))
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(arguments.rounds):
            times[0].append(seconds(theirs))
            times[1].extend(seconds(ours) for _ in range(5))
        slow, quick = median(times[0]), median(times[1])
        say(f"{measure:22} {slow * 1e3:>11.0f} ms {quick * 1e3:>7.2f} ms {slow / quick:>6.0f}× {gap:>16.1e}")
    if arguments.output:
        Path(arguments.output).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
