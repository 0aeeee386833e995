"""Reading notebooks that editors, crashes and strangers have left, and changing one cell."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course.notebook.cells import generated
from course.notebook.cells.notebook import CAP, Notebook, Unusable, read
from tests.notebook.cells.written import PYTHON, code, markdown, notebook


def refused(text: str) -> Unusable:
    with pytest.raises(Unusable) as caught:
        read(text, "mine.ipynb")
    assert "`mine.ipynb" in str(caught.value)
    assert "{" not in str(caught.value)
    return caught.value


def test_cells_come_with_their_numbers_kinds_and_whole_sources() -> None:
    found = read(
        notebook(markdown(["# T\n", "text"]), code("a = 1\nb = 2", id="x1"), code([])), "n.ipynb"
    )
    assert [(c.number, c.kind, c.source) for c in found.cells] == [
        (1, "markdown", "# T\ntext"),
        (2, "code", "a = 1\nb = 2"),
        (3, "code", ""),
    ]
    assert found.metadata == PYTHON


@pytest.mark.parametrize("layout", [{"indent": 1}, {"indent": 4}, {}, {"separators": (",", ":")}])
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_only_the_changed_source_changes_to_the_byte(
    layout: Any, listed: bool, ascii_only: bool
) -> None:
    source = "print('ж')\nsecond()\n"
    text = source.splitlines(keepends=True) if listed else source
    plot = {"output_type": "display_data", "data": {"image/png": "AAAA"}, "metadata": {"a": 1.50}}
    cells = [
        code(text, id="a", metadata={"tags": ["k"]}, outputs=[plot], execution_count=3),
        markdown("![](attachment:p.png)", attachments={"p.png": {"image/png": "BBBB"}}),
        code("source = 'source'", id="b", unknown={"source": [1, 2]}),
    ]
    whole = json.loads(notebook(*cells))
    written = json.dumps(whole, ensure_ascii=ascii_only, **layout)
    changed = read(written, "n.ipynb").replaced({1: "print('ж')\nthird()\nfourth()\n"})
    expected = json.loads(written)
    new = ["print('ж')\n", "third()\n", "fourth()\n"]
    expected["cells"][0]["source"] = new if listed else "".join(new)
    assert changed == json.dumps(expected, ensure_ascii=ascii_only, **layout)


def test_a_byte_order_mark_and_windows_line_endings_stay() -> None:
    text = "\ufeff" + notebook(code("a = 1")).replace("\n", "\r\n")
    changed = read(text, "n.ipynb").replaced({1: "a = 2"})
    assert changed == text.replace("a = 1", "a = 2")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
_SOURCE = st.text(max_size=30) | st.lists(st.text(max_size=12), max_size=3)


@settings(max_examples=40)
@given(
    sources=st.lists(st.tuples(_SOURCE, _JSON), min_size=1, max_size=4),
    new=st.text(max_size=20),
    at=st.integers(0, 3),
    indent=st.none() | st.integers(0, 3),
)
def test_whatever_lies_around_a_cell_stays(
    sources: list[tuple[Any, Any]], new: str, at: int, indent: int | None
) -> None:
    cells = [code(s, metadata={"m": m}, outputs=[m]) for s, m in sources]
    whole = json.loads(notebook(code("1"), *cells))
    text = json.dumps(whole, indent=indent)
    number = at % len(sources) + 2
    changed = json.loads(read(text, "n.ipynb").replaced({number: new}))
    found = changed["cells"][number - 1].pop("source")
    assert (found if isinstance(found, str) else "".join(found)) == new
    whole["cells"][number - 1].pop("source")
    assert changed == whole


def test_a_cell_of_ours_is_known_until_its_text_is_another_one() -> None:
    source = "%load_ext course"
    ours = code(source, metadata=generated.mark("setup", source))
    edited = code(source + "\nx = 1", metadata=generated.mark("setup", source))
    foreign = code("y = 1", metadata={"course": {"generated": "setup", "digest": 3}})
    found = read(notebook(ours, edited, foreign), "n.ipynb")
    assert [c.generated for c in found.cells] == ["setup", None, None]
    assert [c.number for c in found.code] == [2, 3]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not-json"),
        ("{", "not-json"),
        (notebook(code("a = 1"))[:-30], "not-json"),
        (notebook(code("a = 1")).replace(' "metadata"', '<<<<<<< HEAD\n "metadata"'), "conflict"),
        ("[]", "invalid"),
        ("3", "invalid"),
        ("[" * 100_000, "invalid"),
        ('{"nbformat": 4, "cells": ' + "9" * 10_000 + "}", "invalid"),
        ('{"nbformat": 4, "nbformat": 4, "cells": []}', "invalid"),
        (json.dumps({"nbformat": 4, "cells": {}}), "invalid"),
        (notebook(code("a"), nbformat=5), "invalid"),
        (notebook(code("a"), metadata=[]), "invalid"),
        (notebook({"cell_type": "code"}), "invalid"),
        (notebook({"cell_type": "other", "source": ""}), "invalid"),
        (notebook(code(["a", 3])), "invalid"),  # type: ignore[list-item]
        (notebook(code("a", metadata=None)), "invalid"),
        (notebook("x"), "invalid"),
        (json.dumps({"nbformat": 3, "worksheets": [{"cells": []}]}), "old-format"),
        (notebook(), "no-code"),
        (notebook(markdown("a"), code(" \n")), "no-code"),
        (notebook(code("a"), metadata={"kernelspec": {"language": "R"}}), "foreign-kernel"),
        (notebook(code("a"), metadata={"language_info": {"name": "julia"}}), "foreign-kernel"),
        (notebook(code("a = 1\n" * 200_000)), "too-much-code"),
    ],
)
def test_what_is_no_notebook_of_ours_gets_its_sentence(text: str, reason: str) -> None:
    assert refused(text).reason == reason


def test_outputs_beyond_all_measure_are_told_to_be_cleared(monkeypatch: Any) -> None:
    monkeypatch.setattr("course.notebook.cells.notebook.CAP", 1000)
    assert CAP > 1000
    assert refused(notebook(code("a", outputs=["x" * 1000]))).reason == "too-large"


def test_a_kernel_of_python_by_any_name_will_do() -> None:
    metadata: Any = {"kernelspec": {"name": "torch-env"}, "language_info": {"name": "ipython"}}
    assert isinstance(read(notebook(code("a"), metadata=metadata), "n.ipynb"), Notebook)
