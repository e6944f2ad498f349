"""The pictures, voices and files that people sent, as LINE gives them out."""

import base64
from dataclasses import dataclass, field

from local.line_rules import error
from local.loopback import Answer

# One grey pixel: what is in a preview matters to nobody here.
_PREVIEW = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="
)


@dataclass(slots=True)
class Content:
    """What came with a message, and what LINE says before it gives it out."""

    data: bytes
    media_type: str
    statuses: list[int] = field(default_factory=list)
    """What the next calls for it are answered, in order: 202 while it is prepared; then 200."""

    def read(self) -> Answer:
        """Answer "Get content", and be a step nearer to giving it out."""
        status = self.statuses.pop(0) if self.statuses else 200
        if status == 200:
            return Answer(self.data, media_type=self.media_type)
        if status == 202:
            return Answer(b"", 202, media_type=self.media_type)
        raise error(status, "Not available")

    def preparation(self) -> Answer:
        """Answer "Verify the preparation status of a video or audio for getting"."""
        if self.media_type.startswith("image/"):
            raise error(400, "Not a video or an audio")
        return Answer({"status": "processing" if 202 in self.statuses else "succeeded"})

    def preview(self) -> Answer:
        """Answer "Get preview image of an image or video"."""
        if not self.media_type.startswith(("image/", "video/")):
            raise error(404, "Not found")
        return Answer(_PREVIEW, media_type="image/png")
