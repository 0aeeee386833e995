"""`course more`: what there is to read beside a lesson."""

import json

import pytest
from rich.cells import cell_len

from course.lesson import aside, lesson
from tests.command import course

pytestmark = pytest.mark.live


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_titles_then_one_step_in_each_language(lang: str) -> None:
    listed = course("more", "ch8-4", "--lang", lang, COLUMNS="80")
    assert listed.returncode == 0, listed.stderr
    asides = aside.load(lesson.load("ch8-4"))
    step = asides.at(lesson.load("ch8-4").parts["pt"], "length-mismatch")
    assert step.asides
    opened = course("more", "ch8-4", "length-mismatch", "--lang", lang, COLUMNS="80")
    titles = json.loads(course("more", "ch8-4", "--lang", lang, "--json").stdout)["steps"]
    for each in next(s for s in titles if s["step"] == "length-mismatch")["asides"]:
        assert each["title"] in listed.stdout
        assert each["title"] in opened.stdout
    # Code and addresses are not broken.
    prose = [line for line in opened.stdout.splitlines() if not line.startswith("  ")]
    assert max(map(cell_len, prose)) <= 80


def test_a_step_of_another_framework_opens_by_the_command_that_is_named() -> None:
    listed = course("more", "ch8-4", "--fw", "tf")
    command = next(line for line in listed.stdout.splitlines() if "STEP" in line).split("`")[1]
    opened = course(*command.replace("STEP", "nan-loss").split()[1:])
    assert opened.returncode == 0, opened.stderr
    assert "np.isnan" in opened.stdout
