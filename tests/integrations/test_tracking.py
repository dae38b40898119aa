"""What is logged of a result, whatever the tracker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from idealist import InputError, compare, evaluate, gsb
from idealist.integrations.tracking import ResultLogger, metric_name, track
from idealist.measures import parse, registry

JUDGED = {f"q{at}": {"a": 1} for at in range(4)}
OLD = {query: {"b": 2.0, "a": 1.0} for query in JUDGED}  # RR 1/2
NEW = {query: {"a": 2.0, "b": 1.0} for query in ("q0", "q1", "q2")} | {"q3": {"b": 2.0, "a": 1.0}}


class Kept(ResultLogger):
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []

    def _log_values(self, values: Mapping[str, float], step: int | None) -> None:
        self.calls.append(("values", (dict(values), step)))

    def _log_settings(self, settings: Mapping[str, str]) -> None:
        self.calls.append(("settings", dict(settings)))

    def _log_files(self, files: Mapping[str, str], step: int | None) -> None:
        self.calls.append(("files", (sorted(files), step)))


def test_names_differ_where_measures_do() -> None:
    """Two measures never share a name, with or without a cut-off."""
    measures = [*registry(), "nDCG@1", "nDCG@10", "nDCG@100", "nDCG(gain=exp)@10", "RBP(p=0.8)", "RBP(p=0.9)"]
    names = {metric_name(parse(measure)) for measure in measures}
    assert len(names) == len({str(parse(measure)) for measure in measures})


def test_systems_of_any_language_have_names() -> None:
    """They would share one without letters, and numbers of two systems cannot be called the same."""
    tracked = track(evaluate(JUDGED, {"基线": OLD, "候选 1": NEW}, "RR"), "开发")
    assert dict(tracked.values) == {"开发/基线/RR": 0.5, "开发/候选_1/RR": 0.875}


def test_a_comparison() -> None:
    comparison = compare(JUDGED, {"old": OLD, "new": NEW}, "RR")
    contrast = comparison["new", "RR"]
    tracked = track(comparison)
    assert contrast.interval is not None
    assert dict(tracked.values) == {
        "old/RR": 0.5,
        "new/RR": 0.875,  # (1 + 1 + 1 + 1/2)/4
        "new_vs_old/RR/difference": 0.375,
        "new_vs_old/RR/low": contrast.interval.low,
        "new_vs_old/RR/high": contrast.interval.high,
        "new_vs_old/RR/p": contrast.p_value,
    }
    assert tracked.settings["idealist.baseline"] == "old"
    assert tracked.settings["idealist.queries"] == "4"
    assert set(tracked.files) == {"idealist/comparison.md", "idealist/comparison.json"}


def test_one_query_has_no_interval() -> None:
    tracked = track(compare({"q": {"a": 1}}, {"old": {"q": {"b": 1.0}}, "new": {"q": {"a": 1.0}}}, "RR"))
    assert dict(tracked.values) == {"old/RR": 0.0, "new/RR": 1.0, "new_vs_old/RR/difference": 1.0}


def test_votes() -> None:
    result = gsb(good=30, same=50, bad=20)
    tracked = track(result, "study")
    assert tracked.values["study/GSB"] == pytest.approx((30 - 20) / 100)
    assert [tracked.values[f"study/GSB/{name}"] for name in ("good", "same", "bad")] == [30, 50, 20]
    assert tracked.settings["idealist.verdict"] == result.verdict.outcome
    assert tracked.files["study/gsb.md"] == result.to_markdown()


def test_systems_that_would_share_a_name() -> None:
    both = evaluate(JUDGED, {"a b": OLD, "a_b": NEW}, "RR")
    with pytest.raises(InputError, match="two numbers would be called 'a_b/RR'"):
        track(both)


def test_what_is_no_result() -> None:
    wrong: Any = {"RR": 1.0}
    with pytest.raises(InputError, match="a dict cannot be logged"):
        track(wrong)


def test_a_logger() -> None:
    logger = Kept()
    result = evaluate(JUDGED, OLD, "RR")
    assert logger.log(result, step=3, prefix="dev/") == {"dev/RR": 0.5}
    assert logger.calls[0] == ("values", ({"dev/RR": 0.5}, 3))
    assert logger.calls[2] == ("files", (["dev/evaluation.json", "dev/evaluation.md"], 3))
    logger.calls.clear()
    logger.log(result, files=False)
    assert logger.calls == [("values", ({"RR": 0.5}, None))]
    for wrong in (-1, 1.5):
        with pytest.raises(InputError, match="step must be a whole number, 0 or more"):
            logger.log(result, step=wrong)  # type: ignore[arg-type]
