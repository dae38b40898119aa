"""What was packed before it was sent: bounds on what it unpacks to, and the files of a zip archive."""

from __future__ import annotations

import errno
import shutil
import zipfile
from pathlib import Path, PurePosixPath

from idealist.data.compression import compression_of, decompressed
from idealist.data.formats.beir import OTHERS, chosen_split, splits
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 1 << 20
HEAD = 16  # bytes that tell how a file is packed
ZIP = b"PK\x03\x04"
WORKBOOK = "[Content_Types].xml"  # Excel's files are archives too
MOST_MEMBERS = 200
IGNORED = ("__MACOSX", ".DS_Store")
# Names that this file system does not take, or that are those of a file and of a folder.
BAD_NAMES = (errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.EINVAL)


def require_bounded(path: Path, most: int) -> None:
    """Refuses a file that unpacks to more than `most` bytes, before anything is read into memory."""
    with open(path, "rb") as file:
        start = file.read(HEAD)
        if start.startswith(ZIP):
            size = sum(member.file_size for member in _members(path))
        elif (compression := compression_of(start)) is not None:
            file.seek(0)
            size = 0
            for block in decompressed(iter(lambda: file.read(BLOCK), b""), compression, str(path)):
                size += len(block)
                if size > most:
                    break
        else:
            return
    if size > most:
        raise InputError(
            f"{path}: it unpacks to more than {most / 1e6:,.0f} MB", hint="idealist serve --largest-upload MB"
        )


def is_archive(path: Path) -> bool:
    """Whether a file is a zip archive of others, and no Excel workbook."""
    with open(path, "rb") as file:
        if file.read(len(ZIP)) != ZIP:
            return False
    return all(member.filename != WORKBOOK for member in _members(path))


def unpack(path: Path, folder: Path, split: str | None = None) -> list[tuple[Path, str | None]]:
    """The files of an archive, each with the kind of source that it is, if the archive says so: judgments (of the split
    `test`, the only one, or the one named), documents and queries of a BEIR folder; all files of any other archive."""
    members = [member for member in _members(path) if not member.is_dir()]
    members = [member for member in members if not set(PurePosixPath(member.filename).parts) & set(IGNORED)]
    if not 0 < len(members) <= MOST_MEMBERS:
        raise InputError(
            f"{path}: the archive has {len(members):,} files", hint=f"from 1 to {MOST_MEMBERS} are taken"
        )
    with zipfile.ZipFile(path) as archive:
        for member in members:
            target = folder.joinpath(*_parts(path, member.filename))
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as packed, open(target, "wb") as out:
                    shutil.copyfileobj(packed, out, BLOCK)
            except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
                raise InputError(f"{path}: {member.filename}: {error}", hint="pack it again") from None
            except OSError as error:
                if error.errno not in BAD_NAMES:
                    raise  # a full disk
                name = member.filename if len(member.filename) <= 80 else f"…{member.filename[-80:]}"
                raise InputError(
                    f"{path}: {name!r} cannot be unpacked: {(error.strerror or '').lower()}",
                    hint="pack it again under another name",
                ) from None
    return list(_sources(folder, split))


def _sources(folder: Path, split: str | None) -> Iterator[tuple[Path, str | None]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for root in dict.fromkeys(path.parent.parent for path in files if path.parent.name == "qrels"):
        if splits(str(root)) and (root / OTHERS[0]).exists():
            yield Path(chosen_split(str(root), split)[1]), "judgments"
            for name, kind in zip(OTHERS, ("documents", "queries"), strict=True):
                if (root / name).exists():
                    yield root / name, kind
            return
    for path in files:
        yield path, None


def _members(path: Path) -> list[zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.infolist()
    except zipfile.BadZipFile as error:
        raise InputError(
            f"this zip archive cannot be read: {error}",
            source=str(path),
            hint="pack it again",
            code="damaged",
        ) from None


def _parts(path: Path, name: str) -> list[str]:
    """The parts of a member's name, none of which leads out of the folder."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or any(part in ("..", "/") or ":" in part or "\0" in part for part in parts):
        raise InputError(f"{path}: {name!r} is not a name of a file in this archive", hint="pack it again")
    return list(parts)
