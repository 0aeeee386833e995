"""A notebook and its script in step, both ways: what jupytext would do, and nothing lost."""

import contextlib
import functools
import io
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course import i18n
from course.errors import UserError
from course.exercise import working_copy as copies
from course.ipynb import pairing
from course.ipynb.notebook import read
from course.lesson import lesson
from course.notebook import make, merge, pair, sync
from course.notebook.pair import Pair
from course.notebook.sync import Side
from tests.ipynb.written import PYTHON, code, markdown, notebook
from tests.killing import killed_at_each_instant
from tests.tiers import sample

OUTPUT = {"name": "stdout", "output_type": "stream", "text": ["said\n"]}
PAIRED = {**PYTHON, "jupytext": pairing.metadata(pairing.FORM)}
ATTACHED = {"a.png": {"image/png": "AAAA"}}


def cells() -> list[dict[str, Any]]:
    """Cells that all have something to lose."""
    made = [
        markdown("# Title", id="title", attachments=ATTACHED),
        code("%load_ext course\nx = 1", id="one", execution_count=1, outputs=[OUTPUT]),
        code("y = '你好'", id="two", metadata={"tags": ["t"], "collapsed": True}, outputs=[OUTPUT]),
        markdown("Привет", id="text", metadata={"course": {"generated": "text", "digest": "0"}}),
        code("x + 1", id="three", execution_count=3, outputs=[OUTPUT]),
    ]
    return [{**cell, "source": cell["source"].splitlines(keepends=True)} for cell in made]


@pytest.fixture(autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_STATE", str(tmp_path_factory.mktemp("state")))


def written(folder: Path, text: str | None = None) -> Pair:
    """A pair in step."""
    path = folder / "x.ipynb"
    path.write_text(notebook(*cells(), metadata=PAIRED) if text is None else text, "utf-8")
    found = pair.of(path)
    assert found is not None
    sync.sync(found)
    return found


@pytest.fixture
def both(tmp_path: Path) -> Pair:
    return written(tmp_path)


def edit(path: Path, old: str, new: str) -> str:
    """Save a file with another text, and with a time that tells nothing."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    os.utime(path, (0, 0))
    return text


def held(found: Pair) -> tuple[bytes, bytes]:
    return found.notebook.read_bytes(), found.script.read_bytes()


def listed(found: Pair) -> list[str]:
    return sorted(path.name for path in found.notebook.parent.iterdir())


def plain(path: Path) -> Any:
    """A notebook as data, each source in one piece."""
    document = json.loads(path.read_text("utf-8"))
    for cell in document["cells"]:
        cell["source"] = "".join(cell["source"])
    return document


def jupytext(path: Path) -> None:
    """Let jupytext itself keep the pair in step."""
    with contextlib.redirect_stdout(io.StringIO()):
        from jupytext.cli import jupytext as jupytext_itself

        assert jupytext_itself(["--sync", str(path)]) == 0


def test_a_new_script_is_what_one_edits_without_noise(both: Pair) -> None:
    text = both.script.read_text("utf-8")
    assert "# %load_ext course\nx = 1\n" in text
    assert "# # Title" in text
    assert '# %% tags=["t"]' in text
    for noise in ("digest", "collapsed", "said", "three", "AAAA"):
        assert noise not in text


def test_in_step_nothing_is_done(both: Pair) -> None:
    before = held(both)
    assert sync.sync(both) == sync.Synced()
    assert held(both) == before


def test_what_was_edited_in_the_script_comes_into_its_cell_and_nowhere_else(both: Pair) -> None:
    before = plain(both.notebook)
    text = edit(both.script, "y = '你好'", "y = 2\nz = 3")
    done = sync.sync(both)
    assert (done.written, done.other, done.kept) == (both.notebook, both.script, None)
    assert done.sentence == "`x.py` has changed: `x.ipynb` has its text now."
    after = plain(both.notebook)
    assert after["cells"][2].pop("source") == "y = 2\nz = 3"
    before["cells"][2].pop("source")
    assert after == before
    assert both.script.read_text("utf-8") == text.replace("y = '你好'", "y = 2\nz = 3")
    assert sync.sync(both).written is None


def test_what_was_edited_in_the_notebook_comes_into_the_script(both: Pair) -> None:
    before = both.notebook.read_bytes()
    edit(both.notebook, "x + 1", "x + 2")
    done = sync.sync(both)
    assert done.sentence == "`x.ipynb` has changed: `x.py` has its text now."
    assert "x + 2" in both.script.read_text("utf-8")
    assert both.notebook.read_bytes() == before.replace(b"x + 1", b"x + 2")
    assert sync.sync(both).written is None


def test_cells_that_were_added_moved_and_taken_out_in_the_script(both: Pair) -> None:
    text = both.script.read_text("utf-8")
    head, *rest = text.split("# %%")
    title, one, two, prose, three = rest
    both.script.write_text(
        "# %%".join(
            [head, title, three + "\n", "\nnew = 1\n\n", " [markdown]\n# new\n\n", two, one]
        )
    )
    sync.sync(both)
    found = plain(both.notebook)["cells"]
    assert [c["id"] for c in found if c["id"] in ("title", "one", "two", "three")] == [
        "title", "three", "two", "one",
    ]  # fmt: skip
    assert [c["source"] for c in found][2:4] == ["new = 1", "# new".removeprefix("# ")]
    assert len({c["id"] for c in found}) == len(found) == 6
    assert found[0]["attachments"] == ATTACHED
    assert all(c["outputs"] == [OUTPUT] for c in found if c["id"] in ("one", "two", "three"))
    assert found[2]["outputs"] == []
    assert prose.strip() not in json.dumps(found, ensure_ascii=False)


def test_tags_go_both_ways(both: Pair) -> None:
    edit(both.script, '# %% tags=["t"]', '# %% tags=["u"]')
    sync.sync(both)
    assert plain(both.notebook)["cells"][2]["metadata"] == {"collapsed": True, "tags": ["u"]}
    edit(both.notebook, '"u"', '"v"')
    sync.sync(both)
    assert '# %% tags=["v"]' in both.script.read_text("utf-8")


def test_outputs_and_whatever_only_the_notebook_has_make_no_difference(both: Pair) -> None:
    script = both.script.read_bytes()
    edit(both.notebook, "said", "other")
    edit(both.notebook, '"collapsed": true', '"collapsed": false')
    edited = both.notebook.read_bytes()
    assert sync.sync(both).written is None
    assert held(both) == (edited, script)
    # And they are no reason for a conflict.
    edit(both.notebook, '"collapsed": false', '"scrolled": true')
    edit(both.script, "x + 1", "x + 3")
    sync.sync(both)
    assert "other" in both.notebook.read_text("utf-8")
    assert plain(both.notebook)["cells"][4]["source"] == "x + 3"


def test_the_same_edit_on_both_sides_is_no_conflict(both: Pair) -> None:
    edit(both.notebook, "x + 1", "x + 2")
    edit(both.script, "x + 1", "x + 2")
    before = held(both)
    assert sync.sync(both).written is None
    edit(both.script, "x + 2", "x + 3")
    assert sync.sync(both).written == both.notebook
    assert held(both) != before


def conflict(both: Pair) -> tuple[bytes, bytes]:
    edit(both.notebook, "x + 1", "x + 2")
    edit(both.script, "x + 1", "x + 3")
    return held(both)


def test_both_edited_is_reported_and_nothing_is_touched(both: Pair) -> None:
    before, there = conflict(both), listed(both)
    for _again in range(2):
        with pytest.raises(
            UserError, match=r"`x.py` and `x.ipynb` differ.*--keep py.*--keep ipynb"
        ):
            sync.sync(both)
    assert (held(both), listed(both)) == (before, there)


@pytest.mark.parametrize("side", ["ipynb", "py"])
def test_the_side_to_keep_wins_and_the_other_text_stays_beside_it(both: Pair, side: Side) -> None:
    book, script = conflict(both)
    done = sync.sync(both, side)
    assert done.kept is not None
    assert done.kept.read_bytes() == (script if side == "ipynb" else book)
    assert done.kept.name in done.sentence
    wins = "x + 2" if side == "ipynb" else "x + 3"
    assert plain(both.notebook)["cells"][4]["source"].strip() == wins
    assert plain(both.notebook)["cells"][4]["outputs"] == [OUTPUT]
    assert wins in both.script.read_text("utf-8")
    assert sync.sync(both, side).written is None
    conflict_again = edit(both.script, wins, "4"), edit(both.notebook, wins, "5")
    assert all(conflict_again)
    assert sync.sync(both, side).kept == done.kept.with_name(done.kept.name.replace(".1.", ".2."))


@pytest.mark.parametrize("damage", ["gone", "{", "[]", '{"format": 1}'])
def test_without_a_note_what_differs_is_a_conflict_and_what_is_equal_is_not(
    both: Pair, damage: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any
) -> None:
    (note,) = Path(os.environ["COURSE_STATE"], "pairs").iterdir()
    text = note.read_text()
    note.unlink() if damage == "gone" else note.write_text(damage)
    assert sync.sync(both).written is None
    assert note.read_text() == text
    note.unlink() if damage == "gone" else note.write_text(damage)
    edit(both.script, "x + 1", "x + 2")
    with pytest.raises(UserError, match="differ"):
        sync.sync(both)


def test_a_note_that_cannot_be_written_is_said(
    both: Pair, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "file" / "state"))
    assert "could not be kept" in sync.sync(both).sentence


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"cells": [', "breaks off"),
        ("<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n", "merge conflict"),
        (json.dumps({"nbformat": 3, "worksheets": []}), "old format"),
        (notebook(markdown("x"), metadata=PAIRED), "no cell with code"),
    ],
)
def test_a_notebook_that_cannot_be_read_is_left_alone_until_the_script_is_to_win(
    both: Pair, text: str, word: str
) -> None:
    both.notebook.write_text(text)
    edit(both.script, "x + 1", "x + 2")
    before = held(both)
    found = pair.whole(both.script)
    assert found == both
    with pytest.raises(UserError, match=word):
        sync.sync(both)
    assert held(both) == before
    done = sync.sync(both, "py")
    assert done.kept is not None
    assert done.kept.read_text() == text
    assert [c["source"] for c in plain(both.notebook)["cells"]][4] == "x + 2"
    assert pair.of(both.notebook) == both
    jupytext(both.notebook)
    assert sync.sync(both).written is None


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "no code"),
        (b"# %% [markdown]\n# text\n", "no code"),
        (b"# ---\n# jupyter:\n#   jupytext: 3\n# ---\nx = 1\n", "cannot be read as"),
        (
            b"x = 1\n<<<<<<< HEAD\nx = 2\n=======\nx = 3\n>>>>>>> other\n",
            "merge conflict in line 2",
        ),
        (b"\xff\xfe", "UTF-8"),
        (b"x = 1\n" * 200_000, "too large"),
    ],
)
def test_a_script_that_cannot_be_right_is_left_alone(both: Pair, data: bytes, word: str) -> None:
    both.script.write_bytes(data)
    before = held(both)
    with pytest.raises(UserError, match=word):
        sync.sync(both)
    assert held(both) == before


def test_a_script_with_a_syntax_error_is_a_text_like_any_other(both: Pair) -> None:
    edit(both.script, "x + 1", "if x +\n  (")
    sync.sync(both)
    assert plain(both.notebook)["cells"][4]["source"] == "if x +\n  ("


def test_a_string_without_an_end_swallows_no_cells(both: Pair) -> None:
    """As one types it: saved half way, and then to its end."""
    before = plain(both.notebook)
    text = edit(both.script, "x = 1", "x = '''1")
    line = both.script.read_text("utf-8").split("\n").index("x = '''1") + 1
    files = held(both)
    with pytest.raises(UserError, match=f"in line {line} of `x.py` has no end"):
        sync.sync(both)
    assert held(both) == files
    both.script.write_text(text.replace("x = 1", "x = '''1\n# %% no cell\n'''"), "utf-8")
    sync.sync(both)
    before["cells"][1]["source"] = "%load_ext course\nx = '''1\n# %% no cell\n'''"
    assert plain(both.notebook) == before


@pytest.mark.parametrize("strange", ["'''", "a = 1\n# %%\nb = 2"])
def test_cells_that_a_script_cannot_tell_are_kept_beside_it(tmp_path: Path, strange: str) -> None:
    made = [code(strange, id="a", outputs=[OUTPUT]), code("c = 1", id="c", outputs=[OUTPUT])]
    both = written(tmp_path, notebook(*made, metadata=PAIRED))
    assert sync.sync(both).written is None
    before = both.notebook.read_bytes()
    edit(both.script, strange, strange + "'''" if strange == "'''" else "a = 3\n# %%\nb = 2")
    done = sync.sync(both)
    assert done.kept is not None
    assert done.kept.read_bytes() == before
    last = plain(both.notebook)["cells"][-1]
    assert (last["id"], last["source"], last["outputs"]) == ("c", "c = 1", [OUTPUT])
    assert sync.sync(both).written is None


def test_a_text_that_no_script_can_hold_is_left_in_the_notebook(both: Pair) -> None:
    edit(both.notebook, "x + 1", "'\\ud800'")
    before = held(both)
    with pytest.raises(UserError, match="`source`"):
        sync.sync(both)
    assert held(both) == before


def test_line_endings_and_the_byte_order_mark_stay(both: Pair) -> None:
    text = both.script.read_text("utf-8").replace("x = 1", "x = 2")
    windows = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    both.script.write_bytes(windows)
    assert sync.sync(both).written == both.notebook
    assert b"\\r" not in both.notebook.read_bytes()
    edit(both.notebook, "x = 2", "x = 1")
    assert sync.sync(both).written == both.script
    assert both.script.read_bytes() == windows.replace(b"x = 2", b"x = 1")


@pytest.mark.parametrize("indent", [1, 2, "\t", None])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_notebook_keeps_the_layout_that_its_editor_gave_it(
    tmp_path: Path, indent: Any, ascii_only: bool
) -> None:
    document = json.loads(notebook(*cells(), metadata=PAIRED))

    def text() -> str:
        # As Colab has them, in an order of its own.
        backwards = dict(reversed(document.items()))
        return json.dumps(backwards, indent=indent, ensure_ascii=ascii_only)

    both = written(tmp_path, text())
    edit(both.script, "y = '你好'", "y = '您好'")
    sync.sync(both)
    document["cells"][2]["source"] = ["y = '您好'"]
    assert both.notebook.read_text("utf-8") == text()


@pytest.mark.parametrize("lead", ["", "\ufeff"], ids=["plain", "with a mark"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "windows"])
def test_whatever_a_notebook_holds_survives_a_new_cell_in_its_script(
    tmp_path: Path, lead: str, end: str
) -> None:
    odd = {"tags": ["t", "a b"], "a=b é": {"x": [1.5, None]}, "collapsed": True, "trusted": True}
    broken = {**OUTPUT, "text": "half of a character: \ud800"}
    picture = {"output_type": "display_data", "data": {"image/png": "AA"}, "metadata": {"w": 1}}
    made = [
        code("a = 1\r\nb = 2\n\n", id="windows", metadata=odd, outputs=[broken, picture]),
        {**code("c = 3", id="bare"), "an editor's own": [1]},
        {"cell_type": "raw", "source": "raw", "metadata": odd, "id": "raw", "attachments": {}},
        code("d = 4\n# %%\ne = 5" if lead else "d = 4", id="mark", metadata={"collapsed": True}),
        code("last = 1", id="last", outputs=[picture], execution_count=7),
    ]
    kernel = {**PAIRED, "rise": {"theme": "sky"}, "widgets": {"state": {}}}
    text = json.dumps(
        json.loads(notebook(*made, metadata=kernel)) | {"an editor's own": {"x": None}}
    )
    both = written(tmp_path, lead + text)
    script = both.script.read_text("utf-8") + "\n# %%\nnew = 1\n"
    both.script.write_bytes((lead + script.replace("\n", end)).encode())
    saved = both.script.read_bytes()
    done = sync.sync(both)
    assert done.written == both.notebook
    assert both.script.read_bytes() == saved
    found = both.notebook.read_text("utf-8")
    assert found.startswith("\ufeff") is bool(lead)
    after = json.loads(found.removeprefix("\ufeff"))
    for cell in after["cells"]:
        cell["source"] = "".join(cell["source"])
    assert after["cells"].pop()["source"] == "new = 1"
    before = json.loads(text)
    if lead:
        # A script has two cells for one that holds a mark, so the notebook is kept beside it.
        assert done.kept is not None
        assert done.kept.read_text("utf-8") == lead + text
        after["cells"] = [c for c in after["cells"] if c["source"] not in ("d = 4", "e = 5")]
        before["cells"] = [c for c in before["cells"] if "d = 4" not in c["source"]]
        before["cells"][0]["source"] = after["cells"][0]["source"]
    assert after == before
    assert sync.sync(both).written is None


@pytest.mark.parametrize("language", ["R", "julia"])
def test_a_notebook_for_another_language_is_left_alone(tmp_path: Path, language: str) -> None:
    other = {**PAIRED, "kernelspec": {"name": "x", "display_name": "X", "language": language}}
    (tmp_path / "x.ipynb").write_text(notebook(*cells(), metadata=other), "utf-8")
    (tmp_path / "x.py").write_text("x = 2\n")
    both = Pair(tmp_path / "x.ipynb", tmp_path / "x.py", pairing.FORM)
    before = held(both)
    with pytest.raises(UserError, match=language):
        sync.sync(both)
    assert held(both) == before


def test_an_old_minor_format_gets_no_ids(tmp_path: Path) -> None:
    old = [{k: v for k, v in cell.items() if k != "id"} for cell in cells()]
    both = written(tmp_path, notebook(*old, metadata=PAIRED, nbformat_minor=4))
    edit(both.script, "x + 1", "x + 1\n\n# %%\nnew = 1")
    sync.sync(both)
    document = plain(both.notebook)
    assert document["nbformat_minor"] == 4
    assert document["cells"][5]["source"] == "new = 1"
    assert not any("id" in cell for cell in document["cells"])


def test_characters_that_jupytext_takes_for_line_breaks_stay_in_cells_that_stay(
    tmp_path: Path,
) -> None:
    strange = code("a = '\u2028 \x0c'\r\nb = 1\n", id="a", outputs=[OUTPUT])
    both = written(tmp_path, notebook(strange, code("c = 1", id="c"), metadata=PAIRED))
    edit(both.script, "c = 1", "c = 2")
    sync.sync(both)
    first, second = plain(both.notebook)["cells"]
    assert first == strange
    assert second["source"] == "c = 2"


LINES = [
    *("x = 1", "", "# %%", "# %% [markdown]", "  y", "%time f()", "!ls", "# text", "你好"),
    *("# # T", "\\", "if x:", "# ---", "\ta", "# + [markdown]", "%%bash", "a\r", "\x0c", "-- "),
]
SOURCES = st.lists(st.sampled_from(LINES), max_size=5).map("\n".join)
CELLS = st.lists(st.tuples(st.sampled_from([code, markdown]), SOURCES), min_size=1, max_size=6)


@pytest.mark.live
@settings(max_examples=20)
@given(made=CELLS, chance=st.randoms(use_true_random=False))
def test_whatever_the_cells_hold_each_edit_arrives_and_the_rest_stays(
    made: list[tuple[Any, str]], chance: random.Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    more = [kind(text, id=f"c{n}") for n, (kind, text) in enumerate(made)]
    for cell in more:
        if cell["cell_type"] == "code":
            cell["outputs"] = [OUTPUT]
    more.append(code("last = 1", id="last", outputs=[OUTPUT]))
    both = written(tmp_path_factory.mktemp("pair"), notebook(*more, metadata=PAIRED))
    assert sync.sync(both).written is None
    before = plain(both.notebook)["cells"]
    edit(both.script, "last = 1", "last = 2")
    assert sync.sync(both).written == both.notebook
    assert sync.sync(both).written is None
    after = plain(both.notebook)["cells"]
    assert after[-1]["source"] == "last = 2"
    kept = [*both.notebook.parent.glob("*.bak")]
    if not kept:
        assert after[:-1] == before[:-1]
    document = plain(both.notebook)
    document["cells"][chance.randrange(len(after))]["source"] += "\nmore = 1"
    both.notebook.write_text(json.dumps(document))
    saved = both.notebook.read_bytes()
    assert sync.sync(both).written == both.script
    assert sync.sync(both).written is None
    assert "more = 1" in both.script.read_text("utf-8")
    assert both.notebook.read_bytes() == saved


def test_jupytext_agrees_with_a_new_pair_in_each_language(tmp_path: Path) -> None:
    part = next(iter(lesson.load("ch8-4").parts.values()))
    for language in i18n.available():
        i18n.activate(language)
        (tmp_path / language).mkdir()
        both = written(tmp_path / language, pair.paired(make.text(part, part.bugs)))
        before = held(both)
        jupytext(both.notebook)
        jupytext(both.script)
        assert held(both) == before


PROSE = "# %% [markdown]\n# Привет"
EDITS: dict[str, Callable[[str], str]] = {
    "a line": lambda text: text.replace("x + 1", "x + 2\n# 好"),
    "a new cell": lambda text: text.replace(PROSE, f"# %%\nz = 1\n\n{PROSE}"),
    "a cell less": lambda text: text.replace("# %%\n# %load_ext course\nx = 1\n\n", ""),
    "two that changed places": lambda text: (
        text.replace("y = '你好'", "?").replace("x + 1", "y = '你好'").replace("?", "x + 1")
    ),
    "other tags": lambda text: text.replace('tags=["t"]', 'tags=["u", "v"]'),
    "blank lines": lambda text: text.replace("x = 1\n\n", "x = 1\n\n\n\n"),
    "prose": lambda text: text.replace("# Привет", "# Пока\n#\n# 再见"),
    "another kind": lambda text: text.replace(PROSE, "# %%\n# Привет"),
    "a split": lambda text: text.replace("x = 1", "\n# %%\nx = 1"),
}


@pytest.mark.parametrize("name", EDITS)
def test_jupytext_finds_nothing_to_do_after_us_nor_we_after_it(both: Pair, name: str) -> None:
    before = held(both)
    new = EDITS[name](both.script.read_text("utf-8"))
    assert new.encode() != before[1]
    both.script.write_text(new, "utf-8")
    assert sync.sync(both).written == both.notebook
    ours = held(both)
    jupytext(both.notebook)
    jupytext(both.script)
    assert held(both) == ours
    # And now jupytext first.
    both.notebook.write_bytes(before[0])
    os.utime(both.script, (2**31, 2**31))
    jupytext(both.script)
    theirs = held(both)
    assert without_new_ids(theirs[0]) == without_new_ids(ours[0])
    assert sync.sync(both).written is None
    assert held(both) == theirs


def without_new_ids(data: bytes) -> Any:
    document = json.loads(data)
    known = {cell["id"] for cell in cells()}
    for cell in document["cells"]:
        cell["id"] = cell["id"] if cell["id"] in known else "new"
    return document


PREPARED: dict[str, tuple[Callable[[Pair], object], Side | None]] = {
    "the script edited": (lambda both: edit(both.script, "x + 1", "x + 2"), None),
    "the notebook edited": (lambda both: edit(both.notebook, "x + 1", "x + 2"), None),
    "both, the script to win": (conflict, "py"),
    "both, the notebook to win": (conflict, "ipynb"),
    "no script": (lambda both: both.script.unlink(), None),
    "no notebook": (lambda both: both.notebook.unlink(), None),
}
"""What went before, and which side is to win."""


@pytest.mark.live
@pytest.mark.parametrize(
    "name", sample(list(PREPARED), lambda _n, name: name.startswith("both") or name == "no script")
)
def test_killed_at_any_instant_the_files_are_whole_and_the_next_step_heals_it(
    both: Pair, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, keep = PREPARED[name]
    # Reading and making texts, which takes the time, kills nothing.
    monkeypatch.setattr(merge, "read_script", functools.cache(merge.read_script))
    scripts = functools.cache(lambda text, form: as_script(cells_of(text, "x.ipynb"), form))
    as_script, cells_of = merge.to_script, read
    monkeypatch.setattr(merge, "to_script", lambda book, form: scripts(book.text, form))
    (note,) = Path(os.environ["COURSE_STATE"], "pairs").iterdir()
    noted, both_files = note.read_bytes(), (both.notebook, both.script)

    def now() -> list[bytes | None]:
        return [path.read_bytes() if path.exists() else None for path in both_files]

    def again() -> None:
        for path in both.notebook.parent.iterdir():
            path.unlink()
        for path, text in zip(both_files, before, strict=True):
            if text is not None:
                path.write_bytes(text)
        note.write_bytes(noted)

    prepare(both)
    before = now()
    sync.sync(both, keep)
    after = now()
    assert after != before
    seen = []
    again()
    for _instant in killed_at_each_instant(lambda: sync.sync(both, keep)):
        seen.append(now())
        assert seen[-1] in (before, after)
        sync.sync(both, keep)
        assert now() == after
        again()
    assert len(seen) > 20
    assert before in seen
    assert after in seen


def test_files_of_one_name_are_no_pair_without_a_word_of_it(tmp_path: Path) -> None:
    (tmp_path / "x.ipynb").write_text(notebook(*cells()))
    (tmp_path / "x.py").write_text("# formats: ipynb,py:percent\nx = 1\n")
    (tmp_path / "y.txt").write_text("")
    for name in ("x.ipynb", "x.py", "y.txt", "nothing.py"):
        assert pair.of(tmp_path / name) is None
        assert pair.whole(tmp_path / name) is None


def test_a_name_too_long_for_the_other_file_is_no_pair(tmp_path: Path) -> None:
    path = tmp_path / f"{'x' * 250}.py"
    path.write_text("x = 1\n")
    assert pair.whole(path) is None


@pytest.mark.parametrize(
    ("formats", "form"),
    [
        ("ipynb,py:percent", "py:percent"),
        ("py:light, ipynb", "py:light"),
        ("ipynb,auto:percent", "py:percent"),
        ("ipynb,md,py", "py"),
        ("ipynb,md", None),
        ("ipynb,scripts//py:percent", None),
        ("notebooks///ipynb,py", None),
        ("", None),
        (3, None),
    ],
)
def test_only_a_script_beside_the_notebook_is_its_pair(
    tmp_path: Path, formats: Any, form: str | None
) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text(notebook(*cells(), metadata={"jupytext": {"formats": formats}}))
    found = pair.of(path)
    assert (found.form if found else None) == form


@pytest.mark.parametrize("form", ["py:percent", "py:light", "py:hydrogen"])
def test_other_formats_of_jupytext_are_kept_in_step_too(tmp_path: Path, form: str) -> None:
    paired = {**PYTHON, "jupytext": {"formats": f"ipynb,{form}"}}
    both = written(tmp_path, notebook(*cells(), metadata=paired))
    before = plain(both.notebook)
    jupytext(both.notebook)
    assert sync.sync(both).written is None
    edit(both.script, "x + 1", "x + 2")
    sync.sync(both)
    before["cells"][4]["source"] = "x + 2"
    assert plain(both.notebook)["cells"] == before["cells"]


def test_a_pair_is_one_exercise_in_its_folder(tmp_path: Path) -> None:
    part = next(iter(lesson.load("ch8-4").parts.values()))
    text = make.text(part, part.bugs)
    both = written(tmp_path, pair.paired(text))
    assert copies.find(tmp_path) == both.notebook
    both.notebook.write_text(text, "utf-8")
    with pytest.raises(UserError, match="several"):
        copies.find(tmp_path)
