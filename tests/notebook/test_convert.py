"""Script and notebook, there and back: nothing is lost but outputs."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from course import i18n, texts
from course.errors import UserError
from course.exercise import working_copy
from course.i18n import _
from course.ipynb import generated
from course.lesson import lesson
from course.lesson.lesson import Part
from course.notebook import convert, document, make

LANGUAGES = ["en", "zh", "ru"]
PARTS = [part for name in lesson.ids() for part in lesson.load(name).parts.values()]
FAST = settings(
    max_examples=100,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
ODD = (" ", "\t", '"""', "\x0c", "\u2028", "\\")
LINES = st.sampled_from(ODD) | st.sampled_from(
    r"""
a = 1

    pass
def f():
class C:
@wraps
%load_ext course
!ls
files = !ls
x?
?x
%%time
%%bash
%%html
%%R
%%%
cd x
# %matplotlib inline
# # !pip
# %%
#%%
  # %% in
# %% [markdown] x=1
#\ %%
# In[3]:
# <codecell>
# jupyter:
# ---
# +
# -
#
# region
# comment
# é 中文
#!/usr/bin/python
# -*- coding: latin-1 -*-
'''
s = '''
x = '# %%'
x =1 # c
a \
```
```python
$x = 1$
- a
""".splitlines()
)
SOURCES = st.one_of(
    st.lists(LINES, max_size=5).map("\n".join),
    st.lists(LINES, max_size=5).map("\r\n".join),
    st.text(max_size=12),
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | LINES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)
KEYS = st.sampled_from(
    "tags title name language active class cell_type cell_marker cell_depth region_name magic_args "
    "lines_to_next_cell lines_to_end_of_cell_marker collapsed scrolled trusted execution slideshow "
    f"hide_input run_control jupyter vscode nbgrader jupytext course {convert.KEY} a=b é".split()
) | st.sampled_from(["", "a b"])
METADATA = st.dictionaries(KEYS, PLAIN, max_size=3) | st.sampled_from(
    [
        {"tags": ["raises-exception", "a b"]},
        {"tags": ["active-py"]},
        {"nbgrader": {"grade": True, "points": 1.5, "grade_id": "a-1"}},
        {"course": {"bare": True}},
        {"lines_to_next_cell": 2},
        {"run_control": {"frozen": True}},
        {convert.KEY: {"id": "x", "apart": "%"}},
    ]
)
IDS = st.text("abcAB01-_", min_size=1, max_size=6) | st.sampled_from(["cell-1", "cell-2", "look-1"])
PICTURES = st.dictionaries(
    st.sampled_from(["a.png", "b =1 # c.svg"]),
    st.just({"image/png": "iVBORw0KGgo="}),
    max_size=2,
)


@st.composite
def notebooks(draw: st.DrawFn) -> dict[str, Any]:
    """What an editor could have made, and people by hand; not all of it in good taste."""
    minor = draw(st.sampled_from([5, 5, 5, 4, 2]))
    cells = []
    for number in range(draw(st.integers(0, 5))):
        kind = draw(st.sampled_from(["code", "code", "markdown", "raw"]))
        source = draw(SOURCES)
        cell = document.cell(kind, source, draw(st.just({}) | METADATA))
        if kind == "code" and draw(st.booleans()):
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "hello"}]
            cell["execution_count"] = 7
        if kind != "code" and draw(st.booleans()):
            cell["attachments"] = draw(PICTURES)
        if draw(st.booleans()):
            cell["metadata"] |= generated.mark("look", source)
        if minor == 5:
            cell["id"] = f"{draw(IDS)}{number}" if draw(st.booleans()) else f"cell-{number + 1}"
        cells.append(cell)
    metadata = draw(st.just(document.KERNEL) | st.dictionaries(KEYS | st.just("kernelspec"), PLAIN))
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": minor}


def without_outputs(plain: dict[str, Any]) -> dict[str, Any]:
    cells = []
    for cell in plain["cells"]:
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        kept = {k: v for k, v in cell.items() if k not in ("outputs", "execution_count")}
        cells.append(kept | {"source": source})
    metadata = {k: v for k, v in plain["metadata"].items() if k != "widgets"}
    return plain | {"cells": cells, "metadata": metadata}


