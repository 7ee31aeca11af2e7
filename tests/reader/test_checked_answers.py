"""Answers are checked against the page: figures, evidence, JSON values, and reading only what matches."""

import asyncio
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from mcp_types import TextContent

import chrome_tab_mcp_server as server
from tests.support.fake_models import FakeOpenAIServer, Reply, Request, answer
from tests.support.fake_osascript import FakeOsascript, installed
from tests.support.tool_client import Result, receipt_of, serving

FARES = (
    "Ferry to Varna\n\nThe fast ferry costs 1,299 € for two adults. It leaves at 2:30 pm on 12 March 2024.\n"
    "Twelve cabins are free, and 45 % of the seats. The company carried 1.2 million guests.\n"
    'A sign says "mind the gap". Write to harbour@ferry.test or see https://ferry.test/fares/2024.\n\n'
    "Opening hours\n\nThe office opens at 9 and closes at 17:45. A locker costs 7 crowns a day."
)
URL = "https://ferry.test/timetable#top"
PROMPT = "Tell me about the ferry to Varna."


@pytest.fixture(autouse=True)
def osascript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeOsascript:
    fake = installed(tmp_path / "fake", monkeypatch)
    fake.shows(FARES, about=json.dumps({"url": URL, "title": "Ferry"}))
    return fake


async def asked(text: str, **arguments: Any) -> Result:
    async with FakeOpenAIServer(answer(text)) as fake, serving(fake) as asker:
        return await asker.ask(**{"system_prompt": PROMPT} | arguments)


async def checked(text: str, **arguments: Any) -> dict[str, list[str]]:
    return receipt_of(await asked(text, **arguments))["checked"]


def figures_of(text: str, page: str) -> dict[str, list[str]]:
    """Return what the check finds, without a call, which takes longer than hundreds of checks."""
    read = server.Page(URL, "Ferry", page, "applescript")
    answered = server.Answer(text, "", "", None, {})
    return server.checked_answer(
        answered, read, server.Query(PROMPT, own_text=PROMPT), server.index_for_check(read)
    ).receipt["checked"]


def lines_of(result: Result) -> list[str]:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text.splitlines()


# An answer that is on the page, and one that is not.
TRUE_AND_FALSE = [
    ("The ferry costs 1.299,00 €", "The ferry costs 1.298,00 €"),
    ("The ferry costs EUR 1299", "The ferry costs USD 1299"),
    ("The ferry leaves at 14:30", "The ferry leaves at 14:31"),
    ("The ferry leaves at 2:30 p.m.", "The ferry leaves at 2:30 a.m."),
    ("The ferry leaves on 2024-03-12", "The ferry leaves on 2024-04-12"),
    ("Die Fähre fährt am 12. März 2024", "Die Fähre fährt am 12. April 2024"),
    ("Паром отходит 12 марта 2024", "Паром отходит 13 марта 2024"),
    ("There are 12 free cabins", "There are 13 free cabins"),
    ("45% of the seats are free", "46% of the seats are free"),
    ("The company carried 1,200,000 guests", "The company carried 1,300,000 guests"),
    ("The company carried 1,2 Millionen guests", "The company carried 1,2 Milliarden guests"),
    ("A sign says “Mind the gap”", "A sign says “Mind the step”"),
    ("Write to harbour@ferry.test", "Write to `harbor@ferry.test`"),
    ("Write to harbour@ferry.test", "Write to harbor@ferry.test"),
    ("See https://ferry.test/fares/2024", "See https://ferry.test/fares/2025"),
    ("See https://ferry.test/fares/2024", "See www.ferry.example"),
    ("It costs \u0661\u066c\u0662\u0669\u0669", "It costs \u0661\u066c\u0662\u0669\u0668"),
]


async def test_a_figure_is_found_however_it_is_written_and_a_changed_one_is_not() -> None:
    texts = [text for pair in TRUE_AND_FALSE for text in pair]
    async with FakeOpenAIServer(*map(answer, texts)) as fake, serving(fake) as asker:
        # A prompt that is asked again would get the same answer.
        prompts = [PROMPT + "!" * number for number in range(len(texts))]
        found = [receipt_of(await asker.ask(system_prompt=prompt))["checked"] for prompt in prompts]

    for of_true, of_false, pair in zip(found[::2], found[1::2], TRUE_AND_FALSE, strict=True):
        assert [len(figures) for figures in of_true.values()] == [1, 0, 0, 0], pair
        assert not of_false["on_page"], pair
        assert len(of_false["not_on_page"]) == 1, pair


