"""Dates: what was said of tomorrow must still be right the day after."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from time import process_time
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.dates import is_relative, local_date, resolved

TUESDAY = date(2026, 12, 1)
SILVESTER = date(2026, 12, 31)
"""A Thursday."""
TAIPEI = ZoneInfo("Asia/Taipei")

CHINESE = [
    # Days.
    ("今天有考試", "2026-12-01有考試"),
    ("今日公休", "2026-12-01公休"),
    ("明天早上要抽血", "2026-12-02早上要抽血"),
    ("明日開學", "2026-12-02開學"),
    ("小美明天生日", "小美2026-12-02生日"),
    ("明天天氣好就去爬山", "2026-12-02天氣好就去爬山"),
    ("明早七點出門", "2026-12-02早上七點出門"),
    ("我明早上九點開會", "我2026-12-02早上九點開會"),
    ("明晚看電影", "2026-12-02晚上看電影"),
    ("今早沒吃藥", "2026-12-01早上沒吃藥"),
    ("今晚上課", "2026-12-01晚上上課"),
    ("今晚八點視訊", "2026-12-01晚上八點視訊"),
    ("今晚餐聚改到七點", "2026-12-01晚餐聚改到七點"),
    ("昨晚沒睡", "2026-11-30晚上沒睡"),
    ("昨晚上發燒", "2026-11-30晚上發燒"),
    ("昨夜下雨", "2026-11-30夜裡下雨"),
    ("昨天打了疫苗", "2026-11-30打了疫苗"),
    ("昨日出院", "2026-11-30出院"),
    ("後天回花蓮", "2026-12-03回花蓮"),
    ("後天的考試很重要", "2026-12-03的考試很重要"),
    ("後天生日", "2026-12-03生日"),
    ("大後天回來", "2026-12-04回來"),
    ("前天跌倒", "2026-11-29跌倒"),
    ("從前天開始咳嗽", "從2026-11-29開始咳嗽"),
    ("大前天拆線", "2026-11-28拆線"),
    ("明天3點看牙", "2026-12-02 3點看牙"),
    ("明天三點看牙", "2026-12-02三點看牙"),
    ("明天KTV", "2026-12-02 KTV"),
    ("今天或明天，不然後天", "2026-12-01或2026-12-02，不然後天"),
    # So many days, weeks, months and years.
    ("三天後考試", "2026-12-04考試"),
    ("三天后考試", "2026-12-04考試"),
    ("3天後考試", "2026-12-04考試"),
    ("3 天後考試", "2026-12-04考試"),
    ("３天後考試", "2026-12-04考試"),
    ("小明三天後面試", "小明2026-12-04面試"),
    ("半年後後天的考試", "2027年6月2026-12-03的考試"),
    ("三天之後出國", "2026-12-04出國"),
    ("十天以後出國", "2026-12-11出國"),
    ("三日後出國", "2026-12-04出國"),
    ("十五天後拆線", "2026-12-16拆線"),
    ("一百天後當兵回來", "2027-03-11當兵回來"),
    ("一百二十天後退伍", "2027-03-31退伍"),
    ("約了兩天後看牙", "約了2026-12-03看牙"),
    ("買了三天後的機票", "買了2026-12-04的機票"),
    ("五天前感冒", "2026-11-26感冒"),
    ("二十天前感冒", "2026-11-11感冒"),
    ("兩週後開學", "2026-12-15開學"),
    ("二週後開學", "2026-12-15開學"),
    ("兩周後開學", "2026-12-15開學"),
    ("兩個禮拜後開學", "2026-12-15開學"),
    ("三個星期前開刀", "2026-11-10開刀"),
    ("兩週後的週二開刀", "2026-12-15開刀"),
    ("兩個禮拜後的禮拜天吃喜酒", "2026-12-20吃喜酒"),
    ("一個月前搬家", "2026-11-01搬家"),
    ("3 個月後到期", "2027-03-01到期"),
    ("三個月後的5號到期", "2027-03-05到期"),
    ("十二個月後到期", "2027-12-01到期"),
    ("半個月後回診", "2026-12-16回診"),
    ("半年後回診", "2027年6月回診"),
    ("半年前戒菸", "2026年6月戒菸"),
    ("一年半前戒菸", "2025年6月戒菸"),
    ("再過兩週就開學", "2026-12-15就開學"),
    ("再兩年退休", "2028年退休"),
    ("再過三天後出發", "2026-12-04出發"),
    ("十年前搬來台北", "2016年搬來台北"),
    ("十二年前出生", "2014年出生"),
    ("20年前買的房子", "2006年買的房子"),
    ("一百年前蓋的", "1926年蓋的"),
    ("爺爺三年前往生", "爺爺2023年往生"),
    ("三年前的今天結婚", "2023-12-01結婚"),
    ("三十五年後還清", "2061年還清"),
    # Weeks.
    ("下週二有期末考", "2026-12-08有期末考"),
    ("下周二有期末考", "2026-12-08有期末考"),
    ("下星期二有期末考", "2026-12-08有期末考"),
    ("下禮拜三補習", "2026-12-09補習"),
    ("下個禮拜三補習", "2026-12-09補習"),
    ("下個星期的星期三補習", "2026-12-09補習"),
    ("下週3補習", "2026-12-09補習"),
    ("下週７補習", "2026-12-13補習"),
    ("這週二上課", "2026-12-01上課"),
    ("本週二上課", "2026-12-01上課"),
    ("这周五上課", "2026-12-04上課"),
    ("這禮拜天回外婆家", "2026-12-06回外婆家"),
    ("這週日回外婆家", "2026-12-06回外婆家"),
    ("下星期天吃喜酒", "2026-12-13吃喜酒"),
    ("下下週二開刀", "2026-12-15開刀"),
    ("下下下週二開刀", "2026-12-22開刀"),
    ("上星期五跌倒", "2026-11-27跌倒"),
    ("上上週五跌倒", "2026-11-20跌倒"),
    ("上上週出國", "2026-11-16那一週出國"),
    ("下週出國", "2026-12-07那一週出國"),
    ("下個星期出國", "2026-12-07那一週出國"),
    ("下一個禮拜出國", "2026-12-07那一週出國"),
    ("本週很忙", "2026-11-30那一週很忙"),
    ("上週很忙", "2026-11-23那一週很忙"),
    ("下週前要繳費", "2026-12-07那一週前要繳費"),
    ("下週天氣會變冷", "2026-12-07那一週天氣會變冷"),
    ("下週三天都要補習", "2026-12-07那一週三天都要補習"),
    ("下週五點前要到", "2026-12-07那一週五點前要到"),
    ("下週今天開刀", "2026-12-08開刀"),
    ("下週末露營", "2026-12-12那個週末露營"),
    ("這個週末露營", "2026-12-05那個週末露營"),
    ("上周末露營", "2026-11-28那個週末露營"),
    ("下週六日去宜蘭", "2026-12-12、2026-12-13去宜蘭"),
    ("下週日本的朋友來", "2026-12-07那一週日本的朋友來"),
    ("晚上下週二的課", "晚上2026-12-08的課"),
    ("樓下下禮拜一裝修", "樓下2026-12-07裝修"),
    # Months.
    ("這個月很忙", "2026年12月很忙"),
    ("本月很忙", "2026年12月很忙"),
    ("下個月出國", "2027年1月出國"),
    ("下月出國", "2027年1月出國"),
    ("下下個月出國", "2027年2月出國"),
    ("上個月離職", "2026年11月離職"),
    ("上上個月離職", "2026年10月離職"),
    ("下個月五號繳學費", "2027-01-05繳學費"),
    ("下個月 5 號繳學費", "2027-01-05繳學費"),
    ("下個月的二十五號繳學費", "2027-01-25繳學費"),
    ("這個月15日繳學費", "2026-12-15繳學費"),
    ("上個月底離職", "2026-11-30離職"),
    ("下個月底離職", "2027-01-31離職"),
    ("下個月月底離職", "2027-01-31離職"),
    ("這個月底離職", "2026-12-31離職"),
    ("下下個月底離職", "2027-02-28離職"),
    ("下個月初離職", "2027年1月初離職"),
    ("下個月月初離職", "2027年1月初離職"),
    ("下個月中秋節烤肉", "2027年1月中秋節烤肉"),
    ("阿公上個月中風", "阿公2026年11月中風"),
    ("上個月下旬很冷", "2026年11月下旬很冷"),
    ("上個月的今天開刀", "2026-11-01開刀"),
    ("月底要繳房租", "2026-12-31要繳房租"),
    ("月底前要繳房租", "2026-12-31前要繳房租"),
    ("月底薪水才發", "2026-12-31薪水才發"),
    ("月初搬家", "2026年12月初搬家"),
    ("月中搬家", "2026年12月中搬家"),
    ("下旬搬家", "2026年12月下旬搬家"),
    # Years.
    ("今年大班", "2026年大班"),
    ("明年上小學", "2027年上小學"),
    ("後年上小學", "2028年上小學"),
    ("大後年上小學", "2029年上小學"),
    ("去年退休", "2025年退休"),
    ("前年退休", "2024年退休"),
    ("大前年退休", "2023年退休"),
    ("從前年開始學琴", "從2024年開始學琴"),
    ("明年度預算", "2027年度預算"),
    ("明年三月出國", "2027年3月出國"),
    ("明年三月份出國", "2027年3月份出國"),
    ("明年 3 月出國", "2027年3月出國"),
    ("明年十二月出國", "2027年12月出國"),
    ("明年的三月出國", "2027年3月出國"),
    ("去年三月五日結婚", "2025-03-05結婚"),
    ("今年12月25號結婚", "2026-12-25結婚"),
    ("明年3/5結婚", "2027-03-05結婚"),
    ("明年三月底結婚", "2027年3月底結婚"),
    ("去年的今天結婚", "2025-12-01結婚"),
    ("明年農曆除夕在花蓮", "2027年農曆除夕在花蓮"),
    ("明年中秋在花蓮", "2027年中秋在花蓮"),
    ("明年初一在花蓮", "2027年初一在花蓮"),
    ("明年中旬在花蓮", "2027年中旬在花蓮"),
    ("明年暑假在花蓮", "2027年暑假在花蓮"),
    ("年底結婚", "2026年底結婚"),
    ("小明年底結婚", "小明2026年底結婚"),
    ("年初換工作", "2026年初換工作"),
    ("今年底結婚", "2026年底結婚"),
    ("今年年底結婚", "2026年底結婚"),
    ("明年年初結婚", "2027年初結婚"),
    ("去年的年底結婚", "2025年底結婚"),
    ("下半年換工作", "2026年下半年換工作"),
    ("明年下半年換工作", "2027年下半年換工作"),
]

ENGLISH = [
    ("The exam is today.", "The exam is 2026-12-01."),
    ("Today's exam", "2026-12-01's exam"),
    ("Dad calls later today", "Dad calls 2026-12-01"),
    ("Dinner tonight at 8", "Dinner 2026-12-01 night at 8"),
    ("TOMORROW: dentist", "2026-12-02: dentist"),
    ("Dentist tomorrow morning", "Dentist 2026-12-02 morning"),
    ("tomorrow有考試", "2026-12-02有考試"),
    ("Mei came back yesterday", "Mei came back 2026-11-30"),
    ("Exam the day after tomorrow", "Exam 2026-12-03"),
    ("Ill since the day before yesterday", "Ill since 2026-11-29"),
    ("No pills this morning", "No pills 2026-12-01 morning"),
    ("No sleep last night", "No sleep 2026-11-30 night"),
    ("Back in 3 days", "Back 2026-12-04"),
    ("Back in a day", "Back 2026-12-02"),
    ("Back in two weeks", "Back 2026-12-15"),
    ("Back in a week's time", "Back 2026-12-08"),
    ("Back in three months", "Back 2027-03-01"),
    ("Back in half a year", "Back in 2027-06"),
    ("Retires in twenty-five years", "Retires in 2051"),
    ("Back 10 days from now", "Back 2026-12-11"),
    ("Back a week from today", "Back 2026-12-08"),
    ("Back a week from tomorrow", "Back 2026-12-09"),
    ("Fell 3 days ago", "Fell 2026-11-28"),
    ("Fell two weeks ago", "Fell 2026-11-17"),
    ("Fell one week ago today", "Fell 2026-11-24"),
    ("Moved a month ago", "Moved 2026-11-01"),
    ("Moved ten years ago", "Moved 2016"),
    ("Moved forty years ago", "Moved 1986"),
    ("Exam next Tuesday", "Exam 2026-12-08"),
    ("Exam next Wed", "Exam 2026-12-09"),
    ("Exam this Friday", "Exam 2026-12-04"),
    ("Fell last Friday", "Fell 2026-11-27"),
    ("Fell last Tuesday", "Fell 2026-11-24"),
    ("Fell this past Monday", "Fell 2026-11-30"),
    ("Exam this coming Tuesday", "Exam 2026-12-08"),
    ("Exam Tuesday next week", "Exam 2026-12-08"),
    ("Exam next week on Friday", "Exam 2026-12-11"),
    ("Fell on Monday of last week", "Fell on 2026-11-23"),
    ("Busy this week", "Busy the week of 2026-11-30"),
    ("Busy next week", "Busy the week of 2026-12-07"),
    ("Busy last week", "Busy the week of 2026-11-23"),
    ("Busy the week after next", "Busy the week of 2026-12-14"),
    ("Busy the week before last", "Busy the week of 2026-11-16"),
    ("Camping this weekend", "Camping the weekend of 2026-12-05"),
    ("Camping next weekend", "Camping the weekend of 2026-12-12"),
    ("Camped last weekend", "Camped the weekend of 2026-11-28"),
    ("Busy this month", "Busy 2026-12"),
    ("Busy later this month", "Busy 2026-12"),
    ("Busy next month", "Busy 2027-01"),
    ("Busy last month", "Busy 2026-11"),
    ("Busy the month after next", "Busy 2027-02"),
    ("Fees on the 5th of next month", "Fees on 2027-01-05"),
    ("Rent by the end of the month", "Rent by 2026-12-31"),
    ("Rent by the end of next month", "Rent by 2027-01-31"),
    ("Moving at the beginning of next month", "Moving at the beginning of 2027-01"),
    ("Moving at the end of the year", "Moving at the end of 2026"),
    ("Moving at the end of this week", "Moving at the end of the week of 2026-11-30"),
    ("The last day of next month", "The last day of 2027-01"),
    ("School starts next year", "School starts 2027"),
    ("Retired last  year", "Retired 2025"),
    ("This year's budget", "2026's budget"),
    ("Retired the year before last", "Retired 2024"),
]

BOUNDARIES = [
    # Over the year's end.
    (SILVESTER, "明天放假", "2027-01-01放假"),
    (SILVESTER, "後天放假", "2027-01-02放假"),
    (SILVESTER, "今晚倒數", "2026-12-31晚上倒數"),
    (SILVESTER, "這週日去拜拜", "2027-01-03去拜拜"),
    (SILVESTER, "下週二考試", "2027-01-05考試"),
    (SILVESTER, "下下週二考試", "2027-01-12考試"),
    (SILVESTER, "上週五考試", "2026-12-25考試"),
    (SILVESTER, "下個月考試", "2027年1月考試"),
    (SILVESTER, "下下個月底考試", "2027-02-28考試"),
    (SILVESTER, "上個月底考試", "2026-11-30考試"),
    (SILVESTER, "兩個月後考試", "2027-02-28考試"),
    (SILVESTER, "半年後考試", "2027年6月考試"),
    (SILVESTER, "一年後考試", "2027年考試"),
    (SILVESTER, "明年三月考試", "2027年3月考試"),
    (SILVESTER, "年底考試", "2026年底考試"),
    (SILVESTER, "月底考試", "2026-12-31考試"),
    (SILVESTER, "Exam tomorrow", "Exam 2027-01-01"),
    (SILVESTER, "Exam next month", "Exam 2027-01"),
    (date(2027, 1, 1), "昨天考試", "2026-12-31考試"),
    (date(2027, 1, 1), "前天考試", "2026-12-30考試"),
    (date(2027, 1, 1), "上個月考試", "2026年12月考試"),
    (date(2027, 1, 1), "上個月二十五號考試", "2026-12-25考試"),
    (date(2027, 1, 1), "這週一考試", "2026-12-28考試"),
    (date(2027, 1, 1), "去年考試", "2026年考試"),
    # Months are not equally long.
    (date(2027, 1, 31), "一個月後考試", "2027-02-28考試"),
    (date(2028, 1, 31), "一個月後考試", "2028-02-29考試"),
    (date(2027, 1, 31), "下個月考試", "2027年2月考試"),
    (date(2027, 1, 31), "下個月底考試", "2027-02-28考試"),
    (date(2027, 3, 31), "一個月前考試", "2027-02-28考試"),
    (date(2027, 3, 31), "上個月底考試", "2027-02-28考試"),
    (date(2027, 5, 31), "下個月三十號考試", "2027-06-30考試"),
    (date(2027, 1, 31), "Exam in a month", "Exam 2027-02-28"),
    (date(2027, 1, 31), "Exam at the end of next month", "Exam at 2027-02-28"),
    # A leap year's day.
    (date(2028, 2, 28), "明天考試", "2028-02-29考試"),
    (date(2028, 2, 28), "月底考試", "2028-02-29考試"),
    (date(2028, 3, 1), "昨天考試", "2028-02-29考試"),
    (date(2028, 2, 29), "明年的今天考試", "2029-02-28考試"),
    (date(2028, 2, 29), "十二個月後考試", "2029-02-28考試"),
    (date(2028, 2, 29), "去年考試", "2027年考試"),
    (date(2028, 2, 29), "明年三月五日考試", "2029-03-05考試"),
    (date(2027, 5, 1), "明年二月二十九日考試", "2028-02-29考試"),
]

WEEKDAYS = [
    ("2026-11-30", "12-08 12-06 12-15 11-27 12-08, 11-27"),
    ("2026-12-01", "12-08 12-06 12-15 11-27 12-08, 11-27"),
    ("2026-12-02", "12-08 12-06 12-15 11-27 12-08, 11-27"),
    ("2026-12-03", "12-08 12-06 12-15 11-27 12-08, 11-27"),
    ("2026-12-04", "12-08 12-06 12-15 11-27 12-08, 11-27"),
    ("2026-12-05", "12-08 12-06 12-15 11-27 12-08, 12-04"),
    ("2026-12-06", "12-08 12-06 12-15 11-27 12-08, 12-04"),
    ("2026-12-07", "12-15 12-13 12-22 12-04 12-15, 12-04"),
]

UNTOUCHED = [
    "",
    "小美對蝦過敏",
    # What comes round.
    "每天運動",
    "每週二補習",
    "每個禮拜三倒垃圾",
    "每個週末回外婆家",
    "每個月底繳房租",
    "每個月的月底繳房租",
    "每月底繳房租",
    "每月初領薪水",
    "每月下旬繳費",
    "每年回花蓮",
    "每年年底大掃除",
    "每年底大掃除",
    "每到年底很忙",
    "每次考試三天前開始複習",
    "天天運動",
    "小明天天練琴",
    "以前天天練琴",
    "之後天天練琴",
    # Bare weekdays, dates and festivals.
    "週二補習",
    "禮拜天上教會",
    "早上禮拜",
    "週末在家",
    "農曆除夕在花蓮",
    "大年初一拜年",
    "年初二回娘家",
    "三月五日結婚",
    "12月3日前繳費",
    "12 月 3 日前繳費",
    "五月三日後出國",
    "5號領薪水",
    "十月底結婚",
    "12月底結婚",
    "2026年底結婚",
    "2026年年底結婚",
    "民國115年年底結婚",
    "2026-12-31結婚",
    "那個月底結婚",
    "當月底結帳",
    "1990年前蓋的房子",
    "民國88年前蓋的房子",
    "二〇〇三年前蓋的房子",
    "75年後出生",
    # What is seen from something else.
    "住了三年後搬走",
    "結婚三年後生小孩",
    "出生三天後黃疸",
    "第三天後好轉",
    "那一週後就好了",
    "隔天出院",
    "考試前兩天很緊張",
    "考試前幾天很緊張",
    "三個月中有兩個月在國外",
    # Words of no day.
    "最近在學琴",
    "現在住台北",
    "目前住台北",
    "目前天氣很好",
    "後天免疫缺乏",
    "後天性心臟病",
    "先天不足，後天失調",
    "先天體質和後天都重要",
    "明天生怕狗",
    "小明天生怕狗",
    "聰明天真的小孩",
    "小明早上喝豆漿",
    "家明早上喝豆漿",
    "小明日記",
    "請說明日期",
    "然後天黑了",
    "前天花板漏水",
    "生前天天寫字",
    "讀三年前段班",
    "離家三天前後",
    "阿公如今年紀大了",
    "過去年輕時當兵",
    "過去年貨都自己買",
    "家明年紀還小",
    "如今天氣變了",
    "年前年後都很忙",
    "課本週三要帶",
    "日本月台很乾淨",
    "月底薪三萬",
    "這個月亮很圓",
    "喜歡這個月餅",
    "早上月台見",
    "年中無休",
    "百貨公司年中慶",
    "喜歡五月天",
    "住在天后宮旁邊",
    "剛剛好的大小",
    "日本週刊",
    "住樓上，樓下週二裝修",
    "歲月中的記憶",
    "坐月子中心",
    # English.
    "Piano every Tuesday",
    "Rent at the end of every month",
    "Choir every last Friday",
    "Tuesday is piano day",
    "Twice in a week",
    "The last Friday of the month",
    "Better the next day",
    "Her last year was hard",
    "The last week of May",
    "The end of the month of May",
    "Lives in Taipei now, studies these days",
    "This may be wrong",
    "Likes Tomorrowland",
    "in the last of days",
]

UNRESOLVABLE = [
    "剛剛吃飽",
    "剛才吃飽",
    "等一下出門",
    "待會出門",
    "稍後出門",
    "半天後出門",
    "半小時後出門",
    "幾天後出國",
    "好幾年前搬家",
    "多年前搬家",
    "十幾年前搬家",
    "十多年前搬家",
    "兩三天後出國",
    "三到五天後出國",
    "3-5天後出國",
    "三年多前搬家",
    "一個多月前搬家",
    "兩個半月後搬家",
    "一週半後搬家",
    "1.5年前搬家",
    "大半年前搬家",
    "前幾天跌倒",
    "媽媽前兩天跌倒",
    "過幾天出國",
    "過兩天出國",
    "這三天不在家",
    "這幾天不在家",
    "未來兩週很忙",
    "過去三年很忙",
    "過去一年很忙",
    "近三年很忙",
    "手術三天後回診",
    "下週一到五出差",
    "下週二、四補習",
    "明年二月三十日",
    "今年13月",
    "Ate just now",
    "Back in a moment",
    "Fell the other day",
    "Fell a few days ago",
    "Fell a couple of weeks ago",
    "Fell 2 or 3 days ago",
    "Fell 2-3 days ago",
    "Moved 2.5 years ago",
    "Moved a year and a half ago",
    "Back in a few days",
    "Back in two or three weeks",
    "Busy the past week",
    "Busy this past week",
    "Exam the Tuesday after next",
    "No sleep the night before last",
    "Exam a week tomorrow",
    "Back in 2-3 days",
    "Busy for the next two weeks",
    "Busy the last few months",
    "Exam a week from Tuesday",
    "Exam next March",
    "Camping this summer",
    "Camping this time next year",
    "Left two hours ago",
    "Moved a fortnight ago",
]


class Place(NamedTuple):
    """Where a day lies as seen from another: what begins between them."""

    days: int
    weeks: int
    months: int
    years: int


NAMED_DAYS: dict[str, Callable[[date, Place], bool]] = {
    "今天": lambda _, place: place.days == 0,
    "明天": lambda _, place: place.days == 1,
    "後天": lambda _, place: place.days == 2,
    "大後天": lambda _, place: place.days == 3,
    "昨天": lambda _, place: place.days == -1,
    "前天": lambda _, place: place.days == -2,
    "大前天": lambda _, place: place.days == -3,
    "三天後": lambda _, place: place.days == 3,
    "十五天前": lambda _, place: place.days == -15,
    "兩週後": lambda _, place: place.days == 14,
    "三個禮拜前": lambda _, place: place.days == -21,
    "下週二": lambda day, place: place.weeks == 1 and day.isoweekday() == 2,
    "這週日": lambda day, place: place.weeks == 0 and day.isoweekday() == 7,
    "本週一": lambda day, place: place.weeks == 0 and day.isoweekday() == 1,
    "下下週二": lambda day, place: place.weeks == 2 and day.isoweekday() == 2,
    "上週五": lambda day, place: place.weeks == -1 and day.isoweekday() == 5,
    "上上禮拜天": lambda day, place: place.weeks == -2 and day.isoweekday() == 7,
    "兩週後的週四": lambda day, place: place.weeks == 2 and day.isoweekday() == 4,
    "下個月五號": lambda day, place: place.months == 1 and day.day == 5,
    "這個月15日": lambda day, place: place.months == 0 and day.day == 15,
    "上個月二十八號": lambda day, place: place.months == -1 and day.day == 28,
    "月底": lambda day, place: place.months == 0 and is_last(day),
    "下個月底": lambda day, place: place.months == 1 and is_last(day),
    "上上個月底": lambda day, place: place.months == -2 and is_last(day),
    "明年三月五日": lambda day, place: place.years == 1 and (day.month, day.day) == (3, 5),
    "去年12月31號": lambda day, place: place.years == -1 and (day.month, day.day) == (12, 31),
    "tomorrow": lambda _, place: place.days == 1,
    "the day before yesterday": lambda _, place: place.days == -2,
    "in 10 days": lambda _, place: place.days == 10,
    "six weeks ago": lambda _, place: place.days == -42,
    "next Tuesday": lambda day, place: place.weeks == 1 and day.isoweekday() == 2,
    "this Sunday": lambda day, place: place.weeks == 0 and day.isoweekday() == 7,
    "last Friday": lambda day, place: -7 <= place.days < 0 and day.isoweekday() == 5,
    "this coming Monday": lambda day, place: 0 < place.days <= 7 and day.isoweekday() == 1,
    "Friday next week": lambda day, place: place.weeks == 1 and day.isoweekday() == 5,
    "the 5th of next month": lambda day, place: place.months == 1 and day.day == 5,
    "the end of the month": lambda day, place: place.months == 0 and is_last(day),
}
"""What makes a day the one that is meant."""

days_said = st.dates(date(2024, 1, 1), date(2030, 12, 31))
letters = st.sampled_from(
    "今明昨前後大天日年月週禮拜上下這本個底初中一二十半幾3 5/點號的每了，inextoday'sagoİſ１"
)


def is_last(day: date) -> bool:
    """Say whether a day is its month's last."""
    return (day + timedelta(1)).day == 1


