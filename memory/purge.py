"""The purge: everything of one conversation is deleted."""

from collections.abc import Mapping
from typing import Any

from google.cloud.firestore import Client

from memory.calls import translated

_PARTS = ("facts", "reminders", "rings", "events", "digests", "threads")
"""The collections under a conversation."""
_AT_ONCE = 400


def purge(client: Client, conversation_id: str, patience: Mapping[str, Any]) -> None:
    """Delete a conversation and all there is under it; the document itself goes last.

    So whoever finds that it was begun and not ended begins again.
    """
    conversation = client.document("conversations", conversation_id)
    with translated():
        for part in _PARTS:
            page = conversation.collection(part).select([]).limit(_AT_ONCE)
            while found := list(page.get(**patience)):
                batch = client.batch()
                for snapshot in found:
                    batch.delete(snapshot.reference)
                batch.commit(**patience)
        conversation.delete(**patience)
