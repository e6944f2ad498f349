"""A family that tells canaries, values nobody else has, and looks whether any gets out."""

import json
import re
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import grpc
import urllib3

from handlers.events import pseudonym
from local.clock import FrozenClock
from local.loopback import Answer
from local.queues import Manner
from local.world import World
from tests.conftest import NOW

NAMES = {"U1": "阿明", "U10": "阿明嫂", "U100": "小美"}
CHATS = {
    "C1": ["U1", "U10", "U100"],
    "C10": ["U1", "U10"],
    "C1a": ["U10", "U100"],
    "U1": ["U1"],
    "U10": ["U10"],
    "U100": ["U100"],
}
"""Chats and who is in them: ids that begin each other, as the names do."""

RARE = (
    "鯨藍鶴楓棕櫚霧嵐珊瑚翡翠琥珀瑪瑙薔薇茉莉蒲葦鷹隼駝鹿麒麟鳳凰蜻蜓蝴蝶螢蟬鯉鱸鯛鰻蚌蠔漣漪澗瀑"
    "岬嶼礁灣堤壩棧橋亭榭廊閣樓塔窯爐鼎硯箋帛綢緞錦繡針梭紡輪舵帆槳櫓錨纜鈴鐺鼓笛簫箏琵琶鑼鈸"
)
"""Characters that stand in no sentence but a canary's."""
THINGS = {
    "plate": lambda n: f"的車牌是 QX-{n * 739 % 9000 + 1000}",
    "locker": lambda n: f"的置物櫃是 {n * 397 % 9000 + 1000}KW",
    "mail": lambda n: f"的信箱是 momo{n}z@example.tw",
    "phone": lambda n: f"的手機是 0912-{n:03}-{n * 211 % 900 + 100}",
    "shop": lambda n: f"愛去{_rare(n, 4)}館",
    "friend": lambda n: f"認識{_rare(n, 2 + n % 3)}",
}
"""What people tell of themselves: the n-th predicate of each kind, with its value at the end."""


def _rare(n, length):
    return (RARE * 2)[4 * n % len(RARE) :][:length]


@dataclass(frozen=True)
class Canary:
    """Something told that has a value nobody else has."""

    chat: str
    owner: str
    thing: str
    predicate: str

    @property
    def text(self):
        """The whole of it, as a fact tells it."""
        return f"{self.owner}{self.predicate}"

    @property
    def value(self):
        """What must not get out."""
        return re.search(rf"[{RARE}]+館?|[!-~]+$", self.predicate)[0]


# The model.

TURN = re.compile(r"^(?:(t\d+) )?\[[^\]\n]+\] (.+?)：(.*(?:\n  .*)*)", re.MULTILINE)
SENTENCE = re.compile(r"^(s\d+) (.*(?:\n  .*)*)", re.MULTILINE)
FACT = re.compile(r"#(\d+) 「(.*?)」")
NEW_FACT = re.compile(r"新的第 (\d+) 則：「(.*?)」\n(.*(?:\n#.*)*)")
QUOTATION = re.compile(r"^（回覆.*」）", re.DOTALL)


