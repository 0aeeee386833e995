"""A watch that keeps the name of a fault until it is guessed, or a hint is asked for."""

import pytest

from course.exercise.watch.state import Ended, Guessed, KeyPress, Saved, State
from course.lesson.look_names import in_own_names
from tests.cli.test_watch_screen import drawn
from tests.exercise.watch.made import COPY, after, keys, phases, practice


def to_guess() -> State:
    return phases()["to be guessed"]


def number(*, right: bool) -> str:
    choice = to_guess().choice
    assert choice is not None
    return next(
        str(n) for n, each in enumerate(choice.offered, start=1) if (each is choice.fault) == right
    )


def test_the_error_is_shown_and_the_name_is_not() -> None:
    screen = drawn(to_guess())
    assert "ValueError: You must specify exactly one of" in screen
    assert "Which fault is it?" in screen
    # Its title is among those to choose from; its id and its stage are nowhere.
    assert "missing-input-ids" not in screen
    assert "[data]" not in screen
    assert "missing-input-ids" not in drawn(keys(to_guess(), "l"))


def test_a_right_guess_names_it_and_is_kept() -> None:
    state, effects = after(KeyPress(number(right=True)), state=to_guess())
    assert effects == (Guessed(COPY, "missing-input-ids", is_right=True),)
    assert "(missing-input-ids)" in drawn(state)
    assert "Yes, this is what the run shows." in drawn(state)


def test_a_wrong_guess_is_answered_by_what_tells_the_two_apart() -> None:
    choice = to_guess().choice
    assert choice is not None
    wrong = number(right=False)
    guessed = choice.offered[int(wrong) - 1]
    state, effects = after(KeyPress(wrong), state=to_guess())
    assert effects == (Guessed(COPY, "missing-input-ids", is_right=False),)
    assert in_own_names(choice.apart(guessed), COPY.text) in state.note
    assert state.choice is not None
    assert state.done is not None
    assert (state.done.now.guesses, state.done.now.guessed) == (1, ())


@pytest.mark.parametrize("typed", ["h", "hh"])
def test_a_hint_names_it(typed: str) -> None:
    assert "(missing-input-ids)" in drawn(keys(to_guess(), typed))


def test_what_was_guessed_or_hinted_at_before_is_named_at_once() -> None:
    known = practice("fault", hints={"missing-input-ids": 1})
    state = after(Saved(COPY), Ended(1, known), state=State(guesses=True))[0]
    assert "(missing-input-ids)" in drawn(state)


@pytest.mark.parametrize("name", ["0", "9"])
def test_a_number_that_is_not_offered_is_answered_by_those_that_are(name: str) -> None:
    state, effects = after(KeyPress(name), state=to_guess())
    assert (state.note, effects) == ("Give a number from 1 to 4.", ())
    assert state.choice == to_guess().choice


def test_a_number_does_nothing_where_nothing_is_to_be_guessed() -> None:
    named = after(Saved(COPY), Ended(1, practice("fault")))[0]
    assert after(KeyPress("1"), state=named) == (named, ())
