"""The one place where the services are made, each the first time it is asked for."""

from functools import cached_property
from typing import TYPE_CHECKING

from services.allowance import Allowance
from services.clock import Clock
from services.loader import Loader
from services.metadata import MetadataToken
from services.settings import Settings
from services.tasks import Tasks, http_client

if TYPE_CHECKING:
    from google.cloud import firestore

    from services.gemini import Gemini
    from services.line import Line


class Services:
    """This instance's services, made late and kept warm.

    Between this code and the world stand the addresses (in the settings) and the clock, and nothing
    else: whoever gives others runs the same code in another world.
    """

    def __init__(
        self, settings: Settings, *, clock: Clock | None = None, loader: Loader | None = None
    ) -> None:
        self.settings = settings
        self.clock = clock or Clock()
        self.loader = loader or Loader()
        self._http = http_client()
        self._access_token = MetadataToken(settings.gce_metadata_host, self.clock, self._http)

    @cached_property
    def tasks(self) -> Tasks:
        """Cloud Tasks."""
        settings = self.settings
        return Tasks(
            f"projects/{settings.project_id}/locations/{settings.region}/queues",
            url=settings.tasks_url,
            access_token=self._access_token,
            http=self._http,
        )

    @cached_property
    def firestore(self) -> "firestore.Client":
        """Firestore; in front of the emulator where FIRESTORE_EMULATOR_HOST says so."""
        self.loader.wait("google.cloud.firestore")
        from google.cloud import firestore

        return firestore.Client(project=self.settings.project_id)

    @cached_property
    def gemini(self) -> "Gemini":
        """The model."""
        self.loader.wait("services.gemini")
        from services.gemini import Gemini

        return Gemini(self.settings, self.clock, access_token=self._access_token)

    @cached_property
    def line(self) -> "Line":
        """LINE's Messaging API."""
        self.loader.wait("services.line")
        from services.line import Line

        return Line(self.settings, self.clock)

    @cached_property
    def allowance(self) -> Allowance:
        """What is left of LINE's quota."""
        return Allowance(self.line, self.clock)
