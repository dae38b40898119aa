"""What TensorBoard reads of what was logged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.pages import run_blocks
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.tensorboard import SummaryWriter

from idealist import InputError, compare, evaluate
from idealist.integrations.tensorboard import TensorBoardLogger

JUDGED = {"q1": {"a": 1}, "q2": {"a": 1}}
FIRST = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 2.0, "a": 1.0}}  # RR 1 and 1/2
SECOND = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}  # RR 1 and 1


def read(folder: Path) -> Any:
    accumulator = EventAccumulator(str(folder))
    accumulator.Reload()
    return accumulator


def test_values_by_step(tmp_path: Path) -> None:
    with TensorBoardLogger(tmp_path) as logger:
        assert logger.log(evaluate(JUDGED, FIRST, "RR@10"), step=1, prefix="dev") == {"dev/RR_at_10": 0.75}
        logger.log(evaluate(JUDGED, SECOND, "RR@10"), step=2, prefix="dev", files=False)
    events = read(tmp_path).Scalars("dev/RR_at_10")
    assert [(event.step, event.value) for event in events] == [(1, 0.75), (2, 1.0)]


def test_tables_are_texts(tmp_path: Path) -> None:
    result = evaluate(JUDGED, FIRST, "RR")
    with TensorBoardLogger(str(tmp_path)) as logger:
        logger.log(result)
    accumulator = read(tmp_path)
    (event,) = accumulator.Tensors("idealist/evaluation/text_summary")
    assert event.tensor_proto.string_val[0].decode() == result.to_markdown()
    (settings,) = accumulator.Tensors("idealist/settings/text_summary")
    assert b"ties id-descending" in settings.tensor_proto.string_val[0]


def test_a_writer_stays_open(tmp_path: Path) -> None:
    writer = SummaryWriter(str(tmp_path))
    comparison = compare(JUDGED, {"old": FIRST, "new": SECOND}, "RR")
    with TensorBoardLogger(writer) as logger:
        logger.log(comparison, step=0)
    writer.add_scalar("loss", 3.0, 1)
    writer.close()
    accumulator = read(tmp_path)
    assert {"loss", "old/RR", "new_vs_old/RR/difference"} <= set(accumulator.Tags()["scalars"])
    (event,) = accumulator.Scalars("new_vs_old/RR/difference")
    assert event.value == 0.25  # (0 + 1/2)/2


def test_what_is_no_writer() -> None:
    with pytest.raises(InputError, match="a dict has no add_scalar"):
        TensorBoardLogger({})


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_blocks("tracking.md", "tensorboard", tmp_path, monkeypatch)
