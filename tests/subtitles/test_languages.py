"""Lines go to languages by script, by place, and not at all where they are notes."""

import pytest

from course.subtitles.cue import Transcript
from course.subtitles.transcript.languages import LanguageTracks, split_languages
from tests.subtitles.cues import accounted, new_cue, sample

ZH_EN = ("先读最后一行。", "Read the last line first.")


def of(*cues: tuple[str, ...]) -> LanguageTracks:
    return split_languages(
        Transcript(tuple(new_cue(n * 1000, n * 1000 + 900, c) for n, c in enumerate(cues)))
    )


@pytest.mark.parametrize(
    ("lines", "language"),
    [
        (("Read the last line", "of the message first."), "en"),
        (("先读信息的", "最后一行。"), "zh"),
        (("Сначала прочтите", "последнюю строку."), "ru"),
    ],
)
def test_one_language_on_two_lines_is_one_text(lines: tuple[str, ...], language: str) -> None:
    result = of(lines, (lines[0],))
    assert result.languages == (language,)
    assert result.texts[0] == {language: "\n".join(lines)}


def test_two_languages_in_the_order_of_the_lines() -> None:
    assert of(ZH_EN, ZH_EN).languages == ("zh", "en")
    assert of(ZH_EN[::-1], ZH_EN[::-1]).languages == ("en", "zh")
    assert of(ZH_EN[::-1], ZH_EN).languages == ("en", "zh")
    assert of(("Читайте строку.", "Read the line.")).languages == ("ru", "en")


def test_a_cue_in_the_other_order_keeps_its_languages() -> None:
    result = of(ZH_EN, ZH_EN, ZH_EN[::-1])
    assert result.languages == ("zh", "en")
    assert result.texts[2] == result.texts[0]


@pytest.mark.parametrize(
    ("cue", "texts"),
    [
        # What no script tells is told by its place.
        (("Trainer API。", "The Trainer API."), {"zh": "Trainer API。", "en": "The Trainer API."}),
        (("BertForMaskedLM", "BertForMaskedLM"), dict.fromkeys(("zh", "en"), "BertForMaskedLM")),
        ((".", "."), {"zh": ".", "en": "."}),
        (("1997", "It was 1997."), {"zh": "1997", "en": "It was 1997."}),
        (("那是 1997 年。", "1997"), {"zh": "那是 1997 年。", "en": "1997"}),
        # A cue in one language only.
        (("and nothing else.",), {"en": "and nothing else."}),
        (("没有别的。",), {"zh": "没有别的。"}),
        (("which is shown here", "on two lines."), {"en": "which is shown here\non two lines."}),
        (("这里分成", "两行。"), {"zh": "这里分成\n两行。"}),
        ((), {}),
        # Broken lines within a language.
        (
            ("在 Hugging Face Hub 上", "的任何模型。", "from any model", "on the Hub."),
            {"zh": "在 Hugging Face Hub 上\n的任何模型。", "en": "from any model\non the Hub."},
        ),
        (
            ("AutoModelForTokenClassification", "就是这个类。", "is that class."),
            {"zh": "AutoModelForTokenClassification\n就是这个类。", "en": "is that class."},
        ),
        # A foreign word changes nothing.
        (
            ("你好的意思是 hello", "The word 你好 simply means hello to you."),
            {"zh": "你好的意思是 hello", "en": "The word 你好 simply means hello to you."},
        ),
    ],
)
def test_lines_of_a_bilingual_transcript(cue: tuple[str, ...], texts: dict[str, str]) -> None:
    result = of(*[ZH_EN] * 5, cue)
    assert result.languages == ("zh", "en")
    assert result.texts[5] == texts
    assert accounted(cue, result.texts[5], result.notes[5])


@pytest.mark.parametrize(
    "note",
    ["*[译者注: stack 即栈]", "（译注：即栈）", "[прим. пер.: стек]", "(Translator's note: stack)"],
)
def test_a_note_between_the_languages_is_neither(note: str) -> None:
    cue = (ZH_EN[0], note, ZH_EN[1])
    result = of(ZH_EN, ZH_EN, cue)
    assert result.texts[2] == {"zh": ZH_EN[0], "en": ZH_EN[1]}
    assert result.notes == ("", "", note)


def test_what_is_in_brackets_is_no_note_where_it_is_all_there_is() -> None:
    cue = ("[音乐]", "[music]")
    result = of(ZH_EN, ZH_EN, cue)
    assert result.texts[2] == {"zh": "[音乐]", "en": "[music]"}


def test_names_of_a_program_are_no_second_language() -> None:
    lone = ("AutoTokenizer",)
    result = of(*[("先读最后一行。",)] * 8, lone)
    assert result.languages == ("zh",)
    assert result.texts[8] == {"zh": "AutoTokenizer"}


def test_three_languages() -> None:
    cue = (*ZH_EN, "Прочтите последнюю строку.")
    result = of(cue, (*cue[:2], "42", cue[2]))
    assert result.languages == ("zh", "en", "ru")
    assert result.texts[1]["en"] == f"{ZH_EN[1]}\n42"
    assert accounted((*cue[:2], "42", cue[2]), result.texts[1], result.notes[1])


def test_no_letter_at_all() -> None:
    assert of(("1 + 1",)).languages == ("und",)
    assert of(("1 + 1",)).texts == ({"und": "1 + 1"},)
    assert of(()).languages == ()
    assert of().texts == ()


@pytest.mark.parametrize(
    ("name", "languages", "third"),
    [
        ("zh-en.srt", ("zh", "en"), "<s> 和 <pad> 在这里是词。"),
        ("en-zh-with-note.srt", ("en", "zh"), "<s>、<pad>"),
    ],
)
def test_samples(name: str, languages: tuple[str, ...], third: str) -> None:
    result = split_languages(sample(name).transcript)
    assert result.languages == languages
    assert result.texts[1]["zh"] == "最后一行说出错误的名字，\n上面几行说出它在哪里。"
    assert result.texts[2]["zh"] == third
    assert result.notes[0] == ("*[译者注: stack trace 也叫调用栈]" if "note" in name else "")
