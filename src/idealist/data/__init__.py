"""Judgments, runs, and the rankings they make together."""

from __future__ import annotations

from idealist.data.judgments import Judgments, RichJudgments
from idealist.data.rankings import Ranking, Rankings, match
from idealist.data.run import Run, UnreadRun, as_run

__all__ = ["Judgments", "Ranking", "Rankings", "RichJudgments", "Run", "UnreadRun", "as_run", "match"]
