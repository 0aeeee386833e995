"""Vital signs beside what is usual, in every language, and what is marked of them."""

import json
import math
import re
from dataclasses import fields, replace

import pytest
from rich.cells import cell_len

from course.base import i18n
from course.cli.learner import copy_report as told
from course.cli.terminal.json_output import step_document
from course.render import note, text, vitals
from course.render.blocks import Table, TableRow
from course.runs import record, vital_signs
from course.runs.vital_signs import VitalSigns
from tests.exercise.watch.made import practice
from tests.render.signs import BROKEN, FROZEN, KINDS, MEASURED, NOTHING
from tests.render.terminals import drawn

EACH = pytest.mark.parametrize("kind", KINDS)
WIDTHS = (80, 61, 40, 20)


def shown(signs: VitalSigns | None, width: int = 80, **options: bool) -> str:
    return drawn(vitals.vitals(signs), width, **options)


def marked(signs: VitalSigns) -> set[str]:
    """Return what is not as usual, by the first cell of its row."""
    rows = (row for table in vitals.parts(signs) for row in table.rows)
    return {row.cells[0] for row in rows if row.is_marked}


@EACH
@pytest.mark.parametrize("lang", ["en", "zh", "ru", i18n.PSEUDO])
def test_the_signs_fit_their_terminal_and_nothing_is_lost(lang: str, kind: str) -> None:
    i18n.activate(lang)
    for width in WIDTHS:
        page = shown(KINDS[kind], width)
        assert [line for line in page.splitlines() if cell_len(line) > width] == []
    letters = re.sub(r"[\s⟦⟧]", "", page)
    cells = (c for t in vitals.parts(KINDS[kind]) for row in t.rows for c in row.cells)
    assert [cell for cell in cells if re.sub(r"\s", "", cell) not in letters] == []


@EACH
def test_no_word_of_ours_is_left_unmarked(kind: str) -> None:
    i18n.activate(i18n.PSEUDO)
    ours = re.sub(r"⟦[^⟧]*⟧", "", shown(KINDS[kind], 200))
    assert re.findall(r"[A-Za-z]{2,}", ours) == []


def test_of_a_healthy_training_nothing_is_marked() -> None:
    assert marked(MEASURED) == set()
    page = shown(MEASURED)
    assert "!" not in page
    for line in (
        r"changed +41 of 41 +all",
        r"relative change +2\.1%, from step 2 on +> 0",
        r"loss at the end +0\.31 +< 0\.69",
        r"highest +5e-05 +1e-05 – 1e-04",
        r"accuracy +88\.7% ± 1\.8% of 300 +above 66\.7%, the",
        r"`classifier` +2 of 2 +2 of 2 +31%",
    ):
        assert re.search(line, page), line


def test_what_was_not_measured_is_never_nought() -> None:
    page = shown(NOTHING)
    assert page.count("not measured") == 5
    assert not re.search(r"\d", page)
    for part in fields(VitalSigns):
        for field in fields(getattr(MEASURED, part.name)):
            if field.type == "str | None" or "None" not in str(field.type):
                continue
            without = replace(getattr(MEASURED, part.name), **{field.name: None})
            signs = replace(MEASURED, **{part.name: without})
            assert marked(signs) == set(), field.name


def test_a_model_that_stood_still_is_marked_wherever_it_shows() -> None:
    found = marked(FROZEN)
    assert found >= {
        *("changed", "relative change", "loss at the end", "`classifier`"),
        *(
            "accuracy",
            "correct answers before → after",
            "what the script reports",
        ),
        *(
            "steps without a gradient",
            "steps with an already cleared gradient",
            "the model's answers",
        ),
    }
    page = shown(FROZEN)
    assert re.search(r"^!  changed +0 of 41", page, re.M)
    assert "A `!` marks an unusual value" in page


@pytest.mark.parametrize("written", [None, math.nan])
def test_a_loss_that_is_no_number_is_called_so(written: float | None) -> None:
    signs = replace(BROKEN, loss=replace(BROKEN.loss, last=written))
    assert re.search(r"^!  loss at the end +`?nan", shown(signs), re.M)
    assert marked(signs) >= {
        "forward passes with a finite loss",
        "steps with gradients that are not numbers",
    }
    assert "highest" in marked(signs)
    document = vitals.document(signs)
    assert document is not None
    assert document["loss"]["last"] is None
    assert "NaN" not in json.dumps(document)


