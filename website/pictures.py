"""The pictures of the concept pages and of the README, drawn by the figures that results draw and by the discounts of measures.

python website/pictures.py docs/pictures
"""

from __future__ import annotations

import sys
from pathlib import Path

import idealist as il
from idealist.measures.discounts import discount_table
from idealist.reporting.figures import draw_buildup, draw_cutoffs, draw_gsb
from idealist.reporting.svg import figure_svg

SHOP = Path(__file__).parent.parent / "examples" / "shop"
GRADES = [3, 2, 0, 1, 3]
DISCOUNTS = ("log2", "jarvelin(2)", "zipf", "rbp(0.8)")


def pictures() -> dict[str, str]:
    """Each picture's name and its SVG."""
    buildup = draw_buildup(il.explain_grades(GRADES, il.NDCG(gain="exp")))
    curves = {
        name: dict(enumerate(discount_table(il.DCG(discount=name).discount, 10), 1)) for name in DISCOUNTS
    }
    discounts = draw_cutoffs(curves, measure="weight")
    # draw_cutoffs is for cut-offs; here the same curves are over ranks.
    discounts.axes[0].set_xlabel("rank")
    discounts.axes[0].set_ylabel("weight")
    discounts.axes[0].set_title("")
    values = il.evaluate(
        [SHOP / "a.run", SHOP / "b.run"], SHOP / "shop.qrels", [f"nDCG@{k}" for k in (1, 3, 5, 10, 20)]
    )
    compared = il.compare([SHOP / "a.run", SHOP / "b.run"], SHOP / "shop.qrels", "nDCG@10")
    return {
        "buildup": figure_svg(
            buildup, title="DCG and IDCG of the grades 3, 2, 0, 1, 3 by rank", name="buildup"
        ),
        "discounts": figure_svg(
            discounts, title="What ranks 1 to 10 weigh by four discounts", name="discounts"
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