@dataclass
class Parrot:
    """A model that repeats the canaries it is shown, and does with its tools what it is told to."""

    canaries: dict[str, Canary] = field(default_factory=dict)
    echo: int = 0
    """How many of those it sees it repeats in a reply."""
    merges: bool = False
    """It tells everything in one sentence of a summary."""
    updates: bool = False
    """Another value of a thing takes the place of the one before."""
    interruption: tuple[str, Callable[[], None]] | None = None
    """What comes to pass, once, while it thinks about a reply, a summary or verdicts."""

    def __call__(self, request):
        """Answer a generateContent body."""
        shown = "\n".join(map(said_in, request["contents"]))
        form = request.get("generationConfig", {}).get("responseSchema", {}).get("properties", {})
        self._be_interrupted(next((one for one in ("summary", "verdicts") if one in form), "reply"))
        if "summary" in form:
            return {"json": {"summary": self.summary(shown), "operations": self.operations(shown)}}
        if "verdicts" in form:
            return {"json": {"verdicts": self.verdicts(shown)}}
        asked = TURN.findall(said_in(request["contents"][-1]))
        return (self.deed(*asked[-1][1:]) if asked else None) or self.words(shown)

    def _be_interrupted(self, kind):
        if self.interruption and self.interruption[0] == kind:
            echo, (_, happen), self.interruption = self.echo, self.interruption, None
            happen()
            self.echo = echo

    def seen(self, text):
        """Return the canaries in a text, the one it has last at the end."""
        found = [canary for canary in self.canaries.values() if canary.value in text]
        return sorted(found, key=lambda canary: text.rindex(canary.value))

    def words(self, shown):
        seen = self.seen(shown)
        told = seen[max(0, len(seen) - self.echo) :]
        return "、".join(["好", *(canary.value for canary in told)])

    def deed(self, speaker, words):
        numbers = [int(no) for no in re.findall(r"忘掉.*?#(\d+)", words)]
        if numbers:
            return {"call": "forget", "args": {"numbers": numbers}}
        if "記住" not in words:
            return None
        calls = [
            {"text": one.text, "subject": one.owner, "category": "other"}
            for one, _ in self.stated(words, speaker)
        ]
        return {"calls": [{"call": "remember", "args": args} for args in calls]} if calls else None

    def stated(self, words, speaker):
        """Return the canaries somebody states, and how."""
        own = QUOTATION.sub("", words)
        forms = [
            (canary, f"{owner}{canary.predicate}")
            for canary in self.seen(own)
            for owner in ([canary.owner, "我"] if canary.owner == speaker else [canary.owner])
        ]
        return [(canary, form) for canary, form in forms if form in own]

    def summary(self, shown):
        told = [(label, f"{who}：{said}") for label, who, said in TURN.findall(shown) if label]
        told = [one for one in [*SENTENCE.findall(shown), *told] if self.seen(one[1])]
        if self.merges and told:
            labels, texts = zip(*told, strict=True)
            return [{"text": "；".join(texts), "sources": list(labels)}]
        return [{"text": text, "sources": [label]} for label, text in told]

    def operations(self, shown):
        known = {int(no): self.seen(text) for no, text in FACT.findall(shown)}
        return [
            {
                **self.relation(canary, known),
                "text": canary.text,
                "subject": canary.owner,
                "kind": "person",
                "category": "other",
                "importance": 0.6,
                "speaker": speaker,
                "evidence": form,
            }
            for label, speaker, words in TURN.findall(shown)
            for canary, form in (self.stated(words, speaker) if label else ())
        ]

    def relation(self, canary, known):
        """Return what a canary is to known facts."""
        for no, told in known.items():
            if canary in told:
                return {"relation": "same", "number": no}
            if self.updates and any(
                (one.owner, one.thing) == (canary.owner, canary.thing) for one in told
            ):
                return {"relation": "update", "number": no}
        return {"relation": "add"}

    def verdicts(self, shown):
        return [
            {"candidate": int(number)}
            | self.relation(
                self.seen(text)[0], {int(no): self.seen(fact) for no, fact in FACT.findall(known)}
            )
            for number, text, known in NEW_FACT.findall(shown)
        ]


def said_in(content):
    return "\n".join(part["text"] for part in content["parts"] if "text" in part)


# The family.


@dataclass
class Message:
    """What somebody has sent, as the family remembers it."""

    chat: str
    user: str
    id: str
    event: dict
    canaries: list[Canary]
    """Also those that it told before it was edited."""
    stands: bool = True
    """Nobody has unsent it, or had it forgotten."""


