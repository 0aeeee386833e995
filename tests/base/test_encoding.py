"""Bytes are told by their marks, their zeros or their letters."""

import pytest

from course.base.encoding import Decoded, decode

EN = "1\n00:00:01,000 --> 00:00:02,000\nRead the last line first.\n"
FR = "1\n00:00:01,000 --> 00:00:02,000\nUn café, déjà vu, naïve, à côté.\n"
ZH = "1\n00:00:01,000 --> 00:00:02,000\n先读最后一行，再看上面的代码。\nRead the last line.\n"
RU = "1\n00:00:01,000 --> 00:00:02,000\nСначала прочтите последнюю строку — в ней ошибка.\n"
UNICODE = ("utf-8", "utf-16-le", "utf-16-be")


@pytest.mark.parametrize("text", [EN, FR, ZH, RU], ids=["en", "fr", "zh", "ru"])
@pytest.mark.parametrize(
    ("encoding", "marked"),
    [(name, True) for name in (*UNICODE, "utf-32-le", "utf-32-be")] + [(n, False) for n in UNICODE],
)
def test_unicode_is_known_by_its_mark_or_without(text: str, encoding: str, marked: bool) -> None:
    found = decode(("\ufeff" * marked + text).encode(encoding))
    guessed = not marked and encoding != "utf-8"
    assert found == Decoded(text, encoding, marked=marked, guessed=guessed)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (ZH, "gb18030"),
        ("他说：“好。”\n", "gb18030"),
        ("𠮷野家在哪里？这里有吃的。\n", "gb18030"),
        (RU, "cp1251"),
        ("Ёж и я\n", "cp1251"),
        ("Модель AutoModel и Trainer API\n", "cp1251"),
        (FR, "cp1252"),
        ("“Quoted” – it’s 5 €\n", "cp1252"),
    ],
)
def test_an_old_encoding_is_guessed_by_its_letters(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == Decoded(text, encoding, guessed=True)


def test_a_mark_in_gb18030_is_no_part_of_the_text() -> None:
    found = decode(("\ufeff" + ZH).encode("gb18030"))
    assert found == Decoded(ZH, "gb18030", marked=True)


@pytest.mark.parametrize("text", [ZH, RU], ids=["zh", "ru"])
def test_damaged_utf_8_is_utf_8_still(text: str) -> None:
    data = bytearray((text * 3).encode())
    at = data.index(text.split("\n")[2].encode()[0])
    data[at + 1] = 0x20
    found = decode(bytes(data))
    assert found.encoding == "utf-8"
    assert not found.guessed
    assert "\ufffd" in found.text
    assert found.text.endswith(text * 2)


def test_a_file_cut_within_a_letter_is_utf_8_still() -> None:
    found = decode(ZH.encode().rsplit(b"\n", 2)[0][:-20] + "行".encode()[:2])
    assert found.encoding == "utf-8"


def test_zeros_strewn_about_make_no_utf_16() -> None:
    found = decode(EN.replace("line", "li\0ne").encode())
    assert (found.text.count("\0"), found.encoding) == (1, "utf-8")


def test_nothing_is_utf_8() -> None:
    assert decode(b"").encoding == "utf-8"