def around(said_on: date) -> Iterator[tuple[date, Place]]:
    """Walk from a day to those within two years of it, counting what begins on the way."""
    for step in (1, -1):
        day, place = said_on, Place(0, 0, 0, 0)
        for _ in range(731):
            yield day, place
            begun = day if step < 0 else day + timedelta(1)
            weeks, months = step * (begun.isoweekday() == 1), step * (begun.day == 1)
            years = months * (begun.month == 1)
            passed = (step, weeks, months, years)
            place = Place(*(sum(pair) for pair in zip(place, passed, strict=True)))
            day += timedelta(step)


@pytest.mark.parametrize(("text", "meant"), CHINESE)
def test_chinese_relative_dates_become_dates(text: str, meant: str) -> None:
    """
    What a family says of a day, week, month or year is kept as the one it was, the rest as it is.
    """
    assert meant == resolved(text, TUESDAY)


@pytest.mark.parametrize(("text", "meant"), ENGLISH)
def test_english_relative_dates_become_dates(text: str, meant: str) -> None:
    """
    English is read as well, and written as English is.
    """
    assert meant == resolved(text, TUESDAY)


@pytest.mark.parametrize(("said_on", "text", "meant"), BOUNDARIES)
def test_the_calendar_is_right_at_its_edges(said_on: date, text: str, meant: str) -> None:
    """
    Years end, months are not equally long, and February has 29 days when it has.
    """
    assert meant == resolved(text, said_on)


