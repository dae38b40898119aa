"""Work in the background is done once, and its errors are seen."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from concurrent.futures import wait
from threading import Event

import pytest

from idealist import InputError
from idealist.web.base.jobs import MOST_FAILED, Jobs, ended_within


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


def test_a_job_that_is_under_way_is_not_started_again(jobs: Jobs) -> None:
    go, calls = Event(), list[int]()

    def work() -> None:
        calls.append(1)
        go.wait(10)

    first, second = (jobs.start("a", work) for _ in range(2))
    go.set()
    first.result()
    assert first is second
    jobs.start("a", work).result()
    assert len(calls) == 2  # it was done, and was asked for again


def test_an_error_is_given_back_once_however_late_it_comes(jobs: Jobs) -> None:
    """A page asks, goes away while the job runs, and asks again when it has failed."""
    calls: list[int] = []

    def work() -> None:
        calls.append(1)
        raise InputError("the run lacks a query")

    with pytest.raises(InputError):
        jobs.start("a", work).result()
    failed = jobs.start("a", work)
    assert len(calls) == 1
    assert isinstance(failed.exception(), InputError)
    with pytest.raises(InputError):
        jobs.start("a", work).result()
    assert len(calls) == 2


def test_jobs_are_waited_for_as_long_as_that_is_asked(jobs: Jobs) -> None:
    go = Event()
    started = [jobs.start("a", lambda: None), jobs.start("b", lambda: (go.wait(60), None)[1])]
    assert not ended_within(started, 0.01)
    go.set()
    assert ended_within(started, None)


def test_of_jobs_that_failed_the_first_is_told(jobs: Jobs) -> None:
    def fail(message: str) -> None:
        raise InputError(message)

    started = [jobs.start(name, lambda name=name: fail(f"{name} fails")) for name in "abc"]  # type: ignore[misc]
    with pytest.raises(InputError, match="a fails"):
        ended_within(started, None)


class Judgments:
    """Something large that a job works on."""


def test_errors_that_nobody_asks_for_are_not_kept_for_ever(jobs: Jobs) -> None:
    """A thousand jobs fail after their pages were left: the last errors are kept, and nothing that the jobs worked on."""
    used: list[weakref.ref[Judgments]] = []

    def fail() -> None:
        judgments = Judgments()
        used.append(weakref.ref(judgments))
        raise InputError("the run lacks a query")

    wait([jobs.start(number, fail) for number in range(1_000)])
    jobs.start("asked", lambda: None).result()
    assert len(jobs._futures) <= MOST_FAILED + 1
    gc.collect()
    assert len(used) == 1_000
    assert not any(judgments() for judgments in used)
    assert isinstance(jobs.start(999, fail).exception(), InputError)  # the last one is still told
