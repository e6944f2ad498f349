"""What the doctor says, in the languages a deployer may choose."""

from collections.abc import Mapping
from dataclasses import dataclass

from services.settings import Language


@dataclass(frozen=True, slots=True)
class DoctorWording:
    """One language."""

    asks_id: str
    asks_secret: str
    lacking: str
    """Nothing was told where it was asked; then nothing is done."""

    says: str
    """What LINE says, behind a finding; a format of `answer`."""
    unreachable: str
    """A format of `reason`."""
    unreachable_todo: str
    refused: str
    """LINE would not tell something."""
    refused_todo: str

    known: str
    unknown: str
    unknown_todo: str
    """A format of `basics`."""

    set: str
    not_set: str
    not_set_todo: str
    """A format of `url api`."""

    tested: str
    failed: str
    untested: str
    untested_todo: str
    causes: Mapping[str, str]
    """What is to be done, by LINE's reason or the function's status; formats of `logs`."""
    other_cause: str

    account: str
    """A format of `name id`."""
    chat_on: str
    """Likewise."""
    chat_on_todo: str
    """A format of `response`."""
    read_by_hand: str
    """What is told of an account that reads nothing by itself; stands behind `chat_on`."""

    in_use: str
    switched_off: str
    switched_off_todo: str
    """A format of `api`."""
    no_address: str
    other_address: str
    """A format of `endpoint`."""
    address_todo: str
    """Both are put right by the same command without --check."""

    used: str
    """A format of `used limit`."""
    unlimited: str
    """A format of `used`."""
    used_up: str
    """A format of `used limit`."""
    used_up_todo: str
    """A format of `manager`."""

    by_hand: str
    """The heading of what LINE tells no program."""
    switches: tuple[str, ...]
    """Formats of `api response account`."""

    first: str
    """The last line, if something is wrong."""
    healthy: str
    """The last line, if nothing is."""


