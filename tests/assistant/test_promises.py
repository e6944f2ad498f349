"""Which answers claim that something was done about reminders, and which do not."""

import time

import pytest

from assistant.promises import promises

CLAIMS = [
    "好，我八點會提醒你。",
    "好的，到時候提醒你！",
    "沒問題，明天早上七點叫你起床。",
    "OK，我七點叫你。",
    "好，晚上八點會準時通知大家。",
    "收到，到時我再跟你說一聲，提醒你倒垃圾。",
    "沒問題，到時候我會叫你！",
    "我會在九點提醒你開會。",
    "好，每天早上七點我都會提醒媽媽吃藥。",
    "了解，十分鐘後提醒您關火。",
    "好，明天一早我來提醒爸爸。",
    "我會記得提醒你的。",
    "放心，我不會忘記提醒你。",
    "好，八點提醒你倒垃圾。",
    "八點我會喊你。",
    "我等一下提醒你收衣服。",
    "好喔，晚點我會再提醒一次。",
    "那我七點半提醒小美寫功課。",
    "到時候會發訊息通知你。",
    "好，我會提前二十分鐘提醒。",
    "沒問題，週五早上會提醒妳們。",
    "已經幫你設好提醒了。",
    "提醒設好了，明天七點見。",
    "好，已設定明天早上七點的提醒。",
    "設定完成！每週二、五晚上八點提醒倒垃圾。",
    "幫你設了一個八點的提醒。",
    "已為您建立提醒：12/02 08:00 吃藥。",
    "我幫你把鬧鐘設在七點了。",
    "鬧鐘已經設定好囉。",
    "提醒已新增。",
    "已加入提醒：倒垃圾。",
    "好，已安排每天的提醒。",
    "幫你加好提醒了～",
    "我已經取消那個提醒了。",
    "提醒已經取消了喔。",
    "取消提醒了。",
    "好，幫你取消 #3 的提醒。",
    "已取消 #3。",
    "#3 取消好了。",
    "提醒改到九點了。",
    "已經把提醒改成九點。",
    "好，提醒時間更新為 21:00。",
    "幫你改好提醒的時間了。",
    "倒垃圾的提醒已經刪除。",
    "⏰ #1 12/01（二）20:00 提醒：倒垃圾",
    "好了，提醒設在晚上八點。",
    "記下了，八點會跳提醒給你。",
    "沒問題！提醒已排定。",
    "已設提醒",
    "設好囉！明天七點叫你。",
    "提醒你倒垃圾的時間改成九點囉。",
    "你要我提醒的事都設好了，需要再改嗎？",
    "好，明天七點提醒你。還有別的事嗎？",
    "好，我明天七點提醒你檢查前不能吃東西。",
    "八點提醒你可以關火了。",
    "提醒設好了：明天不會下雨的話曬棉被。",
    "已設定「明天不能吃早餐」的提醒。",
    "沒問題我八點提醒你。",
    "不用擔心我會提醒你。",
    "請放心我會提醒你。",
    "我還是八點提醒你。",
    "我會在需要的時候提醒你。",
    "可以喔我八點提醒你。",
    "下週二早上我再提醒你一次喔～",
    "我七點會叫醒你。",
    "好的，我記下了，會在 12/02 08:00 提醒您吃藥。",
    "鬧鐘會在七點響。",
    "我八點再跟你說一聲。",
    "到時候告訴你。",
    "你沒空我八點再提醒你。",
    "**提醒**已設好。",
    "沒事，八點提醒你。",
    "Sure, I'll remind you at eight.",
    "Okay, I will remind you tomorrow.",
    "I’ll remind you at 8 pm.",
    "I've set a reminder for 8 pm.",
    "I have set your reminder.",
    "Reminder set for 8 pm.",
    "Your reminder is set!",
    "Done! Your alarm has been set.",
    "The reminder has been cancelled.",
    "I cancelled the reminder.",
    "I've canceled #3 for you.",
    "Reminder cancelled.",
    "Got it, reminding you at eight.",
    "I'm going to remind Dad at seven.",
    "I'll let you know at eight.",
    "You'll get a reminder at 8.",
    "I'll ping everyone at noon.",
    "I moved the reminder to nine.",
    "Your reminder is now at 9 pm.",
    "I will wake you up at seven.",
    "All set! I'll notify Mom on Friday.",
    "We'll remind you every Tuesday.",
    "I added a reminder for tomorrow.",
    "I'll make sure to remind you.",
    "I'll remind you when it's time to leave.",
    "I'll remind you not to eat breakfast.",
    "I've set a reminder so you don't forget!",
    "No problem, I'll remind you.",
    "I won't forget to remind you.",
    "I'll set a reminder so you can relax.",
    "I shall remind you at eight.",
    "You will be reminded at 8 p.m.",
    "I'll text you at eight.",
    "I'll remind you to ask if you need milk.",
]
"""Missed, each would be a family that counts on what never comes."""
NO_CLAIMS = [
    "需要我提醒你嗎？",
    "要不要我八點提醒你？",
    "要幾點提醒你呢？",
    "七點還是八點提醒你？",
    "除夕是2027年2月5日，要我那天早上幾點提醒你？",
    "要我幫你設提醒嗎",
    "你想取消哪一個提醒？",
    "要我提醒大家嗎？還是只有你？",
    "如果需要，我可以提醒你。",
    "需要的話跟我說，我可以幫你設提醒。",
    "想要我提醒的話，告訴我時間就好。",
    "請問要設幾點的提醒？",
    "要改成九點提醒嗎？",
    "你要我什麼時候叫你？",
    "我沒有設定提醒。",
    "抱歉，九點已經過了，沒辦法提醒你。",
    "這個提醒沒有設成功。",
    "我還沒有設提醒，請告訴我時間。",
    "沒有這個號碼的提醒，所以沒有取消。",
    "提醒已經有五十則，設不了了。",
    "我無法每小時提醒你。",
    "還沒幫你設好提醒，要先知道幾點。",
    "目前沒有提醒。",
    "八點有一個提醒：倒垃圾。",
    "今天有兩個提醒：20:00 倒垃圾、21:00 吃藥。",
    "你有一個提醒，是明天早上八點吃藥。",
    "下一個提醒是週五晚上八點。",
    "下次是週二。",
    "#1 12/01（二）20:00「倒垃圾」",
    "倒垃圾的提醒在每週二、五晚上八點。",
    "下雨了，記得帶傘。",
    "記得八點倒垃圾喔！",
    "別忘了帶便當。",
    "提醒一下，明天會變冷。",
    "溫馨提醒：今天有颱風。",
    "提醒你，今天要倒垃圾。",
    "順便提醒你，電費月底到期。",
    "謝謝你提醒我！",
    "媽媽剛剛提醒過你了。",
    "爸爸叫你去吃飯。",
    "你可以請小美提醒你。",
    "醫生會通知你檢查結果。",
    "我叫小幫手。",
    "記下了：媽媽不吃牛肉。",
    "取消訂閱的方法是到設定裡按取消。",
    "鬧鐘在手機的時鐘裡可以設定。",
    "他改到九點的班機了。",
    "會議改到下午三點了嗎？我不清楚。",
    "班機已經取消了，要退票嗎？",
    "我已經記住了。",
    "你好，我是小幫手！可以幫你記事和提醒。",
    "我可以幫你設提醒，跟我說時間就好。",
    "好。",
    "不客氣！",
    "提醒設定失敗了，請再說一次。",
    "提醒設不了，已經太多了。",
    "我八點不能叫你。",
    "要取消的話，請輸入 /取消 #3。",
    "如果要我提醒你，跟我說時間。",
    "今天有三個提醒，最早的是八點。",
    "今天的提醒事項有兩個：倒垃圾和吃藥。",
    "我不知道電影幾點開始，要問電影院。",
    "你今天有一個提醒：晚上八點倒垃圾。",
    "晚上八點要倒垃圾，明天早上九點要繳電費。",
    "Do you want me to remind you?",
    "Shall I set a reminder for eight?",
    "When should I remind you?",
    "I can remind you if you like.",
    "I can't remind you every hour.",
    "No reminder was set.",
    "The reminder could not be set.",
    "You have one reminder: bins at 8 pm.",
    "Your next reminder is on Friday.",
    "Remember to take an umbrella.",
    "Just a reminder: it's cold today.",
    "Thanks for reminding me!",
    "Tell me the time and I can set a reminder.",
    "There are no reminders.",
    "The meeting has been moved to three.",
    "Dad will remind you.",
    "I haven't set anything yet.",
    "Would you like me to cancel the reminder?",
    "I'll remind you if you like.",
    "I'll set a reminder if you want me to.",
]
"""Questions, offers, denials, what there is already, and what is about something else."""
IN_DOUBT = [
    "八點會提醒你倒垃圾。",
    "八點的提醒已經設好了。",
    "醫生明天會通知你檢查結果。",
    "Dad set a reminder.",
]
"""These may be true without a call; the family reads then that nothing was done just now."""


@pytest.mark.parametrize("reply", CLAIMS)
def test_a_claim_is_known(reply):
    """
    What says that it will remind, or that a reminder is set, changed or cancelled, is a claim.
    """
    assert promises(reply)


@pytest.mark.parametrize("reply", NO_CLAIMS)
def test_what_claims_nothing_is_left_alone(reply):
    """
    Asking, offering, denying and telling what there is cost no further call.
    """
    assert not promises(reply)


@pytest.mark.parametrize("reply", IN_DOUBT)
def test_in_doubt_it_is_a_claim(reply):
    """
    What can't be told from a claim is asked about: that costs a call, and the other way a reminder.
    """
    assert promises(reply)


@pytest.mark.parametrize("reply", CLAIMS)
def test_a_claim_is_known_among_other_sentences(reply):
    """
    Neither a question before it nor a denial behind it hides a claim.
    """
    assert promises(f"你吃飽了嗎？{reply}\n我不會做菜。")


@pytest.mark.parametrize("reply", NO_CLAIMS)
def test_a_claim_beside_what_is_none_is_known(reply):
    """
    One claim is enough, whatever else is said.
    """
    assert promises(f"{reply}\n好，八點提醒你。")


@pytest.mark.parametrize("part", ["提醒", "已", "我", "reminder ", "設 ", "I'll "])
def test_a_long_answer_is_read_fast(part):
    """
    An answer without a single mark is read as fast as any.
    """
    begun = time.process_time()
    promises(part * 2000)
    assert time.process_time() - begun < 1
