"""Bounds on tokens, and chunks: joined they are the text, none is too large, and no character loses its accent."""

import asyncio
import random
import re
import unicodedata
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrome_tab_mcp_server as server
from chrome_tab_mcp_server import TokenMeter, byte_kinds, split_text
from demo.tiny_model import TinyModel
from tests.support.fake_models import tokens_by_byte, tokens_by_four_characters, tokens_by_word, tokens_like_usual

SENTENCES = {
    "English": "The ferry leaves the old harbour at noon, and every ticket for two children costs seventeen crowns. "
    "No one knew why the lighthouse keeper had painted the door green last winter.",
    "German": "Die Fährverbindung zwischen Hafenstadt und Vogelinsel wird wegen Bauarbeiten vorübergehend eingestellt. "
    "Ersatzverkehr für Fußgänger übernimmt die Schifffahrtsgesellschaft.",
    "Russian": "Паром отправляется из старой гавани в полдень, и каждый билет для двоих детей стоит семнадцать крон. "
    "Никто не знал, почему смотритель маяка покрасил дверь.",
    "Chinese": "渡轮中午从旧港口出发，两个孩子的每张票价为十七克朗。没有人知道灯塔看守人去年冬天为什么把门漆成绿色。",  # noqa: RUF001
    "Japanese": "フェリーは正午に古い港を出発し、子供二人の切符はそれぞれ十七クローネです。灯台守がなぜドアを緑色に塗ったのか誰も知りません。",
    "Korean": "여객선은 정오에 옛 항구를 떠나며 어린이 두 명의 표는 각각 십칠 크로네입니다. 등대지기가 왜 문을 초록색으로 칠했는지 아무도 몰랐습니다.",
    "Arabic": "تغادر العبارة الميناء القديم عند الظهر، وتبلغ تكلفة كل تذكرة لطفلين سبعة عشر كرونة. لم يعرف أحد لماذا دهن الحارس الباب.",
    "Hindi": "नौका दोपहर में पुराने बंदरगाह से निकलती है, और दो बच्चों के हर टिकट की कीमत सत्रह क्रोन है। किसी को नहीं पता था कि दरवाज़ा हरा क्यों है।",
    "Thai": "เรือข้ามฟากออกจากท่าเรือเก่าตอนเที่ยงและตั๋วสำหรับเด็กสองคนราคาใบละสิบเจ็ดโครน ไม่มีใครรู้ว่าทำไมประตูจึงเป็นสีเขียว",
    "emoji": "😀👩‍👩‍👧‍👦🏳️‍🌈👍🏽🎉🚢⚓️🇳🇴 🧑🏿‍🚀🫠❤️‍🔥",
    "code": "def ferry(port: str, *, children: int = 2) -> float:\n    if not port:\n        raise ValueError(f'no {port!r}')\n"
    "    return sum(17.0 for _ in range(children))\n",
    "minified": "!function(e,t){var n=e.document,r=t(n,e.Date);e.lazySizes=r,'object'==typeof module&&module.exports&&(module.exports=r)}"
    "('undefined'!=typeof window?window:{},function(i,s,t){'use strict';var f,o;if(!s.getElementsByClassName)return});",
}
RUNS = (
    "\n        \n                                                  x\n"
    + "=" * 90
    + "\n"
    + "-" * 200
    + "\n..........\t\t\t\t!!!!!!\n"
)


