"""What `course env` prints must mean the same to a real shell."""

import shutil
import subprocess

import pytest

from course.cli.environment.env import SHELLS

NASTY = "/home/课程 и 'урок'/$HOME/\"a\"\\b`c`"


@pytest.mark.parametrize(
    ("shell", "read"),
    [
        ("bash", ["bash", "-c"]),
        ("bash", ["sh", "-c"]),
        ("fish", ["fish", "-c"]),
    ],
)
def test_a_shell_reads_back_the_value(shell: str, read: list[str]) -> None:
    if shutil.which(read[0]) is None:
        pytest.skip(f"{read[0]} is not installed")
    line = SHELLS[shell]("PLACE", NASTY)
    done = subprocess.run(
        [*read, f"{line}; printenv PLACE"], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == NASTY + "\n"


def test_powershell_and_fish_double_or_escape_their_quotes() -> None:
    assert SHELLS["powershell"]("A", "it's $x") == "$env:A = 'it''s $x'"
    assert SHELLS["fish"]("A", "it's \\x") == "set -gx A 'it\\'s \\\\x'"
