"""Files that are written whole or not at all, and never over another by accident."""

from __future__ import annotations

import os
import stat

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


def refuse_existing(path: str | None, force: bool) -> None:
    """Before the work starts: a file that is there already stays unless it may be replaced."""
    if path is not None and os.path.lexists(path) and not force:
        raise InputError(f"{path}: there is such a file already", hint="--force replaces it")


class Target:
    """A file to be written, for a `with` statement, which gives the path to write to: a file beside the target
    that takes its place when all went well, and is removed when anything did not. So whoever looks sees the old
    file or the whole new one. What is no regular file, such as a device or a pipe, is written to directly."""

    def __init__(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        self.path = os.fspath(path)
        self._target = os.path.realpath(self.path)
        self._beside = self._target
        if self._is_special():
            return
        refuse_existing(self.path, force)
        self._beside = f"{self._target}.{os.getpid()}.part"

    def _is_special(self) -> bool:
        try:
            mode = os.stat(self._target).st_mode
        except (OSError, ValueError):
            return False
        if stat.S_ISDIR(mode):
            raise InputError(f"{self.path}: this is a directory", hint="name a file in it")
        return not stat.S_ISREG(mode)

    def __enter__(self) -> str:
        if self._beside != self._target:
            try:
                os.close(os.open(self._beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            except (OSError, ValueError) as error:
                raise self._unwritable(error) from None
            except BaseException:  # an interrupt, before the with statement could look after it
                self._remove()
                raise
        return self._beside

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None and self._beside != self._target:
                _settle(self._beside)
                os.replace(self._beside, self._target)
        except OSError as failure:
            self._remove()
            raise self._unwritable(failure) from None
        except BaseException:
            self._remove()
            raise
        if error is not None:
            self._remove()
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise self._unwritable(error) from None

    def _remove(self) -> None:
        if self._beside != self._target and os.path.lexists(self._beside):
            os.unlink(self._beside)

    def _unwritable(self, error: OSError | ValueError) -> InputError:
        reason = getattr(error, "strerror", None) or str(error)
        return InputError(
            f"{self.path}: cannot be written: {reason}", hint="check that its folder exists and is yours"
        )


def _settle(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
