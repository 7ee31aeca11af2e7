"""Text functions: removing the reasoning from an answer; making untrusted text harmless."""

import re
import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrome_tab_mcp_server import one_line, own_turn, parse_json, strip_controls, well_formed, written_so_far

TAGGED = st.lists(st.sampled_from(["<think>", "</think>", "<THINK>", "a", "b ", "\n", "<", "think>"]), max_size=12).map(
    "".join
)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("An answer.", "An answer."),
        ("<think>hm</think>An answer.", "An answer."),
        ("<think>hm</think>One <think>and\n\nmore</think>two.", "One two."),
        ("hm, so</think>\n\nAn answer.", "An answer."),
        ("An answer.<think>but is it", "An answer."),
        ("<think>never finished", ""),
        ("<think></think>", ""),
        ("<THINK>hm</Think>An answer.", "An answer."),
        ("<think>a<think>b</think>An answer.", "An answer."),
        ("<think>a<think>b</think>c</think>An answer.", "An answer."),
        ("<think>a</think>draft</think>An answer.", "An answer."),
        ("one</think>two</think>three", "three"),
        # What an answer mentions about the tags stays.
        ("Write the tag `</think>` at the end.", "Write the tag `</think>` at the end."),
        ('It closes with "</think>", it says.', 'It closes with "</think>", it says.'),
        ("The tag </think> ends the reasoning.", "The tag </think> ends the reasoning."),
        ("Text between `<think>` and `</think>` goes.", "Text between `<think>` and `</think>` goes."),
        ("hm</think>The tag </think> ends it.", "The tag </think> ends it."),
        ("<think>so `</think>` it is</think>An answer.", "An answer."),
        ("So it is noon. </think> Noon.", "Noon."),
        ("<think>hm </think> Noon.", "Noon."),
        ("hm</think> Noon.", "Noon."),
        ("a < b and b > c: think", "a < b and b > c: think"),
        # Servers that do not know a model leave its own notation in the content.
        ("[THINK]hm[/THINK]An answer.", "An answer."),
        ("\n<thinking>hm</thought></thinking>\nAn answer.", "An answer."),
        ("\u25c1think\u25b7hm\u25c1/think\u25b7An answer.", "An answer."),
        ("<seed:think>hm", ""),
        ("<|channel>thought\nhm<channel|>An answer.", "An answer."),
        (
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>An answer.<|return|>",
            "An answer.",
        ),
        ("<|channel|>analysis<|message|>hm, the final", ""),
        ("The tags [THINK] and [/THINK] enclose it.", "The tags [THINK] and [/THINK] enclose it."),
        ("<thoughts>", "<thoughts>"),
        # Servers that do not know a model's template leave the token that ends its turn, and the model goes on.
        ("An answer.<|im_end|>", "An answer."),
        ("<think>hm</think>An answer.</s>\n", "An answer."),
        ("An answer.<|eot_id|><|eot_id|>", "An answer."),
        ("An answer.<\uff5cend\u2581of\u2581sentence\uff5c>", "An answer."),
        ("An answer.\n<|im_end|>\n<|im_start|>user\nAnd?<|im_end|>", "An answer."),
        ("An answer.<|end|><|assistant|>Another.", "An answer."),
        ("It was <s>12</s>", "It was <s>12</s>"),
        ("The token <|im_end|> ends it.", "The token <|im_end|> ends it."),
        ("`<|im_start|>user\n<|im_end|>\n<|im_start|>`", "`<|im_start|>user\n<|im_end|>\n<|im_start|>`"),
        ("  \n An answer. \n", "An answer."),
        ("", ""),
    ],
)
def test_answer_is_the_text_outside_the_reasoning(reply: str, answer: str) -> None:
    assert own_turn(reply)[0] == answer


@pytest.mark.parametrize(
    "reply",
    [
        "<think>hm</think>One <think>and\n\nmore</think>two.",
        "An answer.<think>but is it",
        "Write the tag `</think>` at the end.",
        "The tag </think> ends the reasoning.",
        "a < b and b > c: think",
        "An answer.\n<|im_end|>\n<|start_header_id|>user\nAnd?<|im_end|>",
        " \ud83d\ude00 <THINK>hm</Think> \ud83d\ude00. ",
    ],
)
def test_shown_text_of_an_unfinished_reply_is_never_retracted(reply: str) -> None:
    answer = own_turn(well_formed(reply))[0]
    shown = [written_so_far([(character, "reasoning") for character in reply[:end]]) for end in range(len(reply) + 1)]

    assert [text for text in shown if not answer.startswith(text)] == []
    # At most a tag is held back.
    assert len(shown[-1]) >= len(answer) - 1
    assert len(set(shown)) > len(answer) / 2


@given(TAGGED)
def test_answer_contains_no_tag_and_only_text_of_the_reply(reply: str) -> None:
    answer = own_turn(reply)[0]

    assert not re.search(r"</?think>", answer, re.IGNORECASE) or re.search(r"<(</?think>)+", reply, re.IGNORECASE)
    assert len(answer) <= len(reply)
    assert own_turn("<think>x</think>" + answer)[0] == own_turn(answer)[0]


@given(st.text(), st.text())
def test_preceding_complete_block_changes_nothing(reasoning: str, answer: str) -> None:
    if re.search("think>", reasoning + answer, re.IGNORECASE):
        return

    assert own_turn(f"<think>{reasoning}</think>{answer}")[0] == answer.strip()


def test_many_unclosed_tags_are_scanned_once() -> None:
    steps = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return count

    def lines_run(tags: int) -> int:
        nonlocal steps
        steps = 0
        before = sys.gettrace()
        sys.settrace(count)
        try:
            assert own_turn("<think>" * tags)[0] == ""
        finally:
            sys.settrace(before)
        return steps

    assert lines_run(2_000) < 11 * lines_run(200)


def test_untrusted_text_becomes_one_printable_line() -> None:
    assert one_line("a\nb\x1b[31m\x85c\td\xa0e\u2028f\u2029g") == "a b [31m c d e f g"
    assert one_line("a\u202ab\u202ec\u2066d\u200be\ufefff\xadg\u200dh\ud800i") == "abcdefgh i"
    assert one_line("x" * 500, 80) == "x" * 77 + "..."
    assert one_line("x" * 80, 80) == "x" * 80


def test_text_for_a_terminal_keeps_its_lines_and_no_control_characters() -> None:
    assert strip_controls("a\tb\n\u3000\u4e2d\U0001f600\u200d\xa0c") == "a\tb\n\u3000\u4e2d\U0001f600\u200d\xa0c"
    assert strip_controls("a\x1b[2Jb\x07\x9bc\r\x00\u202ed\u2066\u2028e\ud800f") == "a[2Jbcdef"


@given(st.text(st.characters()))
def test_well_formed_text_can_be_encoded_and_keeps_all_valid_characters(text: str) -> None:
    assert well_formed(text) == "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text) or re.search(
        "[\ud800-\udbff][\udc00-\udfff]", text
    )
    well_formed(text).encode()


def test_surrogate_pairs_become_one_character() -> None:
    assert well_formed("\ud83d\ude00 \ud83d") == "\U0001f600 \ufffd"


def test_deeply_nested_json_is_rejected_as_invalid_and_shallow_json_is_read() -> None:
    assert parse_json("[" * 50 + "]" * 50)
    with pytest.raises(ValueError, match="too deeply"):
        parse_json("[" * 100_000 + "]" * 100_000)