@pytest.mark.parametrize(
    ("page", "true", "false"),
    [
        ("Open until 6:30 pm on 3 May 2026.", "截至2026年5月3日", "截至2026年5月4日"),
        ("Open until 6:30 pm.", "下午6点30分关门", "上午6点30分关门"),
        ("Open until 6:30 pm.", "午後6時30分に閉店", "午後6時31分に閉店"),
        ("Open until 6:30 pm.", "Bis 18.30 Uhr offen", "Bis 18.31 Uhr offen"),
        ("营业至2026年5月3日下午6点30分。", "Open until 6:30 pm", "Open until 6:31 pm"),
        ("닫는 시간은 오후 6시 30분이다.", "It closes at 18:30", "It closes at 17:30"),
        ("Bis 18.30 Uhr offen.", "Open until 6.30pm", "Open until 6.30am"),
        ("Bis 18.30 offen.", "Bis 18.30 Uhr offen", "Bis 18.40 Uhr offen"),
        ("Open from 9:30 am, 9 days.", "Ab 9.30 geöffnet", "Ab 9.40 geöffnet"),
        ("A locker for £6, a 6-inch lock.", "It costs £6", "Open until 6 pm"),
        ("Open from 10:00, adults £9.", "It opens at 10", "Adults pay £10"),
        ("Ab 10 Uhr, 9 kg.", "Geöffnet ab 10", "Es wiegt 10 kg"),
        ("Running time 1:30 h.", "It takes 1 hour 30 minutes", "It weighs 1 kg"),
        ("Take 1½ cups of rice.", "Take 1.5 cups", "Take 2.5 cups"),
        ("Take 3/4 of a litre.", "Take 0.75 litres", "Take 0.25 litres"),
        ("It emits CO\u2082.", "It emits CO2", "It emits CO3"),
        ("Requires version 3.11.7.", "Requires version 3.11", "Requires version 3.12"),
        ("There are twenty-one cabins.", "There are 21 cabins", "There are 22 cabins"),
        ("A room of 20 m².", "A room of 20 m2", "A room of 30 m2"),
        ("Requires 2.0.1-beta.", "Requires 2.0.1", "Requires 2.0.2"),
        ("Ask 192.168.1.2 of 3 servers.", "Ask 192.168.1.2", "Ask 192.168.1.3"),
        ("Take 1½ cups of rice.", "Take 1½ cups", "Take 2½ cups"),
        ("Bis 15 Uhr offen.", "Open until 15:00", "Open until 16:00"),
        ("Open until 2:30 pm.", "Open until 14:30", "Open until 02:30"),
        ("最終入場21時", "最終入場は午後9時", "最終入場は午後8時"),
        ("Account 3704 0044 0532 0130.", "Account 3704004405320130", "Account 3704004405320131"),
        ("Geöffnet 9-17 Uhr, 2 Räume.", "Open from 9 am", "Open from 2 pm"),
        ("晚上8点开门。", "It opens at 8 pm", "It opens at 9 pm"),
        ("Встреча в 15:00.", "Встреча в 3 часа дня", "Встреча в 4 часа дня"),
        ("3 eggs, 4 apples, ¼ l.", r"Take $\frac{1}{4}$ l", r"Take $\frac{3}{4}$ l"),
        ("3 eggs, 4 apples, ¼ l.", "Take ¼ l", "Take ¾ l"),
        ("A salary of 3 lakh, 4 days.", "It is 300,000", "It is 400,000"),
        ("Revenue (in thousands)\n1,400 | 12", "It is 1.4 million", "It is 1.5 million"),
        ("共有12个房间,3万人。", "There are 30,000 people", "共有12万人"),
        ("Tel. +49 (0)30 1234-5678.", "Call +49 30 12345678", "Call +49 30 12345679"),
        ("DE89 3704 0044 0532 0130 00, 1 room.", "DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 01"),
        ("Fertilizer 20-20-15.", "It is 20-20-15", "It is 20-20-20"),
        ("Version 4f2a9c1e of 2 files.", "It is 4f2a9c1e", "It is 4f2a9c2e"),
        ("Ngày 20 tháng 11 năm 2023, 21 giờ.", "On 20/11/2023", "On 21/11/2023"),
        ("Die Firma hat 5 Tsd. Mitarbeiter.", "It employs 5,000", "It employs 6,000"),
        ("人口は1億2,500万人です。", "They are 125 million", "They are 126 million"),
        ("Population: 125,000,000", "인구는 1억 2,500만 명이다", "인구는 1억 2,600만 명이다"),
        ("Giá 25 triệu 500 nghìn đồng", "Giá 25,5 triệu", "Giá 26,5 triệu"),
        ("It has 2,102,650 guests.", "It has 2.1 million guests", "It has 2.2 million guests"),
        ("It has 163,594,000 guests.", "It has 163.6 million guests", "It has 163.5 million guests"),
        ("It has 11,968 guests.", "It has about 12,000 guests", "It has about 11,000 guests"),
        ("It costs 84.73 €, a cabin 12 €.", "It costs about 85 €", "It costs about 84 €"),
        ("Saved at 10:09:38.163.", "Saved at 10:09:38.163", "Saved at 10:08:38.163"),
        ("Part NKZ5M2K2 of 3.", "It is NKZ5M2K2", "It is NKZ5M3K2"),
        ("La tour du XIXe siècle.", "From the 19th century", "From the 18th century"),
        ("Songs of the 1990s.", "Songs of the '90s", "Songs of the '80s"),
        ("Chansons des années 90.", "Songs of the 1990s", "Songs of the 1980s"),
        ("Arsenal\n3\nChelsea\n2", "Arsenal won 3-2", "Arsenal won 4-2"),
        ("Mix one part cement with three parts sand.", "Mix them 1:3", "Mix them 1:4"),
        ("A map 1:5, with 3 cities, 2 rivers.", "The scale is 1:5", "The scale is 1:2"),
        ("5.000 Euro in cash.", "It costs €5,000", "It costs $5,000"),
        ("It grew by 5 %.", "It grew by five percent", "It grew by 5 percentage points"),
        ("It costs $5 for 5 rooms.", "It costs 5 dollars", "It costs 5 euros"),
        ("Top 5: 5 € each.", "All 5 of them", "All 6 of them"),
        ("The parcel weighs 5 lb.", "It weighs 5 pounds", "It weighs 5 kg"),
        ("包裹重5公斤。", "It weighs 5 kg", "包裹重5克"),
        ("Посылка весит 5 кг.", "It weighs 5 kilograms", "Посылка весит 5 грамм"),
        ("荷物は5kgです。", "5キログラムです", "5グラムです"),
        ("A tunnel of 12 km, open for 12 hours.", "12 kilometers long", "12 miles long"),
        ("The room measures 20 m².", "It has 20 square meters", "It has 20 ft²"),
        ("It is 20 °C outside.", "It is 20 degrees Celsius", "It is 20 °F"),
        ("Take 5 to 10 minutes.", "It takes 10 min", "It takes 10 hours"),
        ("The limit is 120 km/h.", "At most 120 kilometers per hour", "At most 120 mph"),
        ("料金は1200円です。", "It costs 1,200 yen", "It costs 1,200 dollars"),
        ("Sales of 3 billion kg.", "Sales of 3 bn kilograms", "Sales of 3 billion pounds"),
        ("It costs $9 for 2 people.", "It costs nine dollars", "It costs eight dollars"),
        ("Cuesta 100 euros.", "Cuesta cien euros. Cinco plazas", "Cuesta setenta euros. Cinco plazas"),
        ("Garantie : 30 jours, 2 ans.", "Garantie : trente jours", "Garantie : vingt jours"),
        ("It has 2,000,000 guests, 3 doors.", "It has two million guests", "It has three million guests"),
        ("It costs two thousand five hundred dollars.", "It costs $2,500", "It costs $2,600"),
        ("ลด ถึง 31 ธ.ค.", "Until 31 December", "Until 31 January"),
        ("Open from noon, 2 floors, 13 rooms.", "Open from 12:00", "Open from 11:00"),
        ("Open until midnight, 2 floors.", "Open until 12 am", "Open until 11 pm"),
        ("限一百二十人。", "At most 120", "At most 130"),
        ("Built in 1876-77, 12 rooms.", "Finished in 1877", "Finished in 1878"),
        ("Chrome 126.0.6478.127 of 3 browsers.", "Chrome 126.0.6478", "Take 127"),
        ("A marathon in 2:03:59, 12 runners.", "It took 2:03:59", "It took 2:03:58"),
        ("The budget is 3 billion.", "It is 3 billion", "It is 3 trillion"),
        ('It says: "Wait here. Do not move."', 'It says "Wait here. Do not move."', 'It says "Wait here. Do not run."'),
        ("The sea was calm, then a storm came.", '"sea was calm ... storm came"', '"storm came ... sea was calm"'),
        ("It costs 12 usd or 11 eur.", "It costs 12 usd", "It costs 12 eur"),
        ("Aus dem 18. Jahrhundert, 17 Säle.", "Anfang des 18. Jahrhunderts", "Anfang des 16. Jahrhunderts"),
        ("More than a million guests, 2 doors.", "It has 1 million guests", "It has 1 billion guests"),
        ("Plus d'un million d'habitants, 3 rues.", "Il a 1 million d'habitants", "Il a 1 milliard d'habitants"),
        ("It takes 1 hour and 45 minutes, 2 days.", "It takes 1h45", "It takes 2h45"),
        ("Ouvert dès 9 heures 30, 3 salles.", "Open from 9:30", "Open from 3:30"),
        ("Open 9 a.m.\u20135 p.m., 3 rooms.", "Closes at 5 P.M.", "Closes at 5 a.m."),
        ("Route 2 of 3 is long.", "Ruta 2 este lungă", "Ruta 4 este lungă"),
        ("Call 0800 123 456, 2 lines.", "Call 0800 123456", "Call 0800 123457"),
        ("Tel. +33 1 42 34 56 78, 2 rues.", "Call 01 42 34 56 78", "Call 01 42 34 56 79"),
        ("Sales: 1.2 billion. Staff: 300.", "It is 1.2 billion", "It is 1.2 trillion"),
        ("37 मिलियन, 3 शहर", "It has 37 million", "It has 3 million"),
        ("37,6 δισεκατομμυρίων, 3 μήνες", "It is 37.6 billion", "It is 37.6 million"),
        ("Mesafe 3 mil, 20 km.", "It is 3 miles away", "It is 20 miles away"),
        ("In the 1970s, 20 films.", "20世纪70年代的电影", "20世纪80年代的电影"),
        ("20世纪90年代,3部电影。", "In the 1990s", "In the 1980s"),
        ("A dozen eggs, 2 cups.", "Take 12 eggs", "Take 13 eggs"),
        ("It costs CHF 12.50 pro person.", "It costs CHF 12.50", "It costs CHF 12.05"),
        ("Une hausse de 2 points de pourcentage.", "Une hausse de 2 points de pourcentage", "Une hausse de 2 %"),
        ("The limit is 120 km/h.", "At most 120 kilometers per hour", "At most 120 miles per hour"),
        ("Umsatz 3,5 Mio. €, 2 Tage.", "It is 3.5 million euros", "It is 3.5 million dollars"),
        ("Kosten von 2 Mrd. US-Dollar, 3 Jahre.", "Es sind 2 Mrd. US-Dollar", "Es sind 2 Mrd. Euro"),
        ("価格は20ドルです。", "It costs 20 dollars", "It costs 20 yen"),
        ("가격은 20달러, 3일.", "20 dollars", "20원"),
        ("Take 5 mg for 3 days.", "Take 5 milligrams", "Take 5 mcg"),
        ("Take 1 tbsp of oil, 2 eggs.", "Take 1 tablespoon", "Take 1 teaspoon"),
        ("Alkohol: 0,5 ‰, 2 Bier.", "0.5 per mille", "0.5 percent"),
        ("A CPU with 3.2 GHz, 4 cores.", "It has 3.2 gigahertz", "It has 3.2 MHz"),
        ("Je Portion 500 kcal, 2 Eier.", "It has 500 kilocalories", "It has 500 kJ"),
        ("It uses 12 kilowatt hours, 2 lamps.", "It uses 12 kWh", "It uses 13 kWh"),
        ("Der Akku hat 12 kWh, 2 Zellen.", "It has 12 kilowatt-hours", "It has 12 kW"),
        ("Der Wagen kostet 3.500 €, 2 Sitze.", "It costs €3,500", "It costs €3.5"),
        ("The fee is KWD 12.500, 2 people.", "It costs 12.5 KWD", "It costs 12.6 KWD"),
        ("Tel. +49 (0)30 123456-78, 2 lines", "Tel +493012345678", "Tel +493012345679"),
        ("Arriendo: $ 50.000 al mes.", "It costs 50,000 Chilean pesos", "It costs €50,000"),
        ("Lunch for S$50.", "It costs SGD 50", "It costs JPY 50"),
        ("Billetten koster 1000 kr.", "It costs NOK 1,000", "It costs GBP 1,000"),
    ],
)
def test_figures_are_found_in_other_notations_than_the_page_has(page: str, true: str, false: str) -> None:
    found = figures_of(true, page)
    assert (len(found["on_page"] + found["elsewhere"]), found["not_on_page"]) == (1, [])
    assert [len(texts) for texts in figures_of(false, page).values()] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("page", "true", "false"),
    [
        ("It carried 48,300 guests and 12 cars.", "It carried 48.300 guests", "It carried 12,000 guests"),
        ("It is on time in 12.5 % of 0.75 hours.", "It is on time in 12,5 % of trips", "It carried 12,500 guests"),
        ("A bottle of 0.75 l.", "It holds 0,750 l", "It holds 0,760 l"),
        ("Open until 6:30 pm on 3 May 2026.", "Open on 3 May 2026", "Open on 3 June 2026"),
        ("Open on 3/5/2026, until 6:30 pm.", "Open on May 3", "Open on June 3"),
        ("Closed on 3/5 from 6 am.", "Closed on May 3", "Closed on June 3"),
        ("Open from 2026-05-03 for 6 crowns.", "Open in May 2026", "Open in June 2026"),
        ("Open on 3, 4 and 5 June, closed on 9 May.", "Open on 3 June", "Open on 9 June"),
        (
            "Published on 2 January 2023, updated on 3 May.",
            "Published on January 2, 2023",
            "Published on January 2, 2026",
        ),
        ("Vom 2.1.2023 bis 3.5.26, geändert 2024.", "Vom 2. Januar 2023", "Vom 2. Januar 2024"),
        ("June 2026\nMo\tTu\n3\t4\nClosed on 9 May.", "Open on 3 June 2026", "Open on 9 June 2026"),
        ("Am Morgen des 27. Januar 1967.", "Es war am 27. Januar 1967", "Es war am 27. Februar 1967"),
        ("2026年5月3日下午6点30分。", "Open on 3 May 2026", "Open on 3 June 2026"),
        ("Open on 3 May until 6:30 pm.", "于5月3日开放", "于6月3日开放"),
        ("Open on 3 May until 6:30 pm.", "Open from 03.05.2026", "Open from 03.06.2026"),
        ("Open on 10\u201312 May, closed on 9 June.", "Open on 10 May", "Open on 9 May"),
        ("Geöffnet am 3.5. um 9 Uhr.", "Am 3. Mai geöffnet", "Am 3. Juni geöffnet"),
        ("Changed at 2026-05-04T10:00Z.", "Changed on May 4, 2026", "Changed on June 4, 2026"),
        ("Am 12.03.26.", "On March 12, 2026", "On March 13, 2026"),
        ("2026年3月", "In March 2026", "In April 2026"),
        ("On Mar 12 '26.", "On 12 March 2026", "On 12 March 2027"),
        ("Am 7. Juni 4.329,04 € im Mai.", "Open on 7 June", "Open on 4 May"),
        ("In March 2026.", "2026年3月", "2026年4月"),
        ("In July and August, 6 hours.", "7月开放", "6月开放"),
        ("Am 3. Mai, 12 Stände.", "Am 3.5. ist das Fest", "The fair is on May 12"),
        ("Финал 9 мая, 6 призов.", "Финал 09.05", "Финал 09.06"),
        ("Dne 28. října 1918, 29 hostů.", "Dne 28. 10. 1918", "Dne 29. 10. 1918"),
        ("ב-3 במרץ 2024.", "On March 3, 2024", "On March 4, 2024"),
        ("1 फरवरी 2025", "1 फ़रवरी 2025", "2 फ़रवरी 2025"),
        ("From 28 February to 3 March.", "Bis\u20133.3.2026", "Bis\u20134.3.2026"),
        ("Open 6. bis 8. Mai, closed on 9 June.", "Open on 6 May", "Open on 9 May"),
        ("二〇二四年三月十二日", "On 12 March 2024", "On 13 March 2024"),
        ("On 20 March 2024, 3 rooms.", "二〇二四年三月二十日", "二〇二四年四月二十日"),
        ("令和6年3月12日", "On 12 March 2024", "On 12 March 2025"),
        ("On 12 March 2024, 6 rooms.", "民國113年3月12日", "民國112年3月12日"),
        ("5 มกราคม พ.ศ. 2568, 3 เดือน", "On 5 January 2025", "On 5 February 2025"),
        ("5 มกราคม 2568, 3 เดือน", "On 5 January 2025", "On 5 January 2024"),
        ("5 ม.ค. 2568, 3 เดือน", "5 มกราคม 2568", "5 มกราคม 2567"),
        ("เดือนพฤษภาคมปี 2013", "In May 2013", "In June 2013"),
        ("Ещё в феврале 2014 года, 3 дня.", "In February 2014", "In March 2014"),
        ("W maju 2015, 3 dni.", "In May 2015", "In June 2015"),
        ("Απρίλιο του 1991, 3 μέρες.", "In April 1991", "In June 1991"),
        ("في شباط من عام 1854", "In February 1854", "In March 1854"),
        ("في تشرين الأول 1954", "In October 1954", "In November 1954"),
    ],
)
def test_a_day_and_its_month_must_be_together_on_the_page(page: str, true: str, false: str) -> None:
    page = f"{page} The year is 2026."
    found = figures_of(true, page)
    assert (len(found["on_page"] + found["elsewhere"]), found["not_on_page"]) == (1, [])
    assert [len(texts) for texts in figures_of(false, page).values()] == [0, 0, 0, 1]


