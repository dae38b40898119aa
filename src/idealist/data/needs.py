"""What a measure may need besides grades, and how to give it."""

from __future__ import annotations

# key: what it is, and how it comes to `evaluate` and to the command
NEEDS = {
    "groups": (
        "judgments by subtopic or group",
        "a file with lines of `query subtopic document grade` (read_groups), or GroupedJudgments",
    ),
    "preferences": (
        "preference judgments",
        "a file with lines of `query group subgroup document level` (read_preferences), or Preferences",
    ),
    "strata": (
        "judgments of a stratified sample",
        "a file with lines of `query iteration document stratum grade` (read_strata), or SampledJudgments",
    ),
    "objectives": (
        "several grades per document",
        "a table with the columns query, document and one per objective (read_objectives), or Objectives",
    ),
    "profiles": ("a table of user profiles", "profiles=… in Python, --profiles FILE for the command"),
    "items": ("a table of items", "items=… in Python, --items FILE for the command"),
    "clicks": ("a click log", "clicks=… in Python, --clicks FILE for the command"),
    "reference": ("a second run", "agree(run, other) in Python, `idealist agree RUN RUN` for the command"),
}
