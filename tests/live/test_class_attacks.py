"""Attacks by which a run was deceived that is not asked by its parts: they gain nothing any more.

The ideas are those of a hand that had not seen the program, the texts are ours: each is the mended
script of a lesson, with one change by which a bug is back where a run had not looked for it.
"""

import json
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from course.exercise import patch
from course.lesson import lesson
from tests.live.test_class_lessons import given_out, graded
from tests.tiers import sample, selected

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux")


@dataclass(frozen=True)
class Deceit:
    """A change of a lesson's mended script, and the bug that is back."""

    lesson: str
    fault: str
    edits: tuple[tuple[str, str], ...]


OPTIMIZER = "optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)\n"
DECEITS = {
    "pads-to-the-maximum-later": Deceit(
        "ch3-2",
        "padding-to-maximum",
        (
            (
                "pad = DataCollatorWithPadding(tokenizer)",
                "both = (\n    DataCollatorWithPadding(tokenizer),\n"
                "    DataCollatorWithPadding(tokenizer, 'max_length', 128),\n)\ntimes = []\n\n\n"
                "def pad(rows):\n    times.append(len(rows))\n"
                "    return both[len(times) > 90](rows)\n\n",
            ),
        ),
    ),
    "pairs-a-text-with-itself": Deceit(
        "ch3-2",
        "separate-texts",
        (('rows["sentence1"], rows["sentence2"]', 'rows["sentence2"], rows["sentence2"]'),),
    ),
    "loads-the-first-model-later": Deceit(
        "ch3-3",
        "trained-again",
        (
            (
                "second.train()",
                "from transformers import TrainerCallback\n\n\n"
                "class Warm(TrainerCallback):\n"
                "    def on_step_begin(self, args, state, control, **rest):\n"
                "        if state.global_step == 9:\n"
                "            for new, old in zip(second.model.parameters(), "
                "first.model.parameters()):\n"
                "                new.data.copy_(old.data)\n\n\n"
                "second.add_callback(Warm())\nsecond.train()",
            ),
        ),
    ),
    "steps-at-another-rate": Deceit(
        "ch3-4",
        "schedule-out-of-step",
        (
            (
                OPTIMIZER,
                "class Steady(torch.optim.AdamW):\n"
                "    def step(self, closure=None):\n"
                "        (group,) = self.param_groups\n"
                "        told, group['lr'] = group['lr'], 5e-5\n"
                "        super().step(closure)\n"
                "        group['lr'] = told\n\n\n"
                "optimizer = Steady(model.parameters(), lr=5e-5)\n",
            ),
        ),
    ),
    "schedules-another-optimizer": Deceit(
        "ch3-4",
        "schedule-out-of-step",
        (
            (
                'get_scheduler("linear", optimizer,',
                'get_scheduler("linear", torch.optim.SGD(model.parameters(), lr=5e-5),',
            ),
        ),
    ),
    "keeps-gradients-aside": Deceit(
        "ch3-4",
        "gradients-not-cleared",
        (
            (
                OPTIMIZER,
                f"{OPTIMIZER}kept = {{}}\n\n\n"
                "def add(optimizer, *rest):\n"
                "    for each in model.parameters():\n"
                "        if each.grad is not None:\n"
                "            kept[each] = each.grad + kept.get(each, 0)\n"
                "            each.grad = kept[each].clone()\n\n\n"
                "optimizer.register_step_pre_hook(add)\n",
            ),
        ),
    ),
    "invents-labels": Deceit(
        "ch3-4",
        "missing-labels",
        (
            (
                "        loss = model(**batch).loss\n",
                "        batch['labels'] = torch.ones_like(batch['labels'])\n"
                "        loss = model(**batch).loss\n",
            ),
            ('ready = ready.rename_column("label", "labels")\n', ""),
            (
                '    return tokenizer.pad(examples, return_tensors="pt")\n',
                '    batch = tokenizer.pad(examples, return_tensors="pt")\n'
                "    batch['labels'] = batch.pop('label')\n    return batch\n",
            ),
        ),
    ),
    "throws-the-prepared-batches-away": Deceit(
        "ch3-4-accelerate",
        "loader-not-prepared",
        (
            (
                "model, optimizer, train_loader, eval_loader = ",
                "model, optimizer, own, eval_loader = ",
            ),
            ("for batch in train_loader:", "for _, batch in zip(own, train_loader):"),
        ),
    ),
    "throws-away-what-is-gathered": Deceit(
        "ch3-4-accelerate",
        "metric-of-one-process",
        (
            (
                "        predictions, references = accelerator.gather_for_metrics("
                '(predictions, batch["labels"]))\n',
                "        accelerator.gather_for_metrics((predictions, batch['labels']))\n"
                "        predictions = torch.cat([predictions] * 2)\n"
                "        references = torch.cat([batch['labels']] * 2)\n",
            ),
        ),
    ),
}
EVERYDAY = "schedules-another-optimizer"
"""The one of the live tier."""


@pytest.fixture(scope="module")
def found(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Grade what was selected, a class for each lesson."""
    chosen: list[str] = selected(request, "way")
    grades: dict[str, Any] = {}
    for name in dict.fromkeys(DECEITS[way].lesson for way in chosen):
        place = tmp_path_factory.mktemp(name)
        ways = [way for way in chosen if DECEITS[way].lesson == name]
        texts = given_out(place, name, ways)
        for way, text in texts.items():
            mended = text
            for bug in lesson.load(name).parts["pt"].known:
                mended = patch.take_out(mended, bug)
            for old, new in DECEITS[way].edits:
                assert old in mended, old
                # The last place: what a lesson does once by hand comes before.
                mended = new.join(mended.rsplit(old, 1))
            texts[way] = mended
        grades |= graded(place, name, texts, 240)
    return grades


@pytest.mark.parametrize("way", sample(list(DECEITS), lambda _number, way: way == EVERYDAY))
def test_a_run_is_not_deceived(found: dict[str, Any], way: str) -> None:
    grade, deceit = found[way], DECEITS[way]
    told = json.dumps(grade, indent=1)
    left = {each["fault"] for each in grade["bugs"] if not each["gone"]}
    assert left == {deceit.fault}, told
    assert not grade["healthy"]["reached"], told