@pytest.mark.parametrize("date", ["5 มกราคม 2568", "令和6年3月12日", "二〇二四年三月二十日"])
def test_a_date_in_uncommon_digits_is_named_as_it_is_written(date: str) -> None:
    assert figures_of(date, "The ferry.")["not_on_page"] == [date]


@pytest.mark.parametrize(
    ("page", "true", "false"),
    [
        ("The Kettle K9 costs 2 crowns.", "Take the Kettle K9", "Take the Kettle K2"),
        ("COVID 19 took 20 days.", "It is COVID-19", "It is COVID-20"),
        ("Союз-11, 12 дней.", "Это Союз-11", "Это Союз-12"),
        ("The iPhone15 costs 16 crowns", "An iPhone15", "An iPhone16"),
        ("最新iPhone15售价16元。", "An iPhone15", "An iPhone16"),
        ("The iPhone comes in 3 colors.", "iPhone有3种颜色", "iPhone有4种颜色"),
        ("A trip in 1990 for 5 €, 6 days.", "A trip in mid-1990", "A trip in mid-1991"),
        ("A trip for 5 €, 6 days.", "A trip for EUR5", "A trip for EUR7"),
        ("Gate 39-A, 39 seats.", "Gate 39A", "Gate 39C"),
        ("Sales in fiscal 2024.", "Sales in FY2024", "Sales in FY2025"),
        ("Type 2 diabetes, type 3 too.", "Typ-2-Diabetes", "Typ-4-Diabetes"),
        ("Sales in FY24, 25 shops.", "Sales in 2024", "Sales in 2025"),
        ("Sales in spring 2024, 25 shops.", "Sales in spring \u201924", "Sales in spring \u201923"),
    ],
)
def test_a_figure_in_a_name_is_found_only_with_its_name(page: str, true: str, false: str) -> None:
    assert [len(texts) for texts in figures_of(true, page).values()] == [1, 0, 0, 0]
    assert [len(texts) for texts in figures_of(false, page).values()] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("page", "true"),
    [
        ("Season 2023/24.", "The season of 2024"),
        ("From 1876 to 1877.", "The season 1876/77"),
        ("Rated 4/5.", "4 out of 5"),
        ("A 1/2.8 inch sensor.", "A 1/2.8 inch sensor"),
        ("A gear of 16/36t.", "A gear of 16/36t"),
        ("In 2024, 125,000,000 people.", "2024年の人口は約1億2,500万人です"),
        ("Weight (kg): 5, width 9 cm.", "It weighs 5 kg"),
        ("A walk of 5 km or 5 minutes.", "5 m"),
        ("20 degrees, 20 m³.", "20 °C and 20 cubic meters"),
        ("Nach 5 Monaten in 5 Ländern.", "5 months"),
        ("It costs 105 dollars for 2 days.", "One hundred and five dollars for 2 days"),
        ("It has 2,500 seats, 3 doors.", "Two thousand five hundred seats, 3 doors"),
    ],
)
def test_each_figure_of_a_short_or_ambiguous_notation_is_found(page: str, true: str) -> None:
    found = figures_of(true, page)

    assert found["on_page"]
    assert not found["not_on_page"]
    assert figures_of("Only 7", page)["not_on_page"]


