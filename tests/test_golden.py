"""The bundled sample data, and what is known about it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from idealist import Conventions, evaluate, read_judgments, read_run


def test_the_script_writes_the_bundled_data(shop: Path, tmp_path: Path) -> None:
    demo = Path("src", "idealist", "web", "demo", "files")
    made, bundled = tmp_path / "examples" / "shop", shop.parent.parent / demo
    made.mkdir(parents=True)
    (tmp_path / demo).mkdir(parents=True)
    shutil.copy(shop / "make.py", made)
    subprocess.run([sys.executable, made / "make.py"], check=True)
    for name in sorted(
        path.name for path in shop.iterdir() if path.is_file() and path.suffix not in (".py", ".toml")
    ):
        assert (made / name).read_bytes() == (shop / name).read_bytes()
    for file in sorted(path for path in bundled.iterdir() if path.is_file()):
        assert (tmp_path / demo / file.name).read_bytes() == file.read_bytes()


def test_the_data_has_what_it_is_for(shop: Path) -> None:
    judgments = read_judgments(shop / "shop.qrels")
    runs = [read_run(shop / f"{system}.run") for system in ("a", "b")]
    assert len(judgments) == 40
    assert {grade for query in judgments for grade in judgments[query].values()} == {0, 1, 2, 3}
    assert max(judgments["waterproof-kettle"].values()) == 0  # nothing relevant
    assert "waterproof-kettle" not in runs[0]
    unjudged = [d for q in runs[0] for d in runs[0][q] if d not in judgments[q]]
    assert unjudged
    moved = [
        evaluate(judgments, runs[0], "nDCG@10", conventions=Conventions(ties=ties)).mean("nDCG@10")
        for ties in ("pessimistic", "id-descending", "optimistic")
    ]
    assert moved[0] < moved[1] < moved[2]  # ties that matter