def varied(kind: str, seed: int) -> str:
    """Return about 6,000 characters of a kind."""
    rng = random.Random(seed)  # noqa: S311 -- the same text in each run
    if kind == "base64":
        return "".join(rng.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=6000))
    if kind == "hexadecimal":
        return " ".join(f"{rng.getrandbits(128):032x}" for _ in range(180))
    if kind == "runs":
        return RUNS * 15
    if kind == "numbers":
        return "\n".join(
            f"{rng.randint(1, 10**6)};{rng.random():.5f};2026-11-{rng.randint(1, 28):02d}" for _ in range(200)
        )
    pieces = re.split(r"(?<=[\s。，、])", SENTENCES[kind]) if kind != "Thai" else list(SENTENCES[kind])  # noqa: RUF001
    text = ""
    while len(text) < 6000:
        text += SENTENCES[kind] + " " + "".join(rng.sample(pieces, len(pieces) // 2)) + "\n"
    return text


KINDS = [*SENTENCES, "base64", "hexadecimal", "runs", "numbers"]
TOKENIZERS = {
    "a byte a token": tokens_by_byte,
    "four characters a token": tokens_by_four_characters,
    "a word a token": tokens_by_word,
    "as usual": tokens_like_usual,
}
# One token per word is a limiting case for languages with spaces; elsewhere no vocabulary could be that large.
WITH_WORDS = ("English", "Russian", "Korean", "Arabic", "Hindi", "code", "runs")


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name in TOKENIZERS for kind in (WITH_WORDS if name == "a word a token" else KINDS)],
)
def test_bounds_are_valid_and_narrow_for_fake_tokenizers(name: str, kind: str) -> None:
    check_bounds(varied(kind, 1), varied(kind, 2), lambda text: len(TOKENIZERS[name](text)))


def check_bounds(text: str, same_kind: str, count: Callable[[str], int]) -> None:
    """Check the bounds before and after the meter has learned a text of the same kind."""
    meter = TokenMeter()
    lower, true = meter.lower(same_kind), count(same_kind)
    # One token per byte for kinds of which nothing is known, and hardly more.
    assert lower <= true <= meter.estimate(same_kind) <= len(same_kind.encode()) + 1
    meter.learn(text, count(text) + 30)
    assert lower <= meter.lower(same_kind) <= true
    # What exceeds the estimate uses part of the quarter of the window reserved for the answer.
    assert 0.78 * true <= meter.estimate(same_kind)
    # No text made of words has so few tokens per byte: the rates have a floor.
    if true > 0.2 * len(same_kind.encode()):
        assert meter.estimate(same_kind) <= 1.15 * true


async def test_bounds_are_valid_and_narrow_for_a_real_tokenizer(tiny_model: TinyModel) -> None:
    texts = {(kind, seed): varied(kind, seed) for kind in KINDS for seed in (1, 2)}
    async with httpx.AsyncClient(timeout=60) as client:

        async def count(text: str) -> int:
            reply = await client.post(f"{tiny_model.url}/tokenize", json={"content": text})
            return len(reply.raise_for_status().json()["tokens"])

        counts = dict(zip(texts.values(), await asyncio.gather(*map(count, texts.values())), strict=True))

    for kind in KINDS:
        check_bounds(texts[kind, 1], texts[kind, 2], counts.__getitem__)
    # What prose has taught holds for code, numbers and hashes.
    meter = TokenMeter()
    meter.learn(texts["English", 1], counts[texts["English", 1]])
    for kind in ("English", "code", "numbers", "hexadecimal"):
        assert meter.expected(texts[kind, 2]) == pytest.approx(counts[texts[kind, 2]], rel=0.2)


def test_a_script_teaches_nothing_about_another_one() -> None:
    meter = TokenMeter()
    meter.learn(varied("English", 1), 1500)
    learned = meter.learned["factors"]
    meter.learn(varied("Russian", 1), 9000)

    assert meter.learned["factors"] == learned | {"cyrillic": meter.learned["factors"]["cyrillic"]}
    assert meter.expected(varied("Russian", 1)) == pytest.approx(9000, rel=0.01)


def test_a_text_in_many_scripts_teaches_the_largest_one() -> None:
    sizes = {"A": 90, "λ": 60, "я": 90, "ש": 80, "अ": 60, "ა": 120, "あ": 50, "😀": 20}
    text = "\n".join(char * count for char, count in sizes.items())
    shares = server.usual_shares(byte_kinds(text))
    assert max(shares.values()) < 0.2 * sum(shares.values())
    meter = TokenMeter()
    meter.learn(text, 700)

    assert meter.expected(text) == pytest.approx(700)
    assert len(meter.learned["factors"]) == 1


def test_half_of_an_english_prompt_is_below_the_lower_bound_before_anything_is_learned() -> None:
    text = varied("English", 1)

    assert TokenMeter().lower(text) > len(tokens_like_usual(text)) / 2


