"""IPython's lines: which are run as Python, which are left out, and which are not understood."""

import pytest

from course.notebook.cells.magic import Unknown, to_python


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("a = 5\nb = a % 2", "a = 5\nb = a % 2"),
        ("%matplotlib inline\nx = 1", "pass  # %matplotlib inline\nx = 1"),
        ("if x:\n    %autoreload 2\n    y = 1", "if x:\n    pass  # %autoreload 2\n    y = 1"),
        ("%time trainer.train()", "trainer.train()"),
        ("  %timeit -n 1 -r 1 f()", "  f()"),
        ("%%time\ntrainer.train()", "# %%time\ntrainer.train()"),
        ("\n%%capture out\n%time f()", "\n# %%capture out\nf()"),
        ("trainer.train?", "pass  # trainer.train?"),
        ("?print", "pass  # ?print"),
        ("%env A=1 2\n", "import os; os.environ['A'] = '1 2'"),
        ("%set_env A b", "import os; os.environ['A'] = 'b'"),
        ("%env", "pass  # %env"),
        ('s = """\n%d items\n!x\n"""\n%pwd', 's = """\n%d items\n!x\n"""\npass  # %pwd'),
        ("f(5\n%3)\n%pwd", "f(5\n%3)\npass  # %pwd"),
        ("x = 'a\\\n!b'\n%pwd", "x = 'a\\\n!b'\npass  # %pwd"),
        ("# what is it?\n%pwd", "# what is it?\npass  # %pwd"),
        ("def f(:\n    pass", "def f(:\n    pass"),
    ],
)
def test_a_line_becomes_python_in_its_place(source: str, python: str) -> None:
    found = to_python(source)
    assert "\n".join(found.lines) == python.removesuffix("\n")


@pytest.mark.parametrize(
    ("source", "missed"),
    [
        ("!pip install x \\\n  y\nz = 1", ["!pip install x \\"]),
        ("%pip install x", ["%pip install x"]),
        ("%cd ..\n!!ls\nx=1", ["%cd ..", "!!ls"]),
        ("%%bash\nrm -rf /\n", ["%%bash"]),
        ("%%writefile a.py\nx = 1", ["%%writefile a.py"]),
        ("%load_ext course\n%course setup\n%matplotlib inline", []),
    ],
)
def test_what_is_not_run_is_told(source: str, missed: list[str]) -> None:
    found = to_python(source)
    assert list(found.left_out) == missed
    compile("\n".join(found.lines), "cell", "exec")


@pytest.mark.parametrize(
    ("source", "line", "used"),
    [
        ("%nobody knows", "%nobody knows", False),
        ("%%nobody\nx", "%%nobody", False),
        ("x = !ls", "x = !ls", True),
        ("a, b = %timeit -o f()", "a, b = %timeit -o f()", True),
        ("y = 1\n%", "%", False),
    ],
)
def test_what_is_not_understood_is_not_guessed_at(source: str, line: str, used: bool) -> None:
    with pytest.raises(Unknown) as caught:
        to_python(source)
    assert (caught.value.line, caught.value.used) == (line, used)


def test_magics_of_a_whole_cell_follow_each_other() -> None:
    found = to_python("%%capture out\n\n%%time\n!ls\nx = 1")
    assert found.lines == ("# %%capture out", "", "# %%time", "pass  # !ls", "x = 1")
    assert to_python("%%time\n%%bash\nls").left_out == ("%%bash",)
    assert to_python("%%time\n" * 100_000 + "x = 1").lines[-1] == "x = 1"


def test_a_bomb_of_questions_is_given_up() -> None:
    with pytest.raises(Unknown):
        to_python('x = """' + "!\n" * 100_000)
