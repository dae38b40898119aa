"""The verdict in Chinese: the outcome, the numbers and the guards, above what the commands say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest
from support.browsing import Browsing

import idealist
from idealist.comparison.verdict import Guard, decide
from idealist.statistics.mean_estimates import Interval
from idealist.web.access.page_words import GUARDS, verdict_words
from idealist.web.access.pages import Visit
from idealist.web.texts import text
from idealist.web.workbench import Workbench


class Reader:
    """What of a visit verdicts are written by."""

    def __init__(self, language: str) -> None:
        self.language = language

    def text(self, key: str, **values: object) -> str:
        return text(self.language, key, **values)


CHINESE = cast(Visit, Reader("zh"))


@pytest.mark.parametrize(
    ("low", "high", "outcome", "place"),
    [
        (0.01, 0.03, "可以上线", "整体高于 0"),
        (-0.03, -0.01, "不可上线", "整体低于 0"),
        (-0.03, 0.03, "未定", "包含 0"),
    ],
)
def test_the_outcome_and_where_the_interval_lies(low: float, high: float, outcome: str, place: str) -> None:
    verdict = decide((low + high) / 2, Interval(low, high, 0.95))
    words = verdict_words(CHINESE, verdict)
    assert words[0] == outcome
    assert words[1].endswith(f"{place}。")
    assert words[2] == "容差为 0.0200。"


def test_guards_that_failed_and_what_is_still_needed() -> None:
    guards = [Guard.of("sides", True), Guard.of("known answers", False), Guard.of("a rule of ours", False)]
    words = verdict_words(CHINESE, decide(0.02, Interval(0.01, 0.03, 0.95), guards=guards))
    assert (words[0], words[-1]) == ("未定", "未通过的护栏：已知答案、a rule of ours。")
    words = verdict_words(CHINESE, decide(0.0, Interval(-0.03, 0.03, 0.95), guards=guards[:1], needed=1200))
    assert words[-2:] == ["1 项护栏全部通过。", "如果情况与现有查询相似，再有 1,200 个查询即可得出结论。"]


def test_unchanged_stands_in_the_place_of_the_interval() -> None:
    verdict = decide(0.0, Interval(-0.03, 0.03, 0.95), unchanged="the lists of all 40 queries are the same")
    assert verdict_words(CHINESE, verdict) == ["没有变化", "所有查询的结果列表都相同。"]


def test_without_an_interval_there_is_the_difference_alone() -> None:
    assert verdict_words(CHINESE, decide(0.01, None))[1] == "差值为 0.0100，没有置信区间。"


def test_english_pages_say_it_once() -> None:
    assert verdict_words(cast(Visit, Reader("en")), decide(0.02, Interval(0.01, 0.03, 0.95))) == []


def test_every_guard_of_ours_has_a_name_in_chinese() -> None:
    sources = Path(idealist.__file__).parent.rglob("*.py")
    found = {
        name
        for path in sources
        for name in re.findall(r'Guard(?:\.of)?\(\s*"([a-z ]+)"', path.read_text("utf-8"))
    }
    assert "equally judged" in found
    assert found - set(GUARDS) == set()


def test_pages_have_it_above_what_the_commands_say(shop_bench: Workbench) -> None:
    """Of the shop, b is better than a in all queries together, but was judged more; and half a study decides nothing."""
    browser = Browsing(shop_bench)
    browser.client.headers["accept-language"] = "zh-CN"
    page = browser.whole_page("/projects/1/compare")
    assert "<strong>未定</strong> 差值为 0.1888，95 % 置信区间 0.1052 至 0.2546，整体高于 0。" in page
    assert "未通过的护栏：两者的标注比例是否相当。" in page
    assert page.index("未定") < page.index("equally judged failed")
    study = browser.whole_page("/projects/1/studies/1")
    assert re.search("再有 [1-9][0-9,]* 个查询即可得出结论。", study)
