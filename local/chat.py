"""A chat in the terminal: you are the family."""

import os
from datetime import timedelta

from local import stand_in
from local.clock import MovableClock
from local.durations import read_duration
from local.firestore import FirestoreServer
from local.transcript import Transcript, stored
from local.world import World

_FAMILY = {"Umom": "媽媽", "Udad": "爸爸", "Umei": "小美"}
_GROUP = "Chome"
_SETTINGS = {"WINDOW_TURNS": "8"}
"""A small window, so that what leaves it is soon seen."""
_HELP = """\
  直接打字就是說話。在群組裡，叫「小幫手」或打 @小幫手 它才會回話。
  它聽得懂「記住…」「忘記 #1」，還有 /記憶 這些指令：打 /說明 看全部。
  :媽媽 :爸爸 :小美   換人說話            :群組 :一對一   換地方
  +10m +2h +1d        讓時間過去          :存了什麼       看資料庫
  ?                   這段說明            :q              離開
  隔了 6 小時再說話，或話多了，較早的話就收進摘要，值得記的就記下來（📝）。
  (Type to talk. :NAME changes who speaks, :group or :private where; :stored shows what is kept.
  Say "remember …" and "forget #1"; /help lists the commands. After +7h old talk is digested.)"""


def real_gemini() -> dict[str, str]:
    """Return the settings that lead to the real Gemini, where there is a key for it."""
    key = os.environ.get("GEMINI_API_KEY", "")
    return {"GEMINI_API_KEY": key, "GEMINI_URL": ""} if key else {}


def label() -> str:
    """Say who is going to answer."""
    if real_gemini():
        return "Gemini: the real model, through GEMINI_API_KEY."
    return "Gemini: a rule-based stand-in (set GEMINI_API_KEY for the real model)."


def chat(firestore: FirestoreServer) -> None:
    """Chat until the input ends."""
    world = World(
        MovableClock(),
        firestore,
        settings=_SETTINGS | real_gemini(),
        names=_FAMILY,
        groups={_GROUP: list(_FAMILY)},
        stand_in=stand_in.answer,
    )
    with world:
        for place in (_GROUP, *_FAMILY):
            world.activate(place)
        print(f"{label()}\n{_HELP}\n")
        _Terminal(world).run()


class _Terminal:
    """Whose turn it is, and where."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._transcript = Transcript(world)
        self._user = next(iter(_FAMILY))
        self._in_group = False

    def run(self) -> None:
        """Take lines until there are no more."""
        while True:
            try:
                line = input(self._prompt()).strip()
            except (EOFError, KeyboardInterrupt):
                print()
                return
            if line in {":q", ":quit"}:
                return
            if line:
                self._take(line)

    def _prompt(self) -> str:
        local = self._world.clock.now().astimezone(self._world.settings.timezone)
        place = "群組" if self._in_group else "一對一"
        return f"{local:%m/%d %H:%M} 【{place}】{_FAMILY[self._user]}> "

    def _take(self, line: str) -> None:
        if line == "?":
            print(_HELP)
        elif line.startswith(":"):
            self._switch(line[1:].strip())
        elif line.startswith("+"):
            self._pass_time(line[1:])
        else:
            self._world.say(self._user, line, _GROUP if self._in_group else self._user)
        list(self._transcript.family_lines())
        for said in (*self._transcript.assistant_lines(), *self._transcript.digest_lines()):
            print(said)

    def _switch(self, to: str) -> None:
        people = {name: user for user, name in _FAMILY.items()}
        if to in {"群組", "group"}:
            self._in_group = True
        elif to in {"一對一", "private"}:
            self._in_group = False
        elif to in {"存了什麼", "stored"}:
            print(stored(self._world))
        elif to in people:
            self._user = people[to]
        else:
            print(_HELP)

    def _pass_time(self, duration: str) -> None:
        try:
            passed: timedelta = read_duration(duration)
        except ValueError as error:
            print(f"  {error}")
            return
        self._world.pass_time(self._world.clock.now() + passed)
