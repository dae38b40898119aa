"""Losses over pairs of documents: ours beside the same formulas in plain PyTorch, forward and backward.

`python benchmarks/learn_losses.py` prints, for 64 lists × 1,000 documents and 8 × 5,000, the median time of a step, the peak
memory it takes beyond what was there, and how far values and gradients are apart. On a GPU if there is one (memory is the
allocator's peak), else on the CPU with one thread (memory is that of a process of its own). `--cpu` chooses the CPU.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter

import torch

from idealist.learn.losses import LambdaLoss, LambdaRank, NeuralNDCG, PiRank, RankNet, Soft
from idealist.show import Table

Form = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
SHAPES = [(64, 1000), (8, 5000)]
ROUNDS = 7
TEMPERATURE = 0.1


def gains_and_ideal(grades: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    gains = torch.exp2(grades) - 1
    discounts = 1 / torch.log2(torch.arange(2, grades.shape[1] + 2, device=grades.device))
    return gains, (gains.sort(dim=-1, descending=True).values * discounts).sum(dim=-1)


def naive_ranknet(scores: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
    better = grades[:, :, None] > grades[:, None, :]
    losses = torch.nn.functional.softplus(scores[:, None, :] - scores[:, :, None])
    return ((losses * better).sum(dim=(1, 2)) / better.sum(dim=(1, 2))).mean()


def naive_lambdarank(scores: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
    gains, ideal = gains_and_ideal(grades)
    ranks = scores.detach().argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
    discounts = 1 / torch.log2(ranks + 2)
    weights = (gains[:, :, None] - gains[:, None, :]).abs() * (
        discounts[:, :, None] - discounts[:, None, :]
    ).abs()
    losses = torch.nn.functional.softplus(scores[:, None, :] - scores[:, :, None])
    better = grades[:, :, None] > grades[:, None, :]
    return ((losses * weights * better).sum(dim=(1, 2)) / ideal).mean()


def naive_lambdaloss(scores: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
    gains, ideal = gains_and_ideal(grades)
    ranks = scores.detach().argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
    discounts = 1 / torch.log2(ranks + 2)
    apart = (ranks[:, :, None] - ranks[:, None, :]).abs()
    deltas = (1 / torch.log2(apart + 1.0).clamp(min=1e-9) - 1 / torch.log2(apart + 2)).abs()
    deltas = deltas.masked_fill(apart == 0, 0)
    swaps = (discounts[:, :, None] - discounts[:, None, :]).abs()
    weights = (gains[:, :, None] - gains[:, None, :]).abs() * (swaps + 10 * deltas)
    losses = torch.nn.functional.softplus(scores[:, None, :] - scores[:, :, None]) / torch.log(
        torch.tensor(2.0)
    )
    better = grades[:, :, None] > grades[:, None, :]
    return ((losses * weights * better).sum(dim=(1, 2)) / ideal).mean()


def naive_approx_ndcg(scores: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
    gains, ideal = gains_and_ideal(grades)
    steps = torch.sigmoid((scores[:, None, :] - scores[:, :, None]) / TEMPERATURE)
    ranks = 0.5 + steps.sum(dim=-1)
    return -((gains / torch.log2(1 + ranks)).sum(dim=-1) / ideal).mean()


def naive_sort(scores: torch.Tensor) -> torch.Tensor:
    """The matrix of NeuralSort, all rows."""
    length = scores.shape[1]
    distances = (scores[:, :, None] - scores[:, None, :]).abs().sum(dim=-1)
    steps = length + 1 - 2 * torch.arange(1, length + 1, device=scores.device, dtype=scores.dtype)
    return (steps[None, :, None] * scores[:, None, :] - distances[:, None, :]).softmax(dim=-1)


def naive_pirank(scores: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
    gains, ideal = gains_and_ideal(grades)
    held = (naive_sort(scores) * gains[:, None, :]).sum(dim=-1)
    discounts = 1 / torch.log2(torch.arange(2, scores.shape[1] + 2, device=scores.device))
    return -((held * discounts).sum(dim=-1) / ideal).mean()


def naive_neural_ndcg(scores: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
    """With five steps of scaling: fifty would keep a hundred matrices."""
    gains, ideal = gains_and_ideal(grades)
    matrix = naive_sort(scores)
    for _ in range(5):
        matrix = matrix / matrix.sum(dim=1, keepdim=True)
        matrix = matrix / matrix.sum(dim=2, keepdim=True)
    held = (matrix * gains[:, None, :]).sum(dim=-1)
    discounts = 1 / torch.log2(torch.arange(2, scores.shape[1] + 2, device=scores.device))
    return -((held * discounts).sum(dim=-1) / ideal).mean()


LOSSES: dict[str, tuple[Form, Form]] = {
    "RankNet": (naive_ranknet, RankNet("nDCG(gain=exp)")),
    "LambdaRank": (naive_lambdarank, LambdaRank("nDCG(gain=exp)")),
    "LambdaLoss 2++": (naive_lambdaloss, LambdaLoss("nDCG(gain=exp)")),
    "ApproxNDCG": (naive_approx_ndcg, Soft("nDCG(gain=exp)", temperature=TEMPERATURE)),
    "PiRank": (naive_pirank, PiRank("nDCG(gain=exp)")),
    "NeuralNDCG, 5 steps": (
        naive_neural_ndcg,
        NeuralNDCG("nDCG(gain=exp)", steps=5, tolerance=1e-30),
    ),
}


def batch(shape: tuple[int, int], device: str) -> tuple[torch.Tensor, torch.Tensor]:
    chance = torch.Generator().manual_seed(1)
    scores = torch.randn(shape, generator=chance)
    grades = torch.randint(0, 5, shape, generator=chance).float()
    return scores.to(device), grades.to(device)


def step(form: Form, scores: torch.Tensor, grades: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scores = scores.detach().requires_grad_()
    value = form(scores, grades)
    value.backward()
    assert scores.grad is not None
    return value.detach(), scores.grad


def on_gpu(form: Form, shape: tuple[int, int]) -> tuple[float, float, torch.Tensor, torch.Tensor]:
    """Milliseconds, MB, value and gradient."""
    scores, grades = batch(shape, "cuda")
    value, gradient = step(form, scores, grades)  # whatever is compiled or cached at first
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    value, gradient = step(form, scores, grades)
    torch.cuda.synchronize()
    peak = (torch.cuda.max_memory_allocated() - before) / 1e6
    times = []
    for _ in range(ROUNDS * 5):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        step(form, scores, grades)
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return median(times), peak, value.cpu(), gradient.cpu()


def in_process(form: Form, shape: tuple[int, int], rounds: int) -> tuple[float, float, float, list[float]]:
    """Milliseconds and MB of this process, whose memory never grew before; the value and some of the gradient."""
    torch.set_num_threads(1)
    scores, grades = batch(shape, "cpu")
    step(form, scores[:1, :10], grades[:1, :10])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = []
    for _ in range(rounds):
        start = perf_counter()
        value, gradient = step(form, scores, grades)
        times.append(1000 * (perf_counter() - start))
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000
    return median(times), peak, float(value), gradient.flatten()[:1000].tolist()


def on_cpu(
    name: str, which: int, shape: tuple[int, int], rounds: int
) -> tuple[float, float, torch.Tensor, torch.Tensor]:
    command = [sys.executable, __file__, "--child", name, str(which), *map(str, shape), str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    milliseconds, peak, value, gradient = json.loads(done.stdout)
    return milliseconds, peak, torch.tensor(value), torch.tensor(gradient)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpu", action="store_true", help="even where there is a GPU")
    parser.add_argument("--rounds", type=int, default=3, help="steps on the CPU (default: 3)")
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        name, which, lists, documents, rounds = arguments.child
        measured = in_process(LOSSES[name][int(which)], (int(lists), int(documents)), int(rounds))
        print(json.dumps(measured))
        return
    gpu = torch.cuda.is_available() and not arguments.cpu
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name() if gpu else 'CPU, one thread'}\n")
    titles = [
        "loss",
        "lists",
        "plain ms",
        "ours ms",
        "×",
        "plain MB",
        "ours MB",
        "share",
        "value",
        "gradient",
    ]
    rows = []
    for shape in SHAPES:
        for name, forms in LOSSES.items():
            plain, ours = (
                on_gpu(form, shape) if gpu else on_cpu(name, which, shape, arguments.rounds)
                for which, form in enumerate(forms)
            )
            apart = (plain[3] - ours[3]).abs().max() / plain[3].abs().max()
            rows.append([
                name, f"{shape[0]} × {shape[1]:,}", f"{plain[0]:.2f}", f"{ours[0]:.2f}", f"{plain[0] / ours[0]:.1f}",
                f"{plain[1]:,.0f}", f"{ours[1]:,.1f}", f"1/{plain[1] / max(ours[1], 1e-9):.0f}",
                f"{abs(float(plain[2] - ours[2])) / abs(float(plain[2])):.1e}", f"{float(apart):.1e}",
            ])  # fmt: skip
    print(Table(titles, rows).to_text())


if __name__ == "__main__":
    main()