@pytest.mark.parametrize("kind", ["English", "Russian", "Chinese", "Hindi"])
def test_half_of_a_prompt_is_below_the_lower_bound_once_its_kind_is_known(kind: str) -> None:
    meter = TokenMeter()
    text, other = varied(kind, 1), varied(kind, 2)
    meter.learn(text, len(tokens_like_usual(text)) + 30)

    assert meter.lower(other) > len(tokens_like_usual(other)) / 2


def test_impossible_counts_and_short_texts_teach_nothing() -> None:
    meter, text = TokenMeter(), varied("English", 1)
    before = meter.lower(text), meter.estimate(text)
    meter.learn(text, 10 * len(text))
    meter.learn("The ferry.", 3)

    assert (meter.lower(text), meter.estimate(text)) == before
    assert meter.learned == {"factors": {}, "lowest": {}}


def test_doubt_raises_the_estimate_up_to_one_token_per_byte() -> None:
    meter, text = TokenMeter(), varied("English", 1)
    certain = meter.estimate(text)
    meter.learn(text, len(text) // 4)
    learned = meter.estimate(text)
    meter.doubt()
    assert learned < meter.estimate(text) < certain
    for _ in range(50):
        meter.doubt()
    assert 0.95 * certain < meter.estimate(text) <= certain


def test_reports_correct_the_rates_and_small_differences_do_not_change_them() -> None:
    """Chunks stay the same between sessions only if the rates do."""
    meter, text = TokenMeter(), varied("English", 1)
    meter.learn(text, 2000)
    learned = meter.learned
    meter.learn(text, 2080)
    assert meter.learned == learned
    meter.learn(text, 2400)
    assert meter.expected(text) == pytest.approx(2200, rel=0.01)


@pytest.mark.parametrize(
    "damaged",
    [
        {},
        {"factors": 7, "lowest": None},
        {
            "factors": {"latin": "many", "greek": True, "indic": -1, "emoji": 1e9, "x": 1},
            "lowest": {"latin": float("nan")},
        },
    ],
)
def test_only_possible_rates_are_taken_from_a_file(damaged: dict[str, Any]) -> None:
    meter, text = TokenMeter(), varied("English", 1)
    meter.learn(text, 1500)

    assert TokenMeter(meter.learned).learned == meter.learned != {"factors": {}, "lowest": {}}
    assert TokenMeter(damaged).learned == {"factors": {}, "lowest": {}}


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_byte_has_exactly_one_kind(text: str) -> None:
    kinds = byte_kinds(text)

    assert sum(kinds) == len(text.encode())
    assert min(kinds) >= 0


@pytest.mark.parametrize("size", [1, 7, 60_000, 200_000])
def test_bytes_are_counted_the_same_when_split(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (varied("English", 1) + varied("Chinese", 1) + varied("emoji", 1)) * 3
    whole = byte_kinds(text)
    monkeypatch.setattr(server, "CHUNK_CHARS", size)
    chunked = byte_kinds(text)

    # The end of a chunk changes the kind only of a long run that it cuts.
    assert chunked[3:] == whole[3:]
    assert sum(chunked) == sum(whole)


# --- Chunks ---


def by_bytes(budget: int) -> Callable[[str], float]:
    return lambda piece: len(piece.encode("utf-8", "replace")) / budget


def pieces_of(text: str, cost: Callable[[str], float], start: int = 0) -> list[str]:
    slices = split_text(text, cost, start)
    assert [begin for begin, _ in slices[1:]] == [end for _, end in slices[:-1]]
    assert all(begin < end for begin, end in slices)
    return [text[begin:end] for begin, end in slices]


LIVELY = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            ["word ", "\n\n", "\n", ". ", "。", "e\u0301", "👩\u200d👧", "👍\U0001f3fd", "न\u0940", "x" * 40]
        ),
    ),
    max_size=60,
).map("".join)