def test_a_number_too_long_for_a_date_is_only_a_number() -> None:
    assert figures_of("Open on 3 May.", f"Open on 3 May {'9' * 5_000}.")["not_on_page"] == []


async def test_the_last_line_names_what_is_not_on_the_page() -> None:
    result = await asked("The ferry costs 1,299 €, a cabin 99 €.")

    line = lines_of(result)[-1]
    assert line.startswith("(read ")
    assert "; 1 of 2 figures is on the page" in line
    assert line.endswith('"99 €")')
    assert receipt_of(result)["checked"]["not_on_page"] == ["99 €"]


async def test_a_figure_is_named_with_its_currency_and_no_other_word() -> None:
    assert (await checked("The ferry costs €99 for all."))["not_on_page"] == ["€99"]


async def test_a_quotation_that_is_not_on_the_page_is_named_in_one_pair_of_quotation_marks() -> None:
    result = await asked('The captain says "all hands on deck".')

    assert lines_of(result)[-1].endswith('not: "all hands on deck")')


async def test_an_address_in_code_that_is_not_on_the_page_is_broken_where_the_last_line_names_it() -> None:
    result = await asked("Run `curl https://evil.test/x` now.")

    assert "`curl https://evil.test/x`" in lines_of(result)[0]
    assert receipt_of(result)["checked"]["not_on_page"] == ["https://evil.test/x"]
    assert lines_of(result)[-1].endswith('not: "https ://evil.test/x")')