@pytest.mark.parametrize(("said_on", "meant"), WEEKDAYS)
def test_weeks_begin_on_monday(said_on: str, meant: str) -> None:
    """
    下週二 is the Tuesday of the week that begins next Monday, on whatever day it was said.
    """
    said = "下週二 這週日 下下週二 上週五 next Tuesday, last Friday"
    assert meant == resolved(said, date.fromisoformat(said_on)).replace("2026-", "")


@pytest.mark.parametrize(
    ("moment", "meant"),
    [
        (datetime(2026, 12, 1, 15, 59, 59, tzinfo=UTC), "2026-12-02考試"),
        (datetime(2026, 12, 1, 16, tzinfo=UTC), "2026-12-03考試"),
        (datetime(2026, 12, 1, 16, 30, tzinfo=UTC), "2026-12-03考試"),
        (datetime(2026, 12, 31, 16, 30, tzinfo=UTC), "2027-01-02考試"),
    ],
)
def test_a_day_ends_at_the_familys_midnight(moment: datetime, meant: str) -> None:
    """
    明天 said after midnight in Taipei is not yet over in London, and the day after all the same.
    """
    assert meant == resolved("明天考試", local_date(moment, TAIPEI))


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_is_not_relative_stays(text: str) -> None:
    """
    What comes round, is a date already, or only sounds like one, is neither changed nor reported.
    """
    assert (text, False) == (resolved(text, TUESDAY), is_relative(text))


