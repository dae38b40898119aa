"""A written file as an answer, after which it is gone."""

from __future__ import annotations

import shutil

from starlette.background import BackgroundTask
from starlette.responses import FileResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.web.exporting import WrittenFile


def download(file: WrittenFile) -> FileResponse:
    """The file as a download, never shown as a page of this server; its folder is removed once it was sent."""
    return FileResponse(
        file.path,
        media_type=file.media_type,
        filename=file.filename,
        content_disposition_type="attachment",
        background=BackgroundTask(shutil.rmtree, file.path.parent, ignore_errors=True),
    )
