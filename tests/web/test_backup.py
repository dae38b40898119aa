"""Everything in one file, and back, on either database."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from support.browsing import Browsing

from idealist import InputError
from idealist.web.access.accounts import add_user
from idealist.web.base.backup import back_up, restore
from idealist.web.base.schema import metadata
from idealist.web.base.server_settings import Settings
from idealist.web.projects.projects import create_project
from idealist.web.workbench import Workbench

LEFT_OUT = ("sessions", "login_failures")


def rows(workbench: Workbench) -> dict[str, list[tuple[object, ...]]]:
    with workbench.database.reading() as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(table.select())), key=repr)
            for table in metadata.sorted_tables
            if table.name not in LEFT_OUT
        }


def test_a_backup_restores_everything(shop_bench: Workbench, tmp_path: Path, database_url: str) -> None:
    add_user(shop_bench.database, "ann", "correct horse battery", "admin")
    Browsing(shop_bench).whole_page("/projects/1/explain")  # something measured
    target = tmp_path / "backup.zip"
    back_up(shop_bench.database, shop_bench.files, target)
    other = Workbench(Settings(database_url, tmp_path / "other"))
    restore(other.database, other.files, target)
    assert rows(other) == rows(shop_bench)
    assert " lipstick, for " in Browsing(other).page("/projects/1/explain?query=red-lipstick")
    assert create_project(other.database, "next") == 2  # numbers go on behind those that were restored
    with pytest.raises(InputError, match="in use"):
        restore(other.database, other.files, target)
    other.close()


def test_a_file_is_not_replaced_by_accident(bench: Workbench, tmp_path: Path) -> None:
    target = tmp_path / "backup.zip"
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="there is a file of this name"):
        back_up(bench.database, bench.files, target)
    assert target.read_text(encoding="utf-8") == "mine"
    back_up(bench.database, bench.files, target, force=True)
    assert zipfile.is_zipfile(target)


def test_what_is_no_backup_is_refused(bench: Workbench, tmp_path: Path) -> None:
    target = tmp_path / "backup.zip"
    with pytest.raises(InputError, match="no such file"):
        restore(bench.database, bench.files, target)
    target.write_bytes(b"PK")
    with pytest.raises(InputError, match="not a backup"):
        restore(bench.database, bench.files, target)
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("workbench.json", json.dumps({"version": "0000"}))
    with pytest.raises(InputError, match="has version 0000"):
        restore(bench.database, bench.files, target)


def test_a_damaged_file_restores_nothing(shop_bench: Workbench, tmp_path: Path) -> None:
    target, damaged = tmp_path / "backup.zip", tmp_path / "damaged.zip"
    back_up(shop_bench.database, shop_bench.files, target)
    with zipfile.ZipFile(target) as archive, zipfile.ZipFile(damaged, "w") as out:
        for name in archive.namelist():
            content = archive.read(name)
            out.writestr(
                name, content.replace(b"lipstick", b"LIPSTICK") if name.startswith("files/") else content
            )
    other = Workbench(Settings(str(tmp_path / "other.db"), tmp_path / "other"))
    with pytest.raises(InputError, match="damaged"):
        restore(other.database, other.files, damaged)
    assert all(not found for found in rows(other).values())
    other.close()


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_backup_with_a_hole_restores_nothing(shop_bench: Workbench, tmp_path: Path, share: float) -> None:
    target = tmp_path / "backup.zip"
    back_up(shop_bench.database, shop_bench.files, target)
    content = bytearray(target.read_bytes())
    begin = int(share * len(content))
    content[begin : begin + 200] = bytes(200)
    target.write_bytes(content)
    other = Workbench(Settings(str(tmp_path / "other.db"), tmp_path / "other"))
    with pytest.raises(InputError, match=r"damaged|not a backup"):
        restore(other.database, other.files, target)
    assert all(not found for found in rows(other).values())
    other.close()


def test_a_backup_goes_to_a_folder_that_is_there(bench: Workbench, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"shop\.zip: cannot be written: No such file or directory"):
        back_up(bench.database, bench.files, tmp_path / "none" / "shop.zip")
