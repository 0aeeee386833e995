"""The Python interface: what it gives, and that nothing of it is loaded before it is asked for."""

import subprocess
import sys

import course

TRACEBACK = """Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    loss = criterion(outputs, labels)
IndexError: Target 2 is out of bounds.
"""


def test_a_text_is_explained() -> None:
    assert course.explain(TRACEBACK)[0].fault.id == "target-out-of-bounds"
    assert course.explain("all is well") == []


def test_all_names_are_there() -> None:
    assert all(getattr(course, name) is not None for name in course.__all__)
    assert "nan-loss" in course.catalogue()


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    code = "import course, sys; print([m for m in sys.modules if m.startswith('course.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.stdout == "[]\n"
