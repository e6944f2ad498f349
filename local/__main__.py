"""`python -m local chat`, `python -m local play STORY.yaml`, `python -m local kill STORY.yaml`."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from local import stand_in
from local.chat import chat, label, real_gemini
from local.emulator import NoEmulator, metered_emulator
from local.kills import kill_everywhere
from local.player import Player, StoryFailed
from local.processes import Zygote
from local.story import BadStory, Story, read_story
from local.transcript import Transcript, stored
from local.world import World

_TOUR = Path(__file__).parent / "tour.yaml"


def main() -> int:
    """Do what the command line asks for; return the exit status."""
    arguments = _arguments()
    try:
        if arguments.command == "play":
            story = read_story(arguments.story)
            return _play(story, as_chat=arguments.chat, dump=arguments.dump)
        if arguments.command == "kill":
            return _kill(read_story(arguments.story))
        if sys.stdin.isatty():
            with metered_emulator() as firestore:
                chat(firestore)
            return 0
        print(f"No terminal, so this is the tour. {label()}\n")
        return _play(read_story(_TOUR), as_chat=True, dump=True, demo=True)
    except BadStory as error:
        print(error, file=sys.stderr)
        return 2
    except NoEmulator as error:
        print(error, file=sys.stderr)
        return 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("chat", help="chat in the terminal; without one, play the tour")
    play = commands.add_parser("play", help="play a story")
    play.add_argument("story", type=Path)
    play.add_argument("--dump", action="store_true", help="show at the end what is stored")
    play.add_argument("--chat", action="store_true", help="show chats instead of JSON lines")
    kill = commands.add_parser("kill", help="play a story once for every request to die at")
    kill.add_argument("story", type=Path)
    return parser.parse_args()


def _play(story: Story, *, as_chat: bool, dump: bool, demo: bool = False) -> int:
    """Play a story, showing what happens; return 0 if all went as expected, else 1."""
    how: dict[str, Any] = {}
    if demo:
        how = {"settings": real_gemini(), "stand_in": stand_in.answer}
    with metered_emulator() as firestore, Player(story, firestore, **how) as player:
        world = player.world
        show = Transcript(world).lines if as_chat else partial(_json_lines, world)
        try:
            for _ in player.play():
                _print(show())
        except StoryFailed as failure:
            _print(show())
            print(failure, file=sys.stderr)
            return 1
        if dump:
            print(f"\n{stored(world)}", end="")
    return 0


def _kill(story: Story) -> int:
    """Play a story once for every request to die at; return 0 if all ended as it should, else 1."""
    wrong = 0
    with metered_emulator() as firestore, Zygote() as zygote:
        for outcome in kill_everywhere(story, firestore, zygote):
            print(outcome, flush=True)
            wrong += bool(outcome.problems)
    return int(wrong > 0)


def _json_lines(world: World) -> Iterator[str]:
    for line in world.journal.new():
        yield json.dumps(line, ensure_ascii=False)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


if __name__ == "__main__":
    sys.exit(main())
