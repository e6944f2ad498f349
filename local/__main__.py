"""`python -m local chat` and `python -m local play STORY.yaml`."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from local import stand_in
from local.chat import chat, label, real_gemini
from local.emulator import NoEmulator, emulator
from local.player import Player, StoryFailed
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
        if sys.stdin.isatty():
            with emulator():
                chat()
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
    return parser.parse_args()


def _play(story: Story, *, as_chat: bool, dump: bool, demo: bool = False) -> int:
    """Play a story, showing what happens; return 0 if all went as expected, else 1."""
    with emulator():
        settings = real_gemini() if demo else {}
        player = Player(story, settings=settings, stand_in=stand_in.answer if demo else None)
        with player.world as world:
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


def _json_lines(world: World) -> Iterator[str]:
    for line in world.journal.new():
        yield json.dumps(line, ensure_ascii=False)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


if __name__ == "__main__":
    sys.exit(main())
