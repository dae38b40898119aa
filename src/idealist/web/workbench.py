"""A workbench that was opened: its settings, database, files, and work in the background."""

from __future__ import annotations

from functools import cached_property

from idealist.remote.transport import read_key
from idealist.web.access.oidc import SECRET_VARIABLE, Provider
from idealist.web.access.secrets import server_secret
from idealist.web.base.database import Database, url_of
from idealist.web.base.jobs import Jobs
from idealist.web.base.result_cache import LRU
from idealist.web.base.stored_files import StoredFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.web.base.server_settings import Settings


class Workbench:
    """What every screen and every call of the API works with."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database = Database(url_of(settings.database))
        self.files = StoredFiles(settings.folder)
        self.jobs = Jobs()
        self.reports = LRU()

    @cached_property
    def secret(self) -> bytes:
        return server_secret(self.settings.folder)

    @cached_property
    def provider(self) -> Provider | None:
        """The provider of OpenID Connect that people may log in by, if there is one."""
        asked = self.settings
        if not asked.oidc_issuer:
            return None
        return Provider(asked.oidc_issuer, asked.oidc_client, read_key(SECRET_VARIABLE))

    def close(self) -> None:
        self.jobs.close()
        self.database.close()
