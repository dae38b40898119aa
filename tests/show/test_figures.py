"""Figures show what they were given, and their SVG stands by itself."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")

from idealist import explain
from idealist.errors import InputError
from idealist.measures import parse
from idealist.show import figures
from idealist.show.html import INK, ROLES
from idealist.statistics.mean_estimates import Interval
from idealist.statistics.resampling import Resampled

A = {"q1": 0.25, "q2": 0.5, "q3": 1.0, "q4": 0.0}
B = {"q1": 0.75, "q2": 0.25, "q3": 1.0, "q5": 1.0}
ODD = '<script>alert("q")</script> $x_1$ 中文 \x00 & ' + "long" * 50
JUDGED = {ODD: {"a": 3, "b": 2, "c": 1}}
CONTRASTS = [
    SimpleNamespace(
        system=ODD,
        baseline=ODD,
        measure=parse("nDCG@10"),
        difference=0.1,
        interval=Interval(0.05, 0.15, 0.95),
    ),
    SimpleNamespace(system="b", baseline=ODD, measure=parse("AP"), difference=0.1, interval=None),
    SimpleNamespace(
        system="b", baseline="a", measure=parse("AP"), difference=-0.1, interval=Interval(-0.2, 0.0, 0.95)
    ),
]
VOTES = SimpleNamespace(good=3, same=4, bad=1.5, value=0.18, interval=Interval(-0.1, 0.4, 0.95))

DRAWN: dict[str, Callable[[], Any]] = {
    "differences": lambda: figures.draw_differences(B, A, measure=ODD, system=ODD, against=ODD),
    "many differences": lambda: figures.draw_differences(
        {str(q): q / 7000 for q in range(5000)}, {str(q): 0.3 for q in range(5000)}, better="lower"
    ),
    "scatter": lambda: figures.draw_scatter(B, A, measure=ODD, system=ODD, against=ODD),
    "many points": lambda: figures.draw_scatter(
        {str(q): q % 97 / 97 for q in range(5000)}, {str(q): q % 89 / 89 for q in range(5000)}
    ),
    "one point": lambda: figures.draw_scatter({"q": 0.5}, {"q": 0.5}),
    "build-up": lambda: figures.draw_buildup(
        explain(JUDGED, {ODD: {"c": 3.0, "x": 2.0, "a": 1.0}}, query=ODD),
        explain(JUDGED, {}, query=ODD),
        names=["a", ODD],
    ),
    "cut-offs": lambda: figures.draw_cutoffs({"a": {1: 0.2, 10: 0.4}, ODD: {1: 0.3, 5: 0.3}}, measure=ODD),
    "intervals": lambda: figures.draw_intervals(CONTRASTS),
    "votes": lambda: figures.draw_gsb(VOTES),
    "votes without an interval": lambda: figures.draw_gsb(
        SimpleNamespace(good=0, same=2, bad=0, value=0.0, interval=None)
    ),
    "bootstrap": lambda: figures.draw_bootstrap(B, A, measure=ODD, interval=Interval(-0.1, 0.3, 0.95)),
    "bootstrap of equal differences": lambda: figures.draw_bootstrap({"q": 0.5}, {"q": 0.25}),
}


@pytest.mark.parametrize("name", DRAWN)
def test_svg_is_whole_and_the_same_every_time(name: str) -> None:
    svg = figures.figure_svg(DRAWN[name](), title=ODD, name="one")
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert svg == figures.figure_svg(DRAWN[name](), title=ODD, name="one")
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
    assert "<script" not in svg
    assert len(svg) < 400_000


@pytest.mark.parametrize("name", DRAWN)
def test_svg_takes_its_colors_from_the_page(name: str) -> None:
    svg = figures.figure_svg(DRAWN[name]())
    body = svg.split("</style>", 1)[1]
    assert INK not in body
    assert "currentColor" in body
    light = {both[1] for both in ROLES.values()}
    bare = re.sub(r"var\(--[a-z0-9-]+, (#[0-9a-f]{6})\)", "", body)
    assert not set(re.findall(r"#[0-9a-f]{6}(?![0-9a-f])", bare)) & light
    texts = [element for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("}text")]
    assert all("currentColor" in element.get("style", "") for element in texts)


def test_ids_carry_the_figures_name_and_resolve() -> None:
    svg = figures.figure_svg(DRAWN["scatter"](), name="left")
    ids = re.findall(r' id="([^"]+)"', svg)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("left-") for name in ids)
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg)) == set(ids)


def test_without_its_own_colors_there_is_neither_a_style_nor_an_address() -> None:
    svg = figures.figure_svg(DRAWN["votes"](), standalone=False)
    assert "<style" not in svg
    assert "http" not in svg


def test_differences_are_sorted_and_only_of_shared_queries() -> None:
    axes = figures.draw_differences(B, A).axes[0]
    up = [bar.get_height() for bar in axes.containers[0]]
    down = [bar.get_height() for bar in axes.containers[1]]
    assert up == [0.5, 0.0, 0.0]
    assert down == [0.0, 0.0, -0.25]
    assert "+0.0833" in axes.get_title()  # (0.5 + 0 − 0.25) / 3


def test_better_and_worse_change_sides_with_the_measure() -> None:
    higher, lower = (figures.draw_differences(B, A, better=better).axes[0] for better in ("higher", "lower"))
    assert higher.containers[0][0].get_facecolor() == lower.containers[1][0].get_facecolor()


def test_the_build_up_ends_at_the_sums() -> None:
    explanation = explain({"q": {"a": 3, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}, query="q")
    lines: Any = figures.draw_buildup(explanation, names=["a"]).axes[0].lines
    system, ideal = lines
    assert system.get_ydata()[-1] == explanation.sums["DCG"]
    assert ideal.get_ydata()[-1] == explanation.sums["IDCG"]


def test_the_votes_fill_the_bar() -> None:
    bar: Any = figures.draw_gsb(VOTES).axes[0]
    widths = [patch.get_width() for patch in bar.patches]
    assert widths == pytest.approx([3 / 8.5, 4 / 8.5, 1.5 / 8.5])


def test_the_bootstrap_is_seeded() -> None:
    first, same, other = (
        figures.figure_svg(figures.draw_bootstrap(B, A, seed=seed, rounds=200)) for seed in (1, 1, 2)
    )
    assert first == same != other


def test_a_bootstrap_of_a_contrast_is_not_made_again() -> None:
    """With weights 3 and 1 the mean of 0 and 1 is 0.25."""
    axes: Any = figures.draw_bootstrap({}, {}, resampled=Resampled([0.0, 1.0], [3.0, 1.0])).axes[0]
    assert list(axes.lines[0].get_xdata()) == [0.25, 0.25]
    many: Any = figures.draw_bootstrap({}, {}, resampled=Resampled(range(2000))).axes[0]
    assert "queries drawn again" in many.get_xlabel()
    assert sum(many.patches[0].get_data().values) == pytest.approx(1, abs=0.001)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: figures.draw_differences({"q": 1.0}, {"p": 1.0}), "share no query"),
        (lambda: figures.draw_buildup(), "no explanation"),
        (lambda: figures.draw_cutoffs({}), "no cut-off"),
        (lambda: figures.draw_intervals([]), "no difference"),
        (lambda: figures.draw_gsb(SimpleNamespace(good=0, same=0, bad=0)), "no vote"),
    ],
)
def test_nothing_to_draw_is_said(draw: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw()


def test_matplotlibs_settings_stay_as_they_were() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    figures.figure_svg(DRAWN["differences"]())
    assert dict(matplotlib.rcParams) == before


def test_without_matplotlib_it_says_what_to_install() -> None:
    code = """
import sys
sys.modules["matplotlib"] = None
from idealist.errors import MissingDependency
from idealist.show.figures import draw_scatter
try:
    draw_scatter({"q": 1.0}, {"q": 0.5})
except MissingDependency as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "matplotlib is not installed\nhint: pip install 'idealist[figures]'\n"
