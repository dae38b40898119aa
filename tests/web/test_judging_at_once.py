"""Raters judging at once, over HTTP: no error, no lost vote, none twice. `benchmarks/judging_load.py` is the full size."""

from __future__ import annotations

from pathlib import Path

from support.raters_at_once import judge_at_once, stored_votes, task_for_raters

from idealist.web.base.server_settings import Settings
from idealist.web.workbench import Workbench

RATERS, VOTES = 10, 4


def test_ten_raters_at_once(database_url: str, tmp_path: Path) -> None:
    settings = Settings(database_url, tmp_path / "files", login=True)
    workbench = Workbench(settings)
    task, tokens = task_for_raters(workbench, tmp_path, RATERS, VOTES + 2)
    assert len(judge_at_once(workbench, task, tokens, VOTES)) == RATERS * VOTES
    again = Workbench(settings)  # the server has closed the first one
    assert stored_votes(again, task) == (RATERS * VOTES, RATERS * VOTES, [VOTES] * RATERS)
    again.close()
