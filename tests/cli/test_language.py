"""Which language a command on an exercise speaks."""

from pathlib import Path

import pytest

from tests.command import course

pytestmark = pytest.mark.live


@pytest.mark.parametrize(
    ("option", "variables", "word"),
    [
        ((), {}, "全新"),
        ((), {"LC_ALL": "ru_RU.UTF-8"}, "全新"),
        ((), {"COURSE_LANG": "ru"}, "новая копия"),
        (("--lang", "en"), {"COURSE_LANG": "ru"}, "fresh copy"),
    ],
)
def test_an_exercise_speaks_the_language_of_its_first_line(
    tmp_path: Path, option: tuple[str, ...], variables: dict[str, str], word: str
) -> None:
    assert course("start", "ch3-2", str(tmp_path), "--lang", "zh").returncode == 0
    done = course("reset", *option, cwd=tmp_path, PYTHONPATH=str(Path.cwd()), **variables)
    assert done.returncode == 0
    assert word in done.stdout


def test_without_an_exercise_the_language_is_that_of_the_last_one(tmp_path: Path) -> None:
    places = {"COURSE_STATE": str(tmp_path / "state"), "PYTHONPATH": str(Path.cwd())}
    made = course("start", "ch3-2", str(tmp_path / "mine"), "--lang", "zh", **places)
    assert made.returncode == 0
    (tmp_path / "empty").mkdir()
    done = course("hint", cwd=tmp_path / "empty", LC_ALL="C", **places)
    assert done.returncode == 2
    assert done.stderr.startswith("错误")
