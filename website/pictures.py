"""The pictures of the guides, of the concept pages and of the README, drawn by the figures that results draw.

python website/pictures.py docs/pictures
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import idealist as il
from idealist.measures.discounts import discount_table
from idealist.show.figures import draw_buildup, draw_cutoffs, draw_gsb, draw_intervals
from idealist.show.html import INK, figure_svg

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

SHOP = Path(__file__).parent.parent / "examples" / "shop"
GRADES = [3, 2, 0, 1, 3]
GAINS = ("binary", "linear", "exp")
DISCOUNTS = ("log2", "jarvelin(2)", "zipf", "rbp(0.8)")
MARGIN = 0.02
# Where an interval lies, and what the verdict is: difference, low, high.
VERDICTS = {
    "ship: better": (0.030, 0.005, 0.055),
    "ship: not worse": (0.004, -0.012, 0.020),
    "ship if you stated the margin": (-0.010, -0.017, -0.003),
    "block: worse": (-0.030, -0.045, -0.015),
    "undecided": (0.010, -0.035, 0.055),
}


def curves(lines: Mapping[str, Mapping[int, float]], x: str, y: str) -> Figure:
    """Lines as `draw_cutoffs` draws them, over something else than cut-offs."""
    figure = draw_cutoffs(lines, measure=y)
    figure.axes[0].set_xlabel(x)
    figure.axes[0].set_ylabel(y)
    figure.axes[0].set_title("")
    return figure


def ranges(rows: Mapping[str, tuple[float, float, float]], x: str) -> Figure:
    """A point between two ends for each row, as `draw_intervals` draws differences."""
    shown = [
        SimpleNamespace(
            system=name,
            measure=il.measures.parse("nDCG@10"),
            difference=value,
            interval=SimpleNamespace(low=low, high=high, confidence=0.95),
        )
        for name, (value, low, high) in rows.items()
    ]
    figure = draw_intervals(shown, labels=list(rows))
    figure.axes[0].set_xlabel(x)
    return figure


def order_of_ties(ties: str, system: str) -> float:
    """The mean of a run of the shop, with this order of documents with equal scores."""
    result = il.evaluate(
        SHOP / "shop.qrels", SHOP / f"{system}.run", "nDCG@10", conventions=il.Conventions(ties=ties)
    )
    return result.mean("nDCG@10")


def pictures() -> dict[str, str]:
    """Each picture's name and its SVG."""
    buildup = draw_buildup(il.evaluation.explain_grades(GRADES, il.NDCG(gain="exp")))
    weights = {
        name: dict(enumerate(discount_table(il.DCG(discount=name).discount, 10), 1)) for name in DISCOUNTS
    }
    discounts = curves(weights, "rank", "weight")
    gains = curves(
        {gain: {grade: il.measures.CG(gain=gain)([grade]) for grade in range(5)} for gain in GAINS},
        "grade",
        "gain",
    )
    log2 = weights["log2"]
    exchanges = curves(
        {"ranks r and r + 1": {rank: log2[rank] - log2[rank + 1] for rank in range(1, 10)}},
        "rank r",
        "added to DCG",
    )
    ties = ranges(
        {
            system: (
                order_of_ties("id-descending", system),
                order_of_ties("pessimistic", system),
                order_of_ties("optimistic", system),
            )
            for system in ("a", "b")
        },
        "mean nDCG@10; the point: by id",
    )
    ties.axes[0].set_xlim(0, 1)
    verdicts = ranges(VERDICTS, "difference, with its interval")
    verdicts.axes[0].axvline(-MARGIN, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    verdicts.axes[0].set_xticks([-MARGIN, 0], ["−margin", "0"])
    values = il.evaluate(
        SHOP / "shop.qrels", [SHOP / "a.run", SHOP / "b.run"], [f"nDCG@{k}" for k in (1, 3, 5, 10, 20)]
    )
    compared = il.compare(SHOP / "shop.qrels", [SHOP / "a.run", SHOP / "b.run"], "nDCG@10")
    return {
        "buildup": figure_svg(
            buildup, title="DCG and IDCG of the grades 3, 2, 0, 1, 3 by rank", name="buildup"
        ),
        "discounts": figure_svg(
            discounts, title="What ranks 1 to 10 weigh by four discounts", name="discounts"
        ),
        "gains": figure_svg(gains, title="What grades 0 to 4 are worth by three gains", name="gains"),
        "exchanges": figure_svg(
            exchanges,
            title="What exchanging a document with the next one adds to DCG, for ranks 1 to 9",
            name="exchanges",
        ),
        "ties": figure_svg(
            ties, title="The lowest and the highest mean nDCG@10 of a and b by the order of ties", name="ties"
        ),
        "verdicts": figure_svg(
            verdicts,
            title="Five intervals beside 0 and minus the margin, and their verdicts",
            name="verdicts",
        ),
        "cutoffs": figure_svg(
            values.plot("cutoffs"), title="Mean nDCG of two runs by cut-off", name="cutoffs"
        ),
        "differences": figure_svg(
            compared.plot("differences"),
            title="How much better b is than a, query by query: nDCG@10 of 40 queries",
            name="differences",
        ),
        "votes": figure_svg(
            draw_gsb(il.gsb(good=120, same=230, bad=70)),
            title="120 good, 230 same and 70 bad votes",
            name="votes",
        ),
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pictures().items():
        (folder / f"{name}.svg").write_text(text + "\n", encoding="utf-8")