class Household:
    """A family in its chats: what it has told, and what of that must be nowhere any more."""

    def __init__(self, world, parrot):
        self.world = world
        self.parrot = parrot
        self.messages: list[Message] = []
        self.gone: set[Canary] = set()
        self.tally = Counter()
        """What has come about, since a test that never gets anywhere proves nothing."""
        self._waits = self._sends = True
        self._sent = 0
        self._chats: dict[str, str] = {}
        """By the name of the task that an event becomes."""
        for chat in CHATS:
            world.activate(chat)

    def live(self, *deeds):
        """Do things, and check after each that nothing has got anywhere it must not be."""
        for deed in deeds:
            gone = set(self.gone)
            self.do(deed)
            self._check_borders(gone & self.gone)
            if self.gone != gone:
                self.check_store()
        self.check_store()
        assert [] == [line for line in self.world.logs.lines if line["message"] == "unexpected"]

    def do(self, deed):
        """Do one thing, named first; numbers choose among what there is."""
        name, *how = deed
        getattr(self, name)(*how)

    # What it says.

    def tell(self, chat, who, things, echo):
        """Tell something: in a group for the family, else for the assistant to answer."""
        user = chosen(CHATS[chat], who)
        canaries = [self._hatched(chat, user, thing) for thing in things]
        self._say(chat, user, told_by_owner(canaries), canaries, echo)

    def remember(self, chat, who, things, echo):
        """Tell something that is to be remembered at once."""
        user = chosen(CHATS[chat], who)
        canaries = [self._hatched(chat, user, thing) for thing in things]
        self._say(chat, user, f"小幫手，記住{told_by_owner(canaries)}", canaries, echo)

    def retell(self, chat, who, which, echo, to_remember=False):
        """Tell something that was told before, even if it has been forgotten."""
        told = [canary for canary in self.parrot.canaries.values() if canary.chat == chat]
        for canary in chosen_of(told, which):
            self.gone.discard(canary)
            text = f"{'小幫手，記住' if to_remember else '對，'}{canary.text}"
            self._say(chat, chosen(CHATS[chat], who), text, [canary], echo)

    def quote(self, chat, who, which, echo):
        """Quote a message, to ask what it means."""
        for message in chosen_of([one for one in self.messages if one.chat == chat], which):
            user = chosen(CHATS[chat], who)
            self._say(chat, user, "小幫手，這是什麼？", [], echo, quote=message.id)

    def ask(self, chat, who, echo):
        """Ask the assistant what it knows."""
        self._say(chat, chosen(CHATS[chat], who), "小幫手，你知道什麼？", [], echo)

    def chat_on(self, chat, times):
        """Say so much of no interest that turns leave the window."""
        for number in range(times):
            self._say(chat, chosen(CHATS[chat], number), "嗯", [], 0)

    def pause(self, hours):
        """Let time pass; after a long silence what was said before is digested."""
        self.world.pass_time(self.world.clock.now() + timedelta(hours=hours))

    def bundle(self, *told):
        """Tell something in several chats, of which LINE sends one webhook."""
        events = []
        for chat, who, thing in told:
            user = chosen(CHATS[chat], who)
            canary = self._hatched(chat, user, thing)
            events.append(self._message(chat, user, told_by_owner([canary]), [canary]))
        self._post(*events)

    def edit(self, chat, which, thing):
        """Say something else instead of what was said."""
        for message in chosen_of(self._standing(chat), which):
            canary = self._hatched(chat, message.user, thing)
            message.canaries.append(canary)
            self._edit(message, told_by_owner([canary]))

    def edit_nothing(self, chat, which):
        """Say the same again in place of what was said."""
        for message in chosen_of([one for one in self.messages if one.chat == chat], which):
            self._edit(message, message.event["message"]["text"])

    def look(self, chat, command):
        """Have everything shown."""
        self._say(chat, CHATS[chat][0], command, [], 0)

    def change(self, chat, who, which, thing):
        """Correct a fact."""
        for no in chosen_of(self._known(chat), which):
            user = chosen(CHATS[chat], who)
            canary = self._hatched(chat, user, thing)
            self._say(chat, user, f"/改 #{no} {canary.text}", [canary], 0)

    # How it forgets.

    def forget(self, chat, who, which, by_tool, echo=0):
        """Have a fact forgotten."""
        for number in chosen_of(self._known(chat), which):
            text = f"小幫手，忘掉 #{number}" if by_tool else f"/忘記 #{number}"
            with self._forgetting(chat, {"no": number}):
                self._say(chat, chosen(CHATS[chat], who), text, [], echo)

    def unsend(self, chat, which):
        """Take a message back."""
        for message in chosen_of(self._standing(chat), which):
            message.stands = False
            source = {"source": f"m{message.id}"}
            with self._forgetting(message.chat, source, message.canaries):
                self.world.line.unsend(message.id)
                self._post(self._event("unsend", message, unsend={"messageId": message.id}))

    def forget_me(self, chat, who):
        """Have everything forgotten that one has said."""
        user = chosen(CHATS[chat], who)
        said = [one for one in self.messages if (one.chat, one.user) == (chat, user)]
        with self._forgetting(chat, {"by": user}, self._withdrawn(said)):
            self._say(chat, user, "/忘記我", [], 0)

    def delete_all(self, chat, who):
        """Have everything forgotten."""
        said = [one for one in self.messages if one.chat == chat]
        with self._forgetting(chat, {}, self._withdrawn(said)):
            self._say(chat, chosen(CHATS[chat], who), "/全部刪除 確定", [], 0)

    # What goes wrong.

    def again(self, which):
        """Have a task delivered again, long after it was done."""
        for message in chosen_of(self.messages, which):
            body = self.world.body_of(message.event)
            urllib3.request(
                "POST",
                f"{self.world.functions.url}/webhook/answer?event=0",
                body=body,
                headers={
                    "X-Line-Signature": self.world.line.sign(body),
                    "X-CloudTasks-TaskName": pseudonym(message.event["webhookEventId"]),
                },
            )

    def twice(self, deed):
        """Have everything delivered twice at once."""
        self.world.tasks.manners["events"] = Manner(times=2)
        self.do(deed)
        self.world.tasks.manners.clear()

    def amid_failure(self, call, lost, deed):
        """Have Firestore fail once."""
        code = None if lost else grpc.StatusCode.UNAVAILABLE
        self.world.firestore.fail(call, code, lost=lost)
        self.do(deed)
        self.world.firestore.faults.take(call)

    def without_model(self, deed):
        """Have Gemini fail."""
        self.world.gemini.fail("generate", Answer({}, 503), times=9)
        self.do(deed)
        while self.world.gemini.faults.take("generate"):
            pass

    def without_line(self, first, second):
        """Do something while a reply is kept that LINE has not taken yet."""
        for call in ("reply", "push"):
            self.world.line.fail(call, Answer({}, 500), times=99)
        self._waits = False
        self.do(first)
        for call in ("reply", "push"):
            while self.world.line.faults.take(call):
                pass
        self.do(second)
        self.check_store(queued=False)
        self._waits = True
        self._wait()

    def late(self, first, second):
        """Do something that arrives only after what is done next."""
        self._sends = False
        self.do(first)
        self._sends = True
        self.world.tasks.manners["events"] = Manner(reversed=True)
        self.do(second)
        self.world.tasks.manners.clear()

    def meanwhile(self, thought, first, second):
        """Do something while the model thinks about something else, else afterwards."""
        self.parrot.interruption = thought, lambda: self.do(second)
        self.do(first)
        if self.parrot.interruption:
            self.parrot.interruption = None
            self.do(second)
        else:
            self.tally["interrupted"] += 1

    # How it does it.

    def _standing(self, chat):
        return [one for one in self.messages if one.chat == chat and one.stands]

    def _hatched(self, chat, user, thing):
        number = len(self.parrot.canaries)
        canary = Canary(chat, NAMES[user], thing, THINGS[thing](number))
        assert canary.value not in self.parrot.canaries
        self.parrot.canaries[canary.value] = canary
        return canary

    def _say(self, chat, user, text, canaries, echo, quote=""):
        self.parrot.echo = echo
        self._post(self._message(chat, user, text, canaries, quote))

    def _message(self, chat, user, text, canaries, quote=""):
        event = self.world.message(user, chat, self.world.family.text(text, quote=quote))
        self.messages.append(Message(chat, user, event["message"]["id"], event, [*canaries]))
        return event

    def _edit(self, message, text):
        edited = self.world.family.text(text) | {"id": message.id}
        token = self.world.line.issue_reply_token(message.chat)
        self._post(self._event("messageEdited", message, message=edited, replyToken=token))

    def _event(self, kind, of, **properties):
        return self.world.family.event(kind, of.user, of.chat, **properties)

    def _post(self, *events):
        """Send events in one webhook, and wait until all that comes of it has come."""
        for event in events:
            source = event["source"]
            chat = source.get("groupId") or source["userId"]
            self._chats[pseudonym(event["webhookEventId"])] = chat
        if self._sends:
            self.world.send(*events)
        else:
            self.world.receive(self.world.body_of(*events))
        self.world.clock.advance(timedelta(seconds=1))
        if self._waits:
            self._wait()

    def _wait(self):
        """Wait until all that is queued is done."""
        while self._sends and (due := self.world.tasks.next_due()):
            self.world.pass_time(due)

    def _known(self, chat):
        """Return the numbers of the facts that hold."""
        return [no for no, fact in sorted(self.facts()[chat].items()) if fact["active"]]

    def window(self, chat):
        """Return a chat's conversation as it is stored."""
        return self.world.store(chat).read()

    def facts(self):
        """Return every fact there is, by chat and number."""
        facts = {chat: {} for chat in CHATS}
        for snapshot in self.world.database.collection_group("facts").stream():
            _, chat, _, no = snapshot.reference.path.split("/")
            stored = snapshot.to_dict()
            stored.pop("embedding", None)
            facts[chat][int(no)] = {**stored, "no": int(no), "source": stored["sources"][0]}
        return facts

    def _withdrawn(self, messages):
        for message in messages:
            message.stands = False
        return [canary for message in messages for canary in message.canaries]

    @contextmanager
    def _forgetting(self, chat, meant, told=()):
        """Expect the facts that are meant to go, and those before them; and nothing else."""
        facts, window = self.facts(), self.window(chat)
        yield
        left = self.facts()
        numbers = {no for no, fact in facts[chat].items() if meant.items() <= fact.items()}
        numbers |= {no for one in numbers for no in facts[chat][one].get("replaces", ())}
        forgotten = {no: facts[chat].pop(no) for no in numbers if no in facts[chat]}
        assert not forgotten.keys() & left[chat].keys(), f"{chat} still has what was forgotten"
        for other, known in facts.items():
            assert texts(known).items() <= texts(left[other]).items(), f"{other} lost facts"
        gone = set(self.parrot.seen(words(forgotten))) - set(self.parrot.seen(words(left[chat])))
        for message in self.messages:
            # Its rule is that another's mention goes as well, where it says whose value it is.
            message.stands &= not gone & set(message.canaries)
        self._check_window(chat, window, forgotten)
        standing = {one for message in self.messages if message.stands for one in message.canaries}
        self.gone |= {*gone, *told} - standing
        self.tally["forgotten"] += len({*gone, *told} - standing)

    def _check_window(self, chat, before, forgotten):
        """Check that turns that have told nothing of what is forgotten are still there."""
        after = self.window(chat)
        if after.watermark != before.watermark:
            return
        sources = {source for fact in forgotten.values() for source in fact["sources"]}
        for message in self._standing(chat):
            turn = before.find(message.id)
            if turn and turn.id not in sources:
                assert turn == after.find(message.id), f"{chat} lost a turn"

    # What must be so.

    def _check_borders(self, gone):
        """Check that what crossed a border is no other chat's, and nothing that was forgotten."""
        crossed = []
        for line in self.world.journal.new():
            crossed.append(line)
            if line.get("from") == "answer" and "status" in line:
                # What is done for a task stands in the journal before the answer to it.
                for before in crossed:
                    self._check_line(before, self._chats[line["task"]], gone)
                crossed.clear()
        assert [] == [line for line in crossed if line.get("to") == "gemini"]
        for sent in self.world.line.sent[self._sent :]:
            self._check(sent.messages, {sent.chat_id}, gone, f"a message to {sent.chat_id}")
        self._sent = len(self.world.line.sent)

    def _check_line(self, line, chat, gone):
        if line.get("to") == "gemini":
            self._check(line["body"], {chat}, gone, f"what {line['call']} is asked for {chat}")
        if line.get("to") == "line":
            self._check(line["body"], {chat}, gone, f"what LINE is told for {chat}")
        if line.get("to") == "tasks":
            # A task carries the webhook it came in, with what LINE sent along from other chats.
            events = json.loads(line["payload"])["events"]
            chats = {self._chats[pseudonym(event["webhookEventId"])] for event in events}
            self._check(line["payload"], chats, set(), f"a task of {' and '.join(chats)}")

    def check_store(self, *, queued=True):
        """Check that what is stored is no other chat's, and nothing that was forgotten."""
        for path, document in self.world.documents().items():
            self._check(document, {path.split("/")[1]}, self.gone, path)
        for payload in self.world.tasks.payloads() if queued else ():
            self._check(payload, set(CHATS), self.gone, "a queued task")
        self._check(self.world.logs.lines, set(), set(), "the log")

    def _check(self, content, chats, gone, where):
        seen = self.parrot.seen(json.dumps(content, ensure_ascii=False, default=str))
        assert [] == [canary for canary in seen if canary.chat not in chats], where
        assert [] == [canary for canary in seen if canary in gone], where


def chosen(things, which):
    return things[which % len(things)]


def chosen_of(things, which):
    """Return one of what there is, if there is anything."""
    return [chosen(things, which)] if things else []


def told_by_owner(canaries):
    return "，".join(f"我{canary.predicate}" for canary in canaries)


def texts(facts):
    return {no: (fact["text"], fact["by"]) for no, fact in facts.items()}


def words(facts):
    return "\n".join(fact["text"] for fact in facts.values())


@contextmanager
def household(firestore, *, room=3000, **temper):
    """Make a family with a model of some temper, and room for so many tokens of facts."""
    parrot = Parrot(**temper)
    with World(
        FrozenClock(NOW),
        firestore,
        settings={"WINDOW_TURNS": "4", "BOARD_TOKENS": str(room), "FIRESTORE_PATIENCE": "0"},
        names=NAMES,
        groups={chat: members for chat, members in CHATS.items() if chat[0] == "C"},
        stand_in=parrot,
    ) as world:
        yield Household(world, parrot)
