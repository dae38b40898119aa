"""idealist plot: one figure in a file."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")

from idealist.cli import main
from idealist.cli.commands.plot import FIGURES

TABLES = {
    "votes": "votes.csv",
    "raters": "votes.csv",
    "strengths": "pairs.csv",
    "propensities": "impressions.csv",
    "preferences": "interleaved.csv",
}


def files_of(figure: str, shop: Path) -> list[str]:
    if figure in TABLES:
        return [str(shop / TABLES[figure])]
    more = ["--query", "cheap-perfume"] if figure == "buildup" else []
    return [*(str(shop / name) for name in ("shop.qrels", "a.run", "b.run")), *more]


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure(figure: str, shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.svg"
    assert main(["plot", figure, *files_of(figure, shop), "-o", str(out)]) == 0
    svg = out.read_text(encoding="utf-8")
    assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert FIGURES[figure].split(",")[0].split("'")[0] in svg  # what it shows, for those who do not see it
    assert f"{out}: {len(svg.encode()):,} bytes" in capsys.readouterr().err


def test_png(shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.png"
    assert main(["plot", "votes", str(shop / "votes.csv"), "-o", str(out)]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")


def test_the_baseline_and_the_measure(shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.svg"
    arguments = ["plot", "intervals", *files_of("intervals", shop), "--baseline", "b", "-m", "RR", "-m", "AP"]
    assert main([*arguments, "-o", str(out)]) == 0
    svg = out.read_text(encoding="utf-8")
    assert "difference of a from b, 95 % interval" in svg
    assert ">RR<" in svg
    assert ">AP<" in svg


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["votes", "votes.csv", "-o", "x.pdf"], "x.pdf: figures are written as PNG or SVG"),
        (["votes", "votes.csv", "a.run", "-o", "x.svg"], "the figure votes takes one table of votes"),
        (["scatter", "shop.qrels", "a.run", "-o", "x.svg"], "only one system, 'a'"),
        (["scatter", "shop.qrels", "-o", "x.svg"], "there is no run to draw"),
        (
            ["scatter", "shop.qrels", "a.run", "b.run", "-m", "AP", "-m", "RR", "-o", "x.svg"],
            "scatter is of two runs and one measure, not of 2 and 2",
        ),
        (["buildup", "shop.qrels", "a.run", "-o", "x.svg"], "buildup draws one query: name it with --query"),
        (["cutoffs", "shop.qrels", "a.run", "-m", "AP", "-o", "x.svg"], "AP has no cut-off"),
    ],
)
def test_what_cannot_be_drawn(
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(shop)
    assert main(["plot", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not (shop / "x.svg").exists()


def test_nothing_is_replaced_unasked(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.svg"
    out.write_text("mine")
    arguments = ["plot", "votes", str(shop / "votes.csv"), "-o", str(out)]
    assert main(arguments) == 2
    assert out.read_text() == "mine"
    assert main([*arguments, "--force"]) == 0
    assert out.read_text().startswith("<svg")