def test_a_long_address_is_one_figure() -> None:
    address = f"https://shop.test/?{'&'.join(f'key{i}={i:x}a{i}' for i in range(100))}"

    for answered, found in ((address, [1, 0]), (f"{address}0", [0, 1])):
        checks = figures_of(f"Order at {answered}.", f"Order at {address} today.")
        assert [len(checks["on_page"] + checks["elsewhere"]), len(checks["not_on_page"])] == found


async def test_numbering_and_figures_of_the_prompt_raise_no_alarm() -> None:
    text = "1. The ferry costs 1,299 €.\n2. A locker costs 7 crowns.\n\n| 3 | cabins: 12 |\n\nYou have 5000 €."

    found = await checked(text, system_prompt="Is the ferry to Varna within my 5000 €?")

    assert (found["not_on_page"], found["in_prompt"]) == ([], ["5000 €"])
    assert len(found["on_page"] + found["elsewhere"]) == 3
    # The default prompt is not the user's: its "one web page" explains no figure.
    assert (await checked("It has 1 deck.", system_prompt=""))["not_on_page"] == ["1"]


async def test_a_figure_from_another_passage_is_listed_separately(osascript: FakeOsascript) -> None:
    filler = "\n".join(f"The harbour of town {i} has quays and cranes for its boats." for i in range(40))
    osascript.shows(f"The ferry to Varna costs 17 crowns.\n{filler}\nA locker in the office costs 99 crowns.")

    found = await checked("The ferry to Varna costs 99 crowns.")
    assert (found["elsewhere"], found["on_page"]) == (["99"], [])
    # A short page has no other passage.
    assert figures_of("Insgesamt 2,5 Millionen Passagiere im Jahr", "A total of 2500000.")["on_page"] == [
        "2,5 Millionen"
    ]
    assert (await checked("The ferry to Varna costs 17 crowns."))["on_page"] == ["17"]
    # A number in another place does not support a currency that the page does not have with it.
    osascript.shows(f"The ferry to Varna costs $17.\n{filler}\nThe office has 17 lockers.")
    assert (await checked("The ferry to Varna costs 17 \N{EURO SIGN}."))["not_on_page"] == ["17 \N{EURO SIGN}"]


