"""The public names of this package."""

from idealist.judges.judge_report import JudgeReport as JudgeReport
from idealist.judges.judge_reporting import report as report

__all__: list[str]