@pytest.mark.parametrize(
    ("part", "signs", "what"),
    [
        ("model", {"held": 39}, "in the optimizer"),
        ("model", {"learning": 2, "held": 2, "moved": 2}, "trainable weight tensors"),
        ("model", {"frozen_moved": 1}, "changed although frozen"),
        ("model", {"backwards": 0}, "backward passes"),
        ("model", {"steps": 0}, "steps of the optimizer"),
        ("model", {"train_mode_share": 0.0}, "training mode in the training"),
        ("model", {"evaluate_mode_share": 0.5}, "training mode in the evaluation"),
        ("model", {"evaluated_is_trained": 0}, "evaluated model is the trained one"),
        ("loss", {"first": 5.0}, "loss at the start"),
        ("rate", {"highest": 0.0}, "highest"),
        ("rate", {"zero_share": 0.5}, "steps with a learning rate of 0"),
        ("data", {"split": "validation"}, "split"),
        ("data", {"repeats": 2.5}, "how often each example was seen"),
        ("data", {"labels": {"1": 9}}, "labels"),
        ("data", {"batch_size": 1}, "examples in a batch"),
        ("data", {"order": 0.01}, "order (1: shuffled, 0: sorted)"),
        ("data", {"unknown": 0.5}, "unknown words"),
        ("data", {"cut": 0.6}, "text that was cut away"),
        ("data", {"texts_in_ids": 1}, "texts read from each example"),
        ("data", {"padding": 4.0}, "batch width / longest text"),
        ("data", {"ignored": 0.1}, "labels of -100"),
        ("outcome", {"split": "train"}, "split"),
        ("outcome", {"overlap": 1.0}, "seen in the training too"),
        ("outcome", {"accuracy": 0.5}, "accuracy"),
        ("outcome", {"f1": 0.5}, "F1 score"),
        ("outcome", {"said_off": 0.1}, "what the script reports"),
        ("outcome", {"loss_after": 0.9}, "same examples: loss before → after"),
    ],
)
def test_each_sign_is_marked_outside_of_the_usual(
    part: str, signs: dict[str, object], what: str
) -> None:
    changed = replace(getattr(MEASURED, part), **signs)
    assert what in marked(replace(MEASURED, **{part: changed}))


def test_a_metric_that_gets_other_values_than_the_answers_is_told() -> None:
    outcome = replace(MEASURED.outcome, given_answers=0.0)
    assert "answers that its metric gets" in marked(replace(MEASURED, outcome=outcome))


def test_a_step_may_gather_several_batches() -> None:
    model = replace(MEASURED.model, steps=345)
    assert marked(replace(MEASURED, model=model)) == set()


def test_a_name_is_not_folded_where_other_words_can_give_way() -> None:
    for split in ("validation", "validation_matched", "validation_mismatched"):
        signs = replace(MEASURED, outcome=replace(MEASURED.outcome, split=split))
        assert f"`{split}`" in shown(signs)
        assert max(map(cell_len, shown(signs).splitlines())) <= 80


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "0%"), (1.0, "100%"), (0.8867, "88.7%"), (1e-5, "0.001%"), (0.9999, "99.99%")],
)
def test_a_share_is_none_or_all_only_where_it_is(share: float, words: str) -> None:
    assert vitals._share(share) == words


def test_figures_are_written_as_the_language_writes_them() -> None:
    i18n.activate("ru")
    page = shown(MEASURED)
    assert "88,7\xa0%" in page
    assert not re.search(r"\d\.\d|\d%", page)


def test_without_colour_the_sign_is_still_there() -> None:
    plain = shown(FROZEN, force_terminal=True, no_color=True)
    assert not re.search(r"\x1b\[[\d;]*3[0-7]", plain)
    assert plain.count("!") == shown(FROZEN, force_terminal=True).count("!") > 9
    assert "\x1b[1;31m" in shown(FROZEN, force_terminal=True)


@EACH
def test_a_notebook_shows_the_same(kind: str) -> None:
    blocks = list(vitals.vitals(KINDS[kind]))
    cells = [c for b in blocks if isinstance(b, Table) for row in b.rows for c in row.cells]
    html = re.sub(r"<[^>]+>", "", note.draw(blocks, good=True)).replace("&#39;", "'")
    plain = text.draw(blocks)
    assert all(c.replace("`", "").replace("<", "&lt;").replace(">", "&gt;") in html for c in cells)
    assert "not measured" in plain or "!" in plain or kind == "measured"


def test_the_columns_of_plain_text_stand_below_each_other() -> None:
    rows = TableRow(("损失", "0.41", "低于")), TableRow(("learning rate", "–", "x"), "bad")
    assert text.draw([Table(("a", "b", "c"), rows)]).splitlines() == [
        "   a              b     c",
        "   损失           0.41  低于",
        "!  learning rate  –     x",
    ]


def test_a_word_that_is_wider_than_its_column_is_folded() -> None:
    table = Table(("a", "b", "c"), (TableRow(("x" * 90, "y" * 90, "z" * 90)),))
    page = "".join(drawn([table]).split())
    assert page.count("x") == page.count("y") == page.count("z") == 90


def test_a_journal_s_signs_are_in_the_document_of_a_step() -> None:
    event = {
        "event": "vitals",
        "model": {"moved": 0, "learning": 41},
        "loss": {"first": 0.7012345678},
    }
    found = record.parse([json.dumps(event)])
    done = practice(found)
    document = step_document(done.attempt.verdict, found, warm=False)["vitals"]
    assert (document["model"]["moved"], document["model"]["held"]) == (0, None)
    assert document["loss"]["first"] == 0.701235
    assert vital_signs.read(document) == replace(
        vital_signs.read(event), loss=replace(NOTHING.loss, first=0.701235)
    )
    nothing = record.parse([])
    assert step_document(done.attempt.verdict, nothing, warm=False)["vitals"] is None


def test_a_run_is_told_with_its_signs_only_where_they_were_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(told, "report", lambda *_: None)
    context = None
    told.tell(practice("healthy"), context, as_json=False)  # type: ignore[arg-type]
    assert capsys.readouterr().out == ""
    told.tell(practice("healthy"), context, as_json=False, with_vitals=True)  # type: ignore[arg-type]
    assert "The learning rate" in capsys.readouterr().out
    told.tell(practice("fault"), context, as_json=False, with_vitals=True)  # type: ignore[arg-type]
    assert "No vital signs (measured values" in capsys.readouterr().out
