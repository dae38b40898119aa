"""Model files with damage in them: an error of ours that names the file, or a model; never anything else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idealist.errors import InputError
from idealist.learn import load_model, save_model

GOLDEN = Path(__file__).parent / "ranklib"
KINDS = ["ranklib", "solr", "elasticsearch"]
SPOILERS = [
    b"",
    b"\x00",
    b"<",
    b"{",
    b"nan",
    b"1e999",
    b"-",
    b":",
    b'"',
    b"null",
    b"[]",
    b"\xff",
    b"9" * 40,
    b"</split>",
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], bytes]:
    """The files of two models in three formats, and of the others of RankLib."""
    folder = tmp_path_factory.mktemp("whole")
    files = {}
    for name in ("mart", "coordinate"):
        for kind in KINDS:
            save_model(load_model(GOLDEN / f"{name}.model"), folder / f"{name}.{kind}", format=kind)
            files[kind, name] = (folder / f"{name}.{kind}").read_bytes()
    for path in GOLDEN.glob("*.model"):
        files["ranklib", path.stem] = path.read_bytes()
    return files


@given(st.data())
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damage_is_an_input_error(
    whole: dict[tuple[str, str], bytes], tmp_path: Path, data: st.DataObject
) -> None:
    kind, name = data.draw(st.sampled_from(sorted(whole)))
    text = whole[kind, name]
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 30)) | st.just(len(text)))
    path = tmp_path / "damaged"
    path.write_bytes(text[:begin] + data.draw(st.sampled_from(SPOILERS)) + text[end:])
    try:
        model = load_model(path, format=kind)
    except InputError as error:
        assert "damaged" in str(error)
    else:
        assert np.isfinite(model.score(np.zeros((2, len(model.names))), np.array([2]))).all()
