"""The sentences about reminders, in the languages a family may choose."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from services.settings import Language

Button = Literal["done", "later", "tomorrow"]


@dataclass(frozen=True, slots=True)
class ReminderWording:
    """One language."""

    instruction: str
    """What the system instruction says of them."""
    heading: str
    """The heading of the agenda in a prompt."""
    pending: str
    """A pending reminder; a format of `no when text notes`."""
    confirmation: str
    """The same as a confirmation; a format of `no when text notes`."""
    notes: str
    """What is noted behind it; a format of `notes`."""
    between: str
    """Between two notes, or two names."""
    whom: str
    """A note; a format of `names`."""
    everyone: str

    set: str
    """A format of `reminder`, as the confirmation tells it."""
    changed: str
    """Likewise."""
    cancelled: str
    """Likewise."""
    not_set: str
    """Said instead of everything else: the alarm could not be made."""
    correction: str
    """Tells the model that it said what it has not done."""
    nothing_set: str
    """Contradicts a model that insists on it."""

    needs_time: str
    """The model names no time; a format of `now`."""
    two_times: str
    past: str
    """A format of `when now`."""
    too_far: str
    unreadable: str
    """A format of `problem now`."""
    empty: str
    too_long: str
    too_many: str
    """A format of `most`."""
    nobody: str
    """A format of `names known`."""
    unchanged: str
    """A change that names nothing to change."""

    listed: str
    """The heading of a list."""
    none: str
    list_end: str
    which: str
    """A command that names no reminder."""

    ring: str
    """Stands before what is said at the time."""
    late: str
    """Stands before what is said late; a format of `when`."""
    card: str
    """Above the buttons; a format of `no text`."""
    alt: str
    """What a phone shows of the buttons; a format of `text`."""
    buttons: Mapping[Button, str]
    taps: Mapping[Button, str]
    """What a tap says in the chat; a format of `text`."""
    done: str
    """A format of `name text`."""
    used: str
    gone: str
    few: str
    """A format of `count`."""
    owed: str
    """The heading of what could not be told in time."""

    usage: str
    """A format of `used limit left cost`."""
    unlimited: str
    """A format of `used`."""
    zone: str
    """A format of `zone now`."""
    zone_kept: str
    no_zone: str
    """A format of `name`."""


ZH = ReminderWording(
    instruction=(
        "有人要你在某個時間提醒、通知、叫他，用 set_reminder；改用 change_reminder，"
        "取消用 cancel_reminder，號碼在【提醒】裡。時間不清楚就先問；"
        "text 只寫到時候要說的那句話，用他們的話，不要代為執行。"
        "設好的內容會由系統附在回答後面，你不用再念一次；沒有呼叫就不要說設好了。"
    ),
    heading="【提醒】",
    pending="#{no} {when}「{text}」{notes}",
    confirmation="#{no} {when} 提醒：{text}{notes}",
    notes="（{notes}）",
    between="、",
    whom="提醒 {names}",
    everyone="大家",
    set="⏰ {reminder}",
    changed="⏰ 改成 {reminder}",
    cancelled="取消了 {reminder}",
    not_set="抱歉，鬧鐘現在設不成，所以這個提醒沒有設好。請過幾分鐘再跟我說一次。",
    correction=(
        "（系統：你說會提醒或已經設好、改好、取消了提醒，但這次沒有呼叫任何提醒工具，"
        "所以什麼都沒有設。需要的話現在呼叫；不需要就重新回答，不要說設好了。）"
    ),
    nothing_set="（這次沒有設定、更改或取消任何提醒。）",
    needs_time="要有 at 或 in_minutes。現在是 {now}。不知道時間就問對方。",
    two_times="at 和 in_minutes 只能給一個。",
    past="{when} 已經過了，現在是 {now}。要設什麼時候，請問清楚。",
    too_far="太遠了，最多設到十年後。",
    unreadable="{problem} 現在是 {now}。",
    empty="要寫出到時候說什麼。",
    too_long="太長了，一則提醒最多 300 個字。",
    too_many="這裡已經有 {most} 則提醒，請先取消幾則。",
    nobody="這裡沒有叫 {names} 的人。有：{known}；或用 everyone。",
    unchanged="沒有說要改什麼。",
    listed="還有 {count} 則提醒：",
    none="目前沒有提醒。跟我說「明天早上八點提醒我…」就好。",
    list_end="取消：/取消 #號碼",
    which="請寫出號碼，例如「/取消 #3」。號碼在「/提醒」裡。",
    ring="⏰ ",
    late="⏰（遲到）原定 {when}：",
    card="#{no} {text}",
    alt="提醒：{text}",
    buttons={"done": "完成", "later": "10 分鐘後", "tomorrow": "明天同一時間"},
    taps={
        "done": "完成：{text}",
        "later": "10 分鐘後再提醒：{text}",
        "tomorrow": "明天同一時間再提醒：{text}",
    },
    done="✅ {name}完成了：{text}",
    used="這個按鈕已經用過了。",
    gone="這則提醒已經不在了。",
    few="（這個月大約還能提醒 {count} 次）",
    owed="這些提醒沒能準時說：",
    usage=(
        "這個月的推播用了 {used} 則，額度 {limit} 則，還剩 {left} 則。"
        "在這裡提醒一次用 {cost} 則；回話不用額度。"
    ),
    unlimited="這個月的推播用了 {used} 則，沒有上限；回話不算在內。",
    zone="這裡的時區是 {zone}，現在是 {now}。",
    zone_kept="之前設好的提醒照原來的時區。",
    no_zone="我不認得時區「{name}」。請寫城市，例如「/時區 東京」或「/時區 Asia/Tokyo」。",
)

EN = ReminderWording(
    instruction=(
        "When somebody wants to be reminded, told or called at a time, call set_reminder; to "
        "change one, change_reminder; to cancel one, cancel_reminder; the numbers are under "
        "[Reminders]. Ask when the time is not clear. In text write only what is to be said "
        "then, in their words; do not carry it out. What was set is added to your answer by the "
        "system, so do not repeat it; without a call, never say it is set."
    ),
    heading="[Reminders]",
    pending='#{no} {when} "{text}"{notes}',
    confirmation="#{no} {when} reminder: {text}{notes}",
    notes=" ({notes})",
    between=", ",
    whom="for {names}",
    everyone="everyone",
    set="⏰ {reminder}",
    changed="⏰ Changed to {reminder}",
    cancelled="Cancelled {reminder}",
    not_set=(
        "Sorry, the alarm can't be set just now, so there is no such reminder. Please tell me "
        "again in a few minutes."
    ),
    correction=(
        "(System: you said that you will remind somebody, or that a reminder is set, changed or "
        "cancelled, but you called no reminder tool, so nothing is. Call it now if it is wanted; "
        "else answer again without saying so.)"
    ),
    nothing_set="(No reminder was set, changed or cancelled just now.)",
    needs_time="Give at or in_minutes. It is now {now}. Ask if you do not know the time.",
    two_times="Give only one of at and in_minutes.",
    past="{when} is over; it is now {now}. Ask for the time that is meant.",
    too_far="That is too far ahead: ten years at most.",
    unreadable="{problem} It is now {now}.",
    empty="Say what is to be said then.",
    too_long="Too long: 300 characters at most for a reminder.",
    too_many="There are {most} reminders here already; cancel some first.",
    nobody="Nobody here is called {names}. There are: {known}; or use everyone.",
    unchanged="Say what is to be changed.",
    listed="Reminders to come: {count}",
    none='There are no reminders. Just tell me "remind me at eight tomorrow to …".',
    list_end="To cancel one: /cancel #number",
    which='Please give its number, as in "/cancel #3". "/reminders" shows the numbers.',
    ring="⏰ ",
    late="⏰ (late) was due {when}: ",
    card="#{no} {text}",
    alt="Reminder: {text}",
    buttons={"done": "Done", "later": "In 10 minutes", "tomorrow": "Tomorrow"},
    taps={
        "done": "Done: {text}",
        "later": "Remind again in 10 minutes: {text}",
        "tomorrow": "Remind again tomorrow: {text}",
    },
    done="✅ {name} did it: {text}",
    used="This button has been used already.",
    gone="This reminder is there no longer.",
    few="(About {count} more reminders this month)",
    owed="These reminders could not be told in time:",
    usage=(
        "This month {used} of {limit} pushes are used, {left} are left. A reminder here takes "
        "{cost}; answers are free."
    ),
    unlimited="This month {used} pushes are used; there is no limit. Answers do not count.",
    zone="The time zone here is {zone}; it is now {now}.",
    zone_kept="Reminders set before keep theirs.",
    no_zone='I don\'t know the time zone "{name}". Name a city, as in "/timezone Asia/Tokyo".',
)

_LANGUAGES: dict[Language, ReminderWording] = {"zh-TW": ZH, "en": EN}


def reminder_wording(language: Language) -> ReminderWording:
    """Return the sentences of a language."""
    return _LANGUAGES[language]
