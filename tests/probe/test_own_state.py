"""Environments that give out their own state, by the text of a script."""

import ast

import pytest

from course_probe.reading.own_state import given_out

WORLD = """class World:
    def look(self):
        return self.state
    def step(self, action):
        {}
        return {}, 1.0, False
{}
"""
KEEP = "s = world.reset()\nnew, r, done = world.step(0)\nmemory.append((s, r, new, done))\ns = new"
IN_PLACE = "self.state[0] += action"


@pytest.mark.parametrize(
    ("line", "given", "after", "lines"),
    [
        (IN_PLACE, "self.state", KEEP, [6]),
        (IN_PLACE, "self.look()", KEEP, [3]),
        (IN_PLACE, "self.state.copy()", KEEP, []),
        ("self.state = self.state + action", "self.state", KEEP, []),
        ("self.state = self.state.copy(); self.state[0] += action", "self.state", KEEP, []),
        (IN_PLACE, "self.state", "world.step(0)", []),
        (IN_PLACE, "self.state", KEEP.replace("(s, r, new,", "(s.copy(), r, new.copy(),"), []),
        (IN_PLACE, "self.state", f"{KEEP}\nnew = torch.tensor(new)\ns = torch.tensor(s)", []),
    ],
)
def test_states_that_are_given_out(line: str, given: str, after: str, lines: list[int]) -> None:
    assert given_out(ast.parse(WORLD.format(line, given, after))) == lines
