"""Upkeep, by hand: `python -m memory.upkeep rebuild` and `python -m memory.upkeep reembed`.

Both read the deployment's settings from the environment, as the functions do, and go through every
conversation of the project. They may be run at any time and any number of times.
"""

import argparse
import logging
import os
from collections.abc import Iterator

from memory.calls import patience
from memory.conversation import Conversation
from memory.recall import Recall
from memory.store import Store
from services import logs
from services.settings import Settings
from services.wiring import Services

log = logging.getLogger(__name__)

_TRIES = 6


def rebuild(services: Services) -> int:
    """Make every board and agenda anew from what they show; return how many there were.

    The alarms may be lost as well, as where a copy was restored, so that they are set anew once
    somebody talks to the assistant.
    """
    count = 0
    for store in _stores(services):
        recall = Recall(store, services)
        store.forget_alarms()
        count += any(_rebuilt(store, recall, store.read()) for _ in range(_TRIES))
    return count


def reembed(services: Services) -> int:
    """Embed every fact whose vector is another model's, or none; return how many there were."""
    count = 0
    model = services.settings.embed_model
    for store in _stores(services):
        facts = store.records.embedded_otherwise(model)
        vectors = services.gemini.embed([fact.text for fact in facts], "document")
        by_number = {fact.no: vector for fact, vector in zip(facts, vectors, strict=True)}
        store.records.embed(by_number, model)
        store.mark_embedded()
        count += len(facts)
    return count


def _rebuilt(store: Store, recall: Recall, conversation: Conversation) -> bool:
    draft = recall.draft(conversation)
    facts = store.records.all()
    reminders = store.diary.every()
    draft.show(facts)
    draft.agenda = {reminder.no: reminder for reminder in reminders if reminder.is_pending}
    used = [*(fact.no for fact in facts), *(reminder.no for reminder in reminders)]
    draft.next_no = max([draft.next_no, *(no + 1 for no in used)])
    draft.clear_board(recall.today(draft.before))
    return store.commit(draft)


def _stores(services: Services) -> Iterator[Store]:
    """Yield what each conversation is kept in."""
    settings = services.settings
    for conversation in services.firestore.collection("conversations").select(()).stream():
        yield Store(
            services.firestore,
            conversation.id,
            services.clock,
            patience=patience(settings.firestore_patience),
        )


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m memory.upkeep", description=__doc__)
    parser.add_argument("what", choices=("rebuild", "reembed"))
    what = parser.parse_args().what
    logs.configure()
    services = Services(Settings.from_env(os.environ))
    count = rebuild(services) if what == "rebuild" else reembed(services)
    log.info("upkeep done", extra={"what": what, "count": count})


if __name__ == "__main__":
    main()