async def test_values_of_json_are_checked_by_their_paths(osascript: FakeOsascript) -> None:
    osascript.shows(f"{FARES}\nBooking 1799887766554433221 to 52.5200066 is 5.25 % less.")
    schema = {"type": "object", "properties": {"price": {"type": "number"}}}
    data = {"price": 1299, "seats": 0.45, "to": "Varna", "stops": [{"at": "17:45"}, {"at": "17:46"}], "via": "Burgas"}
    data |= {"currency": "USD", "paid": "EUR", "changed": -0.0525, "latitude": 52.5200066}
    data |= {"booking": 1799887766554433221, "other": 1799887766554433200, "endless": 10**400}

    result = await asked(json.dumps(data), output_schema=schema)

    assert result.structured_content == data
    found = receipt_of(result)["checked"]
    assert found["not_on_page"] == ["$.stops[1].at", "$.via", "$.currency", "$.other", "$.endless"]
    there = {"$.price", "$.seats", "$.to", "$.stops[0].at", "$.paid", "$.changed", "$.latitude", "$.booking"}
    assert there == {*found["on_page"], *found["elsewhere"]}


async def test_each_value_of_json_has_the_passage_that_states_it_or_none() -> None:
    data = {"price": 1299, "seats": 0.45, "to": "Varna", "via": "Burgas", "cabins": 13}
    data |= {"ship": "Steamer 12", "guests": "1.2 million guests"}

    result = await asked(json.dumps(data), output_schema={"type": "object"}, evidence=True)

    assert result.structured_content == data
    found = {each.pop("path"): each for each in receipt_of(result)["evidence"]}
    assert set(found) == {f"$.{name}" for name in data}
    for name, stated in (("price", "1,299 €"), ("seats", "45 %"), ("to", "Varna"), ("guests", "1.2 million")):
        offset, passage = found[f"$.{name}"]["offset"], found[f"$.{name}"]["passage"]
        assert stated in passage
        assert passage == FARES[offset : offset + len(passage)]
        assert unquote(found[f"$.{name}"]["link"]).startswith("https://ferry.test/timetable#top:~:text=")
    assert found["$.via"] == found["$.cabins"] == found["$.ship"] == {"passage": None}
    assert "evidence" not in receipt_of(await asked(json.dumps(data), output_schema={"type": "object"}))

    # The page has neither the name nor the number as it is written here.
    receipt = receipt_of(await asked('{"betrag": 1299}', output_schema={"type": "object"}, evidence=True))
    assert "1,299 €" in receipt["evidence"][0]["passage"]
    assert receipt["checked"]["on_page"] == ["$.betrag"]


async def test_each_sentence_has_its_passage_or_a_note_that_there_is_none() -> None:
    text = "The fast ferry costs 1,299 € for two adults. Quantum chromodynamics explains gluon confinement."
    result = await asked(text, evidence=True)

    assert result.structured_content is not None
    assert result.structured_content["answer"] == text
    supported, foreign = result.structured_content["evidence"]
    offset, passage = supported["offset"], supported["passage"]
    assert passage == FARES[offset : offset + len(passage)] == "The fast ferry costs 1,299 € for two adults."
    base, _, fragment = supported["link"].partition(":~:text=")
    assert (base, unquote(fragment)) == (URL, passage)
    assert "," not in fragment
    assert foreign == {"sentence": "Quantum chromodynamics explains gluon confinement.", "passage": None}
    lines = lines_of(result)
    assert lines[0] == text.replace("adults.", "adults. [1]") + " [2]"
    note = next(line for line in lines if line.startswith("[1]"))
    assert supported["link"] in note
    assert note.count(passage) == 1
    # Several clients show only the structured content.
    assert lines[-1] == result.structured_content["read"]
    assert (await asked(text)).structured_content is None


async def test_the_passage_has_the_figure_that_the_answer_writes_in_another_notation(osascript: FakeOsascript) -> None:
    kettle = "The kettle costs 1,299.00 € in our shop and comes with a glass body."
    osascript.shows(
        f"Kettle K2\nThe toaster costs 49.90 € and weighs 1.2 kg.\n{kettle}\nThe kettle is green.\nTown\tPeople\nOslo\t700000"
    )
    figure, other = "The kettle costs 1299 EUR.", "The kettle costs 1298 EUR."
    row, none = "The town of Oslo has 700,000 people.", "The town of Oslo has 100,000 people."

    result = await asked(f"{figure} {other} {row} {none}", evidence=True)

    found = [(each["sentence"], each["passage"]) for each in (result.structured_content or {})["evidence"]]
    assert found == [(figure, kettle), (other, None), (row, "Town\tPeople\nOslo\t700000"), (none, None)]


async def test_a_line_and_a_unit_after_a_number_end_a_sentence(osascript: FakeOsascript) -> None:
    osascript.shows(
        "A parcel weighs at most 12 kg. A bag is free.\nThe shop opens at 9:00 am and closes at 6:30 pm.\nIt has two doors."
    )
    text = "* The shop opens at 9:00 am and closes at 6:30 pm.\n* A parcel weighs at most 12 kg."
    header = "| Kind of office | Opening hours |\n|:---|---|\n"  # states nothing

    result = await asked(header + text, evidence=True)

    found = [(each["sentence"], each["passage"]) for each in (result.structured_content or {})["evidence"]]
    shop, parcel = "The shop opens at 9:00 am and closes at 6:30 pm.", "A parcel weighs at most 12 kg."
    assert found == [(shop, shop), (parcel, parcel)]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("- **Price:** the ferry costs 17 crowns.", "**Price:** the ferry costs 17 crowns."),
        ("*Kind* dogs are free.", "*Kind* dogs are free."),
        ("-14 degrees are forecast.", "-14 degrees are forecast."),
        ("#5 is the pier.", "#5 is the pier."),
        ("`ferry --all` lists them.", "`ferry --all` lists them."),
        ("> | Oslo | 17 crowns |", "Oslo | 17 crowns"),
        ("`ferry --all`", None),
        ("## The fares", None),
        ("**The fares:**", None),
        ("\u7968\u4ef7\u4e00\u89c8\uff1a", None),
    ],
)
def test_a_sentence_keeps_its_emphasis_and_loses_the_marks_of_its_block(line: str, sentence: str | None) -> None:
    page = server.Page(URL, "Ferry", FARES, "applescript")

    found = server.find_evidence(line, server.index_for_check(page), [page], "")

    assert [line[each.start : each.end] for each in found] == ([] if sentence is None else [sentence])