def canonical(plain: dict[str, Any]) -> str:
    return json.dumps(plain, sort_keys=True, indent=1)


def own(notebook: str) -> str:
    """The notebook without what we have generated in it."""
    plain = json.loads(notebook)
    plain["cells"] = [
        cell
        for cell in plain["cells"]
        if generated.kind(cell["metadata"], "".join(cell["source"])) is None
    ]
    del plain["metadata"]["course"]
    return json.dumps(plain)


each_part = pytest.mark.parametrize("part", PARTS, ids=lambda p: f"{p.lesson}-{p.framework}")
each_language = pytest.mark.parametrize("lang", LANGUAGES)


@pytest.mark.live
@each_part
@each_language
def test_every_script_comes_back_to_the_byte(lang: str, part: Part) -> None:
    i18n.activate(lang)
    for bugs in part.exercises():
        script = texts.translated(part.text(bugs), _)
        assert convert.to_script(own(make.text(part, bugs))) == script
        assert convert.to_script(convert.to_notebook(script)) == script
        begun = working_copy.text(part, bugs)
        assert convert.to_script(convert.to_notebook(begun)) == begun


@each_part
@each_language
def test_an_exercise_comes_back_with_all_that_we_generated(lang: str, part: Part) -> None:
    i18n.activate(lang)
    made = make.text(part, part.bugs)
    script = convert.to_script(made)
    assert convert.to_notebook(script) == made
    # Magics are comments there, and what is left is Python.
    compile(script, "script", "exec", dont_inherit=True)


@pytest.mark.live
@FAST
@given(notebooks())
def test_a_notebook_comes_back_with_everything_but_its_outputs(plain: dict[str, Any]) -> None:
    script = convert.to_script(json.dumps(plain))
    back = convert.to_notebook(script)
    assert canonical(without_outputs(json.loads(back))) == canonical(without_outputs(plain))
    assert convert.to_script(back) == script


MARKS = st.sampled_from(
    f"""
# %%
# %% [markdown]
# %% [raw]
# %% tags=5
# %% course={{"bare": true}}
# %% {convert.KEY}={{"id": 5, "apart": "%7B"}}
# %% {convert.KEY}={{"tail": 3}}
# ---
# jupyter:
#   a: 2020-01-01
#   {convert.KEY}: 5
#   kernelspec: 3
""".splitlines()
)


@FAST
@given(st.lists(LINES | MARKS | st.text(max_size=5), max_size=10).map("\n".join))
def test_any_script_becomes_a_notebook_that_stays_the_same_or_is_refused(script: str) -> None:
    try:
        made = convert.to_notebook(script)
    except UserError:
        return
    assert convert.to_notebook(convert.to_script(made)) == made


def test_a_script_that_makes_no_sense_is_refused_in_a_sentence() -> None:
    with pytest.raises(UserError, match="cannot be read as a notebook"):
        convert.to_notebook("# %% tags=5\na = 1\n")


def test_what_an_editor_writes_is_legible_in_the_script() -> None:
    cells = [
        document.cell("markdown", "# A title"),
        document.cell("code", "%matplotlib inline\n!nvidia-smi", {"tags": ["gpu"]}),
        document.cell("code", "a = 1\n# %% not a cell\nb = 2\n"),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number + 1}"
    script = convert.to_script(document.text(cells, document.KERNEL))
    assert script == (
        "# %% [markdown]\n# # A title\n\n"
        '# %% tags=["gpu"]\n# %matplotlib inline\n# !nvidia-smi\n\n'
        f'# %% {convert.KEY}={{"tail": "\\n"}}\na = 1\n#\\ %% not a cell\nb = 2\n'
    )


def test_line_ends_and_a_mark_at_the_beginning_of_a_script_make_no_difference() -> None:
    script = working_copy.text(PARTS[0], PARTS[0].bugs)
    other = "\ufeff" + script.replace("\n", "\r\n")
    assert convert.to_notebook(other) == convert.to_notebook(script)