DOCTOR_WORDINGS: Mapping[Language, DoctorWording] = {
    "zh-TW": DoctorWording(
        asks_id="LINE 的 Channel ID（十位數字）：",
        asks_secret="LINE 的 Channel secret（打字時不會顯示）：",
        lacking="要有 Channel ID 和 Channel secret 才能問 LINE。",
        says="（LINE 說：{answer}）",
        unreachable="連不上 LINE：{reason}",
        unreachable_todo="檢查這台電腦的網路，再執行一次。",
        refused="LINE 不肯回答",
        refused_todo="過幾分鐘再執行一次；還是這樣，就把上面 LINE 說的話拿去查。",
        known="LINE 認得這組 Channel ID 和 Channel secret",
        unknown="LINE 不認得這組 Channel ID 和 Channel secret",
        unknown_todo="從 {basics} 重新複製這兩樣，要是同一個 channel 的。",
        set="Webhook URL 設好了，最多一分鐘後生效",
        not_set="LINE 沒有收下 Webhook URL",
        not_set_todo="到 {api} 的「Webhook URL」按「Edit」，自己貼上 {url}",
        tested="LINE 測試成功",
        failed="LINE 測試失敗",
        untested="LINE 這次不肯測試",
        untested_todo="LINE 一小時只測 60 次，等一下再執行。",
        causes={
            "REQUEST_TIMEOUT": (
                "函式兩秒內沒有回答，試了兩次都是。剛部署完等一分鐘再執行；"
                "一直這樣，就在 terraform.tfvars 設 min_instances = 1，再 apply。"
            ),
            "COULD_NOT_CONNECT": (
                "那個網址沒有人接。看看專案和區域對不對、terraform apply 有沒有跑完。"
            ),
            "401": (
                "函式知道的 Channel secret 不是 LINE 現在用的：apply 的時候打錯，或後來換過。"
                "把 terraform.tfvars 的 secrets_version 加一，再 apply，輸入剛才這個 secret。"
            ),
            "403": (
                "Google 不讓 LINE 進來：再 apply 一次。還是這樣，就是你的 Google Cloud 組織禁止公開"
                "（allUsers），請用不在組織裡的專案，或找組織的管理員。"
            ),
            "404": "那裡沒有這個函式。看看專案和區域對不對、terraform apply 有沒有跑完。",
            "429": "函式正忙，或達到最多的執行個體數。過幾分鐘再執行。",
            "500": "函式的設定不對，或出了意外。紀錄裡有原因：{logs}",
            "503": "函式還沒準備好。過幾分鐘再執行；還是這樣就看紀錄：{logs}",
        },
        other_cause="看函式的紀錄：{logs}",
        account="官方帳號是「{name}」（{id}），「聊天」是關的",
        chat_on="官方帳號「{name}」（{id}）的「聊天」是開的",
        chat_on_todo="到 {response} 關掉「聊天」，讓機器人自己回話。",
        read_by_hand="，訊息不會自動標成已讀",
        in_use="「Use webhook」是開的",
        switched_off="「Use webhook」是關的，LINE 什麼都不會送來",
        switched_off_todo="到 {api} 打開「Use webhook」。只有人能開。",
        no_address="LINE 還不知道要送到哪裡",
        other_address="LINE 送到別的網址去了：{endpoint}",
        address_todo="不加 --check 再執行一次，就會設好。",
        used="這個月主動發了 {used} 則，上限 {limit} 則；回話不算",
        unlimited="這個月主動發了 {used} 則，沒有上限",
        used_up=(
            "這個月能主動發的 {limit} 則用完了（發了 {used} 則），提醒會等到下一次回話才一起說"
        ),
        used_up_todo="等下個月一號，或到 {manager} 換方案。",
        by_hand="這些 LINE 不告訴程式，請自己看一眼：",
        switches=(
            "「自動回應訊息」和「加入好友的歡迎訊息」：關。{response}",
            "「接受邀請加入群組或多人聊天室」：要在群組裡用就開。{account}",
            "「Webhook redelivery」：開。路上掉了的會再送來，不會回兩次。{api}",
        ),
        first="照第一個 → 做，再執行一次。",
        healthy=(
            "LINE 這邊都好了。在聊天室還是不回話，就看它有沒有啟用、在群組裡有沒有叫它，"
            "再看 docs/operations.md。"
        ),
    ),
    "en": DoctorWording(
        asks_id="LINE's channel ID (ten digits): ",
        asks_secret="LINE's channel secret (not shown as you type): ",
        lacking="LINE can't be asked without a channel ID and a channel secret.",
        says=" (LINE says: {answer})",
        unreachable="LINE can't be reached: {reason}",
        unreachable_todo="See whether this computer is online, and try again.",
        refused="LINE does not tell",
        refused_todo="Try again in some minutes; if that does not help, look up what LINE says.",
        known="LINE knows this channel ID and channel secret",
        unknown="LINE does not know this channel ID with this channel secret",
        unknown_todo="Copy both anew from {basics}: they have to be the same channel's.",
        set="The webhook URL is set; within a minute LINE uses it",
        not_set="LINE did not take the webhook URL",
        not_set_todo='At {api} press "Edit" beside "Webhook URL" and paste {url}',
        tested="LINE's test succeeds",
        failed="LINE's test fails",
        untested="LINE does not test just now",
        untested_todo="LINE tests 60 times an hour: try again later.",
        causes={
            "REQUEST_TIMEOUT": (
                "The function did not answer within two seconds, twice. Right after a deployment, "
                "try again in a minute; if it stays so, set min_instances = 1 in terraform.tfvars "
                "and apply."
            ),
            "COULD_NOT_CONNECT": (
                "Nobody is at that address. Are project and region right, and did terraform apply "
                "come to its end?"
            ),
            "401": (
                "The function has another channel secret than LINE: it was mistyped at the apply, "
                "or reissued since. Raise secrets_version in terraform.tfvars by one, apply, and "
                "give the secret you gave here."
            ),
            "403": (
                "Google does not let LINE in: apply once more. If it stays so, your Google Cloud "
                "organisation forbids what is public (allUsers): take a project without one, or "
                "ask its administrator."
            ),
            "404": (
                "There is no such function. Are project and region right, and did terraform apply "
                "come to its end?"
            ),
            "429": (
                "The function is busy, or has as many instances as it may. Try again in some "
                "minutes."
            ),
            "500": "The function's settings are wrong, or something unexpected happened: {logs}",
            "503": (
                "The function is not ready. Try again in some minutes; if it stays so, look into "
                "its log: {logs}"
            ),
        },
        other_cause="Look into the function's log: {logs}",
        account='The official account is "{name}" ({id}), and its chat is off',
        chat_on='The official account "{name}" ({id}) has its chat on',
        chat_on_todo='At {response} turn "Chat" off, so that the bot answers by itself.',
        read_by_hand=", and messages aren't marked as read by themselves",
        in_use='"Use webhook" is on',
        switched_off='"Use webhook" is off: LINE sends nothing',
        switched_off_todo='At {api} turn "Use webhook" on. Only a person can.',
        no_address="LINE has no address to call",
        other_address="LINE calls another address: {endpoint}",
        address_todo="Run this without --check, and it is put right.",
        used="{used} of {limit} pushes are used this month; replies are free",
        unlimited="{used} pushes this month, and no limit",
        used_up=(
            "This month's {limit} pushes are used up ({used}): reminders come with the next reply"
        ),
        used_up_todo="Wait for the first of the month, or change the plan at {manager}",
        by_hand="LINE tells no program of these; please look for yourself:",
        switches=(
            '"Auto-response messages" and "Greeting message": off. {response}',
            '"Allow bot to join group chats": on, to have it in groups. {account}',
            '"Webhook redelivery": on. What is lost on the way comes again, and nothing is '
            "answered twice. {api}",
        ),
        first="Do what the first → says, and run this again.",
        healthy=(
            "All is well on LINE's side. If it is silent all the same: is the chat activated, and "
            "is it called, in groups? Then see docs/operations.md."
        ),
    ),
}