@pytest.mark.parametrize("text", UNRESOLVABLE)
def test_what_no_calendar_can_tell_stays_and_is_reported(text: str) -> None:
    """
    A vague time is not guessed at; whoever keeps facts can refuse it.
    """
    assert (text, True) == (resolved(text, TUESDAY), is_relative(text))


@pytest.mark.parametrize("text", [text for text, _ in CHINESE + ENGLISH])
def test_relative_dates_are_reported(text: str) -> None:
    """
    Whatever can be resolved is relative before it is.
    """
    assert is_relative(text)


def test_a_day_that_does_not_exist_stays_and_is_reported() -> None:
    """
    The 31st of a month of 30 days is left as it was said; the rest of the sentence isn't.
    """
    meant = resolved("今天說下個月31號考試", date(2027, 5, 1))
    assert ("2027-05-01說下個月31號考試", True) == (meant, is_relative(meant))


@pytest.mark.parametrize("said", NAMED_DAYS)
@given(said_on=days_said)
@settings(deadline=None, max_examples=30)
def test_a_named_day_is_the_one_a_calendar_shows(said: str, said_on: date) -> None:
    """
    Of all the days around, the one that is meant is the only one the words fit.
    """
    fitting = {day for day, place in around(said_on) if NAMED_DAYS[said](day, place)}
    assert fitting == {date.fromisoformat(resolved(said, said_on))}


@pytest.mark.parametrize("text", [text for text, _ in CHINESE + ENGLISH])
@given(said_on=days_said)
@settings(deadline=None, max_examples=20)
def test_nothing_relative_is_left(text: str, said_on: date) -> None:
    """
    Once a text is resolved nothing in it depends on when it was said, so a second time is the same.
    """
    once = resolved(text, said_on)
    later = resolved(once, said_on + timedelta(400))
    assert (once, False) == (later, is_relative(once))


@given(text=st.text(letters, max_size=40), said_on=days_said)
@settings(deadline=None)
@example(text="THİS week", said_on=TUESDAY)
@example(text="laſt week", said_on=TUESDAY)
def test_any_text_can_be_read(text: str, said_on: date) -> None:
    """
    Whatever is written, only what is relative changes.
    """
    assert is_relative(text) or text == resolved(text, said_on)


@pytest.mark.parametrize("piece", ["每", "1", "十", "下", "前", "a ", "in a ", "上週", "好幾", " "])
def test_long_texts_are_read_in_time(piece: str) -> None:
    """
    A fact's 500 characters take milliseconds, whatever they repeat.
    """
    started = process_time()
    resolved(piece * (500 // len(piece)), TUESDAY)
    assert process_time() - started < 1
