import pytest

from course.base.errors import UserError
from course.lesson import lesson
from course.subtitles.alignment import outline
from course.subtitles.alignment.outline import of_document, of_lesson

DOCUMENT = """\
---
title: notes
---

# All of it

What it is about.

## First `step`

Text of the first.

```python
# not a heading
## nor this
```

Second
------

Text of the second.

### A [link](http://x.y) and *more*

## Second
> # quoted, so no step
"""


def test_the_headings_of_a_document_are_its_steps() -> None:
    found = of_document(DOCUMENT)
    steps = ["First step", "Second", "A link and more", "Second (2)"]
    assert [section.step for section in found.sections] == steps
    assert "What it is about." in found.intro
    assert "# not a heading" in found.sections[0].text
    assert "Text of the second." in found.sections[1].text
    assert "Text of the first." not in found.sections[1].text


@pytest.mark.parametrize(
    ("document", "steps"),
    [
        ("# One\n\n# Two\n", ["One", "Two"]),
        ("# Only\ntext\n", ["Only"]),
        # No step gets a name of ours.
        ("## intro\n\n## outro\n", ["intro (2)", "outro (2)"]),
    ],
)
def test_what_is_a_step(document: str, steps: list[str]) -> None:
    assert [section.step for section in of_document(document).sections] == steps


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_make_no_difference(ending: str) -> None:
    steps = [section.step for section in of_document(DOCUMENT.replace("\n", ending)).sections]
    assert steps == [section.step for section in of_document(DOCUMENT).sections]


@pytest.mark.parametrize(
    ("heading", "count", "wanted"),
    [
        ("Slide {n}", 10, True),
        ("{n}. A title of 3 words", 12, True),
        ("幻灯片 {n}", 10, True),
        ("Слайд {n}: 2 words", 10, True),
        ("Slide {n}", 9, False),
        ("A title of its own", 12, False),
        ("Slide 7", 12, False),
    ],
)
def test_ten_numbered_headings_or_more_are_slides(heading: str, count: int, wanted: bool) -> None:
    text = "".join(f"## {heading.format(n=n)}\n\ntext\n\n" for n in range(1, count + 1))
    assert outline.numbered(of_document(text)) == wanted


@pytest.mark.parametrize("text", ["", "just words\n", "#no space\n", "```\n# code\n```\n"])
def test_a_document_without_headings_is_refused_in_words(text: str) -> None:
    with pytest.raises(UserError, match="no headings"):
        of_document(text)


@pytest.mark.parametrize("framework", ["pt", "tf"])
def test_each_step_of_a_lesson_is_a_section_in_the_chosen_language(framework: str) -> None:
    part = lesson.load("ch8-4").parts[framework]
    found = of_lesson(part, ["ru"])
    assert [section.step for section in found.sections] == [step.id for step in part.steps]
    for section in found.sections:
        assert any("\u0400" <= character <= "\u04ff" for character in section.core + section.text)
    assert "num_labels=3" in next(
        s.core for s in found.sections if s.step in ("target-out-of-bounds", "nan-loss")
    )
    assert outline.TRAINS not in found.sections[-1].core


def test_two_languages_are_both_there() -> None:
    part = lesson.load("ch8-4").parts["pt"]
    both = of_lesson(part, ["en", "zh"]).sections[0].text
    assert of_lesson(part, ["en"]).sections[0].text.split("\n")[0] in both
    assert any("\u4e00" <= character <= "\u9fff" for character in both)