# --- Which passage ---


def ranked(sentence: str, page: str, question: str = "") -> list[server.RankedPassage]:
    index = server.PageIndex([page], server.CHECKED_CHUNK_CHARS)
    return list(server.rank_passages(sentence, index, server.stems(question)))


async def test_a_passage_from_a_long_sentence_is_the_part_that_matches(osascript: FakeOsascript) -> None:
    before = "The harbour has quays and cranes for its many boats, " * 3
    fact = "and the zeppelin museum charges 23 crowns for its guided tour"
    page = f"{before}{fact}, while nets dry in the wind of the coast" + ", as every day of the year" * 6 + "."
    osascript.shows(page)

    result = await asked("The zeppelin museum charges 23 crowns for its guided tour.", evidence=True)

    assert result.structured_content is not None
    (evidence,) = result.structured_content["evidence"]
    offset, passage = evidence["offset"], evidence["passage"]
    assert page.index(fact) < server.MAX_PASSAGE_CHARS < page.index(fact) + len(fact)
    assert fact in passage
    assert len(passage) <= server.MAX_PASSAGE_CHARS
    assert passage == page[offset : offset + len(passage)]
    assert page[offset - 1] == page[offset + len(passage)] == " "


def test_a_passage_without_spaces_between_words_is_cut_at_the_spaces_that_are_there() -> None:
    phrases = [chr(ord("ก") + i) * 50 for i in range(9)]
    page = " ".join(phrases)

    best = ranked(" ".join(phrases[3:5]), page)[0]

    assert len(page) > server.MAX_PASSAGE_CHARS >= best.end - best.start
    assert set(page[best.start : best.end].split(" ")) <= set(phrases)
    assert set(phrases[3:5]) <= set(page[best.start : best.end].split(" "))


def test_ranked_passages_do_not_overlap() -> None:
    page = "The zeppelin museum charges 23 crowns for its guided tour, " * 8 + "\n\nTour: 23\nMuseum: 23 crowns"
    places = sorted((each.start, each.end) for each in ranked("The museum tour costs 23 crowns", page))

    assert len(places) > 2
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(places))


@pytest.mark.parametrize(("copies", "is_supported"), [(1, True), (12, False)])
def test_a_claim_that_many_chunks_match_as_well_has_less_support(copies: int, *, is_supported: bool) -> None:
    filler = [f"Paragraph{i} " + " ".join(f"word{i}x{k}" for k in range(90)) for i in range(60)]
    shared = "the harbour office sells cheap tickets near boats on monday"
    page = "\n\n".join(f"{shared.capitalize()}.\n{text}" if 0 < i <= copies else text for i, text in enumerate(filler))

    best = ranked(f"{shared} quantum gluon confinement chromodynamics zeppelin museum", page)[0]

    assert (best.support >= server.MIN_SUPPORT) is is_supported


def test_a_passage_with_the_figure_is_better_than_one_with_a_word_that_is_as_rare() -> None:
    line = "Quays and cranes serve many boats, and nets dry in the wind of the coast on each day of the long year. "
    page = f"The ferry to Varna leaves from a pier.\n{line * 2}\nThe ferry to Varna costs 17 crowns or so."

    best = ranked("The ferry to Varna leaves 17", page)[0]

    assert "17" in page[best.start : best.end]


def test_a_passage_with_what_the_answer_adds_is_better_than_one_with_the_words_of_the_question() -> None:
    line = "Quays and cranes serve many boats, and nets dry in the wind of the coast on each day of the long year. "
    page = f"The tour of the zeppelin museum begins here.\n{line * 2}\nVisitors follow Ada Lane."
    answer, question = "The tour of the zeppelin museum is led by Ada Lane", "who leads the tour of the zeppelin museum"

    best, without = ranked(answer, page, question)[0], ranked(answer, page)[0]

    assert "Ada" in page[best.start : best.end]
    assert "Ada" not in page[without.start : without.end]


def test_what_an_answer_repeats_of_the_question_counts_less_in_its_support() -> None:
    answer = "On Sundays in winter the guide is Ada Lane"
    with_question, without = (
        ranked(answer, "The guide is Ada Lane.", question)[0].support
        for question in ("who is the guide on sundays in winter", "")
    )

    assert with_question > without


@pytest.mark.parametrize("word", ["الكتاب", "والكتاب", "بالكتاب", "للكتاب"])
def test_an_arabic_word_matches_with_its_article_and_particles(word: str) -> None:
    assert server.stems(word) == server.stems("كتاب") != server.stems("الباب")


async def test_a_passage_in_a_note_takes_effect_no_more_than_one_in_an_answer(osascript: FakeOsascript) -> None:
    osascript.shows("The fast ferry costs 17 crowns <img src=x onerror=alert(1)> for two.\U000e0041")
    result = await asked("The fast ferry costs 17 crowns for two.", evidence=True)

    assert isinstance(result.content[0], TextContent)
    assert "[1] " in result.content[0].text
    assert "<img" not in result.content[0].text
    assert "\U000e0041" not in json.dumps(result.structured_content, ensure_ascii=False)