@given(LIVELY, st.integers(1, 60))
def test_joined_chunks_are_the_text_and_none_exceeds_the_budget_except_single_characters(
    text: str, budget: int
) -> None:
    pieces = pieces_of(text, by_bytes(budget))

    assert "".join(pieces) == text
    assert all(by_bytes(budget)(piece) <= 1 or len(piece) == 1 for piece in pieces)


@given(LIVELY, st.integers(0, 40))
def test_chunks_from_an_offset_on_are_the_rest_of_the_text(text: str, start: int) -> None:
    assert "".join(pieces_of(text, by_bytes(50), start)) == text[start:]


@given(LIVELY, st.integers(1, 3000))
def test_chunks_stay_within_the_budget_of_a_meter_that_has_learned(text: str, room: int) -> None:
    meter = TokenMeter()
    meter.learn(varied("base64", 1), 4200)
    meter.learn(varied("English", 1), 1500)
    pieces = pieces_of(text, lambda piece: meter.estimate(piece) / room)

    assert "".join(pieces) == text
    # A cut before a character with an accent may make a run too short to count as one.
    assert all(meter.estimate(piece) <= room + 24 or len(piece) == 1 for piece in pieces)


@given(LIVELY, st.integers(30, 90))
def test_no_chunk_begins_with_a_mark_that_belongs_to_the_character_before(text: str, budget: int) -> None:
    # Combined characters are short here, unless the random text has many marks in a row.
    if re.search(r"[\u0300-\u036f\u200d\U0001f3fb-\U0001f3ff\ufe0f\u0940]{4}", text):
        return
    for before, piece in zip(pieces := pieces_of(text, by_bytes(budget)), pieces[1:], strict=False):
        assert not unicodedata.category(piece[0]).startswith("M"), pieces
        assert piece[0] != "\u200d"
        assert before[-1] != "\u200d"
        assert not "\U0001f3fb" <= piece[0] <= "\U0001f3ff"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("aaa bbb.\n\nccc ddd. eee\nfff ggg", "aaa bbb.\n\n"),
        ("aaa bbb. ccc\nddd. eee fff ggg", "aaa bbb. ccc\n"),
        ("aaa bbb. Ccc ddd eee fff ggg", "aaa bbb. "),
        ("aaa b.c. ddd eee fff ggg hhh", "aaa b.c. ddd "),
        # A row is cut neither at a space nor at what looks like the end of a sentence.
        ("aaa\tbbb\nccc\t. Dd\teee", "aaa\tbbb\n"),
        ("aaa bbb ccc ddd eee fff ggg", "aaa bbb ccc "),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaa"),
        ("一二。三四五六七八九", "一二。"),
        ("aaa bbb ccc \u0301dd eee fff", "aaa bbb "),
        # A better break in the first half would make the chunk too small.
        ("a\n\nbbb ccc ddd eee fff ggg hhh", "a\n\nbbb ccc "),
    ],
)
def test_chunks_prefer_the_end_of_a_paragraph_to_a_line_to_a_sentence_to_a_word(text: str, first: str) -> None:
    budget = 14

    assert pieces_of(text, by_bytes(budget))[0] == first


@pytest.mark.parametrize(
    "text",
    [
        "x" * 2**20,
        " " * 2**20,
        "\n" * 2**20,
        "\u0301" * 2**18,
        "👩\u200d" * 2**17,
        "\n\n" + "x" * 2**20,
        "x " * 2**19,
        ("ab" + "\u0301" * 9000) * 30,
    ],
    ids=[
        "one word",
        "spaces",
        "line ends",
        "only accents",
        "only joiners",
        "a paragraph and a word",
        "letters",
        "letters and accents",
    ],
)
def test_odd_text_takes_about_as_few_steps_and_chunks_as_any_other(text: str) -> None:
    looked_at = 0
    longest = 8192

    def cost(piece: str) -> float:
        nonlocal looked_at
        looked_at += len(piece)
        return len(piece) / longest

    pieces = pieces_of(text, cost)

    assert "".join(pieces) == text
    assert len(pieces) <= 2.2 * len(text) / longest + 2
    assert looked_at < 8 * len(text)


def test_empty_text_has_no_chunks() -> None:
    assert split_text("", by_bytes(10)) == []
