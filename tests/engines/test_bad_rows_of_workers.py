"""What is wrong with rows on workers is said as it would be here, and nothing of their own stands before it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pyarrow as pa
import pytest
from support.engine_frames import Engine, start

import idealist as il

RUN = {"query": ["q1", "q1"], "document": ["a", "b"], "score": [1.0, 2.0]}
JUDGMENTS = {"query": ["q1"], "document": ["a"], "grade": [1.0]}

# Ray and Dask warn of what they themselves use.
pytestmark = [
    pytest.mark.filterwarnings(f"default::{kind}")
    for kind in ("DeprecationWarning", "FutureWarning", "ResourceWarning", "UserWarning")
]


@pytest.fixture(scope="module", params=["dask", "ray"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    yield from start(request.param, request)


class Records(logging.Handler):
    """Keeps the errors that are logged."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(self.format(record))


@pytest.mark.parametrize(
    ("run", "judgments", "message"),
    [
        ({"score": [1.0, float("nan")]}, {}, "run, query 'q1', document 'b': the score is nan"),
        ({}, {"grade": [float("nan")]}, "judgments, query 'q1', document 'a': the grade is nan"),
    ],
)
def test_nan_is_called_nan_and_no_traceback_comes_first(
    engine: Engine, run: dict[str, object], judgments: dict[str, object], message: str
) -> None:
    records = Records()
    logging.getLogger("ray.data").addHandler(records)
    try:
        with pytest.raises(il.InputError, match=message):
            engine.measure(pa.table(RUN | run), pa.table(JUDGMENTS | judgments), "AP", 1).mean("AP")
    finally:
        logging.getLogger("ray.data").removeHandler(records)
    assert records.messages == []