@pytest.mark.parametrize(
    ("passage", "linked"),
    [
        ("| Kettle K1 | $39.90 | 12 |", "Kettle K1,12"),
        ("| Kettle |", "Kettle"),
        ("1. Boil the water", "Boil the water"),
        ("- Boil **all** the water", "Boil,the water"),
        ("### Boil water", "Boil water"),
        ("1.5 litres of water", "1.5 litres of water"),
        ("See the [fares](https://ferry.test/a).", "See the,fares"),
        ("It cost 99 € (crossed out) and costs 79 €", "It cost 99 €,and costs 79 €"),
        ("Green tea (checked)", "Green tea"),
        ("About 10^6 boats", "About,boats"),
        ("\u6f22\u5b57(\u304b\u3093\u3058)", "\u6f22\u5b57"),
    ],
)
def test_a_link_has_the_text_of_the_page_without_its_markdown_and_what_reading_adds(passage: str, linked: str) -> None:
    link = server.fragment_link(URL, passage)

    assert link is not None
    assert unquote(link.partition(":~:text=")[2]) == linked


def test_a_link_to_a_long_passage_or_one_of_several_blocks_names_both_ends() -> None:
    words = " ".join(f"word-{i}," for i in range(30))
    link = server.fragment_link("https://a.test/?q=1#x", words)
    assert link == (
        "https://a.test/?q=1#x:~:text=word%2D0%2C%20word%2D1%2C%20word%2D2%2C%20word%2D3%2C"
        ",word%2D26%2C%20word%2D27%2C%20word%2D28%2C%20word%2D29%2C"
    )
    # The place may be the view of an application, which another passage was linked in.
    assert server.fragment_link("https://a.test/#/fares:~:text=x", "Price") == "https://a.test/#/fares:~:text=Price"
    assert server.fragment_link("https://a.test/", "## Price\n| 17 €") == "https://a.test/#:~:text=Price,17%20%E2%82%AC"
    assert server.fragment_link("file:///tmp/a.html", "Price") is None
    # An end that the page has before would be found there.
    link = server.fragment_link("https://a.test/", "Oslo\t17 crowns", "Ferries to Oslo\n")
    assert link == "https://a.test/#:~:text=17%20crowns"


# --- Quick reading ---


def long_page(rows: Callable[[int], str]) -> str:
    return "\n\n".join(rows(i) for i in range(400))


def prose(number: int) -> str:
    if number == 300:
        return "The zeppelin museum charges 23 crowns for its guided tour."
    return f"Paragraph {number} is about boats, nets and the weather on the coast, as every day of the year has it."


def table(number: int) -> str:
    return f"zeppelin {number}\tmuseum\t{number} crowns"


async def test_page_is_indexed_while_the_model_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    indexed, index_for_check = asyncio.Event(), server.index_for_check
    loop = asyncio.get_running_loop()

    def index(page: server.Page) -> server.PageIndex:
        loop.call_soon_threadsafe(indexed.set)
        return index_for_check(page)

    async def script(_request: Request) -> Reply:
        await indexed.wait()
        return answer("The locker costs 7 crowns.")

    monkeypatch.setattr(server, "index_for_check", index)
    async with FakeOpenAIServer(script=script) as fake, serving(fake) as asker:
        receipt = receipt_of(await asker.ask(system_prompt="What does a locker cost?"))

    assert receipt["checked"]["on_page"] == ["7"]


async def test_quick_reads_only_what_matches_and_reports_it(osascript: FakeOsascript) -> None:
    page = long_page(prose)
    osascript.shows(page)
    prompt = "What does the zeppelin museum charge for its guided tour?"
    async with FakeOpenAIServer(answer("It charges 23 crowns.")) as fake, serving(fake, context_length=32768) as asker:
        quick = await asker.ask(system_prompt=prompt, quick=True)
        whole = await asker.ask(system_prompt=prompt)

    assert "zeppelin" in fake.chats[0].prompt
    assert len(fake.chats[0].prompt) < len(page) / 3
    receipt = receipt_of(quick)
    assert receipt["quick"]["read"] == 5 < receipt["quick"]["chunks"]
    assert receipt["characters_read"] < receipt["page_characters"] == len(page)
    assert f"quick read the best 5 of {receipt['quick']['chunks']} excerpts" in lines_of(quick)[-1]
    assert "quick" not in receipt_of(whole)


@pytest.mark.parametrize(
    ("row", "prompt"),
    [
        (prose, "Who won the election in Ruritania?"),
        (prose, "Boats, nets and the weather on the coast: every day of the year?"),
        (prose, None),
        (table, "What does zeppelin museum charge, crowns?"),
    ],
    ids=["no match", "many matches", "no prompt", "tables"],
)
async def test_quick_reads_everything_if_the_match_is_not_clear(
    row: Callable[[int], str], prompt: str | None, osascript: FakeOsascript
) -> None:
    page = long_page(row)
    osascript.shows(page)
    receipt = receipt_of(await asked("Nothing.", system_prompt=prompt, quick=True))

    assert "quick" not in receipt
    assert receipt["characters_read"] == len(page)


# --- Hostile text ---


@pytest.mark.parametrize(
    "unit",
    [
        "1 ",
        "1,",
        "1.",
        "123 ",
        "'1",
        "(",
        '"',
        "a@",
        "a.",
        ". ",
        ".",
        "!",
        ".)",
        "\n ",
        "www.",
        "-",
        "१",
        "\u0301",
        "a-",
        "«",
        "12:",
        "1/1/",
        "1.30 ",
        "1\u6708",
        "\u4e0b\u53481\u70b9",
    ],
)
@pytest.mark.timeout(45)
def test_checking_a_hostile_text_takes_linear_time(unit: str) -> None:
    # Anything but linear would run into the timeout of the test.
    text = unit * (25_000 // len(unit)) + "\nThe locker costs 17 crowns."
    index = server.PageIndex([text], server.CHECKED_CHUNK_CHARS)

    findings = server.check_figures(text, index, "")

    assert (findings[-1].shown, findings[-1].result) == ("17", "on_page")
