"""Commands that are refused: one sentence says why."""

from typing import Any

from tests.command import course


def refused(*arguments: str, **more: Any) -> str:
    """Return the sentence; the status is 2, and nothing is printed on stdout."""
    done = course(*arguments, **more)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr
