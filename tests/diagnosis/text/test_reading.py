"""What the text of a script tells: faults, their mends, and nothing about honest scripts."""

import ast
import builtins
import inspect
from pathlib import Path

import pytest

from course.diagnosis.text import drift, installed, reading, text_fault
from course.diagnosis.text.reading import Reading
from course.lesson.catalogue import catalogue
from tests.diagnosis.text.scripts import CHAIN, LOOP

NET = """
import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.end = nn.Softmax(dim=1)

    def forward(self, x):
        return RETURNED


model = Net()
loss_of = LOSS
"""


@pytest.fixture(autouse=True)
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed: the versions that the cases are about."""
    versions = {"transformers": "5.23.0", "datasets": "5.2.0", "torch": "2.13.0"}
    monkeypatch.setattr(installed, "version", versions.get)
    trainer = "model args data_collator processing_class train_dataset eval_dataset compute_metrics"
    taken = {
        "transformers.TrainingArguments": ("output_dir", "eval_strategy", "warmup_steps"),
        "transformers.Trainer": tuple(trainer.split()),
    }
    monkeypatch.setattr(installed, "parameters", taken.get)
    monkeypatch.setattr(installed, "defined", lambda _library, _file: frozenset({"other"}))


def read(text: str, folder: Path | None = None) -> Reading:
    return reading.read("script.py", text, folder or Path("/nowhere"))


def found(text: str) -> list[str]:
    return [fault.fault for fault in read(text).faults]


def mended(text: str) -> str:
    done = read(text)
    assert done.script is not None
    return text_fault.mend(done.script, done.faults)


def test_every_fault_of_a_chain_is_named_at_its_line_in_one_reading() -> None:
    faults = {each.fault: each for each in read(CHAIN).faults}
    assert set(faults) == {
        "missing-import",
        "dataset-from-evaluate",
        "length-mismatch",
        "target-out-of-bounds",
        "renamed-argument",
        "size-1-array",
        "missing-input-ids",
    }
    lines = CHAIN.splitlines()
    assert lines[faults["missing-import"].line - 1] == 'data = evaluate.load("glue", "mnli")'
    assert "evaluation_strategy" in lines[faults["renamed-argument"].line - 1]
    assert "predictions=answers" in lines[faults["size-1-array"].line - 1]
    assert [f for f in faults if not faults[f].certain] == ["length-mismatch", "size-1-array"]


def test_the_whole_chain_is_mended_in_one_go() -> None:
    text = mended(CHAIN)
    assert found(text) == []
    for line in (
        "import evaluate\n",
        'data = load_dataset("glue", "mnli")',
        'train_dataset=tokens["train"]',
        "(name, num_labels=3)",
        'TrainingArguments("out", eval_strategy="epoch")',
        "    answers = np.argmax(answers, axis=-1)\n",
        "    data_collator=DataCollatorWithPadding(tokenizer),\n)",
    ):
        assert line in text, line


def test_a_healthy_loop_shows_nothing_and_was_checked() -> None:
    done = read(LOOP)
    assert done.faults == ()
    checked = [check for check, _stage in done.checked]
    assert "gradients-in-order" in checked
    assert all(reading.sentence(check) for check in checked)


@pytest.mark.parametrize(
    ("old", "new", "fault", "mend"),
    [
        ("        optimizer.step()\n", "", "optimizer-step-missing", True),
        ("        loss.backward()\n", "", "backward-missing", False),
        ("        optimizer.zero_grad()\n", "", "gradients-not-cleared", True),
        ("loss_of(model(inputs)", "loss_of(modle(inputs)", "misspelt-name", True),
        ("import torch\n", "", "missing-import", True),
        ("range(2)", "range(n_passes)", "name-not-defined", False),
        ("torch.ones(3, 4)", "torch.ones(3, 4", "syntax-error", False),
    ],
)
def test_one_change_is_one_fault(old: str, new: str, fault: str, mend: bool) -> None:
    assert LOOP.count(old) == 1
    broken = LOOP.replace(old, new)
    assert found(broken) == [fault]
    if mend:
        assert found(mended(broken)) == []
        ast.parse(mended(broken))


@pytest.mark.parametrize(("method", "misspelt"), [("backward", "backwards"), ("step", "stepp")])
def test_a_call_that_is_misspelt_is_not_told_as_missing(method: str, misspelt: str) -> None:
    assert found(LOOP.replace(f".{method}()", f".{misspelt}()")) == []


def test_gradients_that_are_cleared_too_soon_are_moved_behind_the_step() -> None:
    step = "        optimizer.step()\n"
    clear = "        optimizer.zero_grad()\n"
    backward = "        loss.backward()\n"
    broken = LOOP.replace(clear, "").replace(backward, backward + clear)
    assert found(broken) == ["gradients-cleared-before-step"]
    assert step + clear in mended(broken)
    behind = LOOP.replace(clear, "").replace(step, step + clear)
    assert found(behind) == []


def test_a_missing_step_is_put_behind_what_limits_its_gradients() -> None:
    step = "        optimizer.step()\n"
    clip = "        nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
    healthy = LOOP.replace(step, clip + step)
    assert found(healthy) == []
    broken = healthy.replace(step, "")
    assert found(broken) == ["optimizer-step-missing"]
    assert mended(broken) == healthy


@pytest.mark.parametrize(
    "around",
    [
        "        nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n",
        "        with torch.no_grad():\n            print(model(inputs))\n",
    ],
)
def test_other_words_with_grad_clear_no_gradients(around: str) -> None:
    step = "        optimizer.step()\n"
    broken = LOOP.replace("        optimizer.zero_grad()\n", "").replace(step, around + step)
    assert found(broken) == ["gradients-not-cleared"]


def test_gradients_that_are_cleared_once_an_epoch_pile_up() -> None:
    clear = "        optimizer.zero_grad()\n"
    broken = LOOP.replace(clear, "").replace(
        "    for inputs", "    optimizer.zero_grad()\n    for inputs"
    )
    assert found(broken) == ["gradients-not-cleared"]


@pytest.mark.parametrize(
    "change",
    [
        # Gradients are gathered over batches.
        ("        optimizer.step()\n", "        if epoch:\n            optimizer.step()\n"),
        (
            "        optimizer.zero_grad()\n",
            "        for p in model.parameters():\n",
            "            p.grad = None\n",
        ),
        ("        optimizer.step()\n", "        step_with(optimizer)\n"),
        ("        loss.backward()\n", "        torch.autograd.backward(loss)\n"),
        ("        optimizer.zero_grad()\n", "        model.zero_grad()\n"),
        ("optimizer = torch", "other = torch.optim.SGD(model.parameters())\noptimizer = torch"),
    ],
)
def test_what_can_be_meant_is_not_accused(change: tuple[str, ...]) -> None:
    old, *new = change
    text = LOOP.replace(old, "".join(new)).replace("model = nn", "step_with = print\nmodel = nn")
    assert found(text) == []


@pytest.mark.parametrize(
    ("returned", "loss", "fault"),
    [
        ("self.end(self.layer(x))", "nn.CrossEntropyLoss()", "softmax-before-loss"),
        ("F.softmax(self.layer(x), dim=1)", "nn.CrossEntropyLoss()", "softmax-before-loss"),
        ("torch.sigmoid(self.layer(x))", "nn.BCEWithLogitsLoss()", "softmax-before-loss"),
        ("self.layer(x).softmax(1)", "nn.CrossEntropyLoss()", "softmax-before-loss"),
        ("self.layer(x)", "nn.BCELoss()", "outputs-taken-for-probabilities"),
        ("self.layer(x)", "nn.NLLLoss()", "outputs-taken-for-probabilities"),
        ("F.softmax(self.layer(x), dim=1)", "nn.NLLLoss()", "outputs-taken-for-probabilities"),
        ("self.layer(x)", "nn.CrossEntropyLoss()", None),
        ("F.log_softmax(self.layer(x), dim=1)", "nn.CrossEntropyLoss()", None),
        ("F.log_softmax(self.layer(x), dim=1)", "nn.NLLLoss()", None),
        ("torch.sigmoid(self.layer(x))", "nn.BCELoss()", None),
        ("F.softmax(self.layer(x), dim=1)", "nn.MSELoss()", None),
        ("self.layer(x), x", "nn.BCELoss()", None),
    ],
)
def test_what_a_model_ends_with_is_held_beside_its_loss(
    returned: str, loss: str, fault: str | None
) -> None:
    text = NET.replace("RETURNED", returned).replace("LOSS", loss)
    assert found(text) == ([fault] if fault else [])


def test_a_softmax_over_one_output_is_told_and_one_too_many_taken_out() -> None:
    text = "from torch import nn\nnet = nn.Sequential(nn.Linear(4, 1), nn.Softmax(dim=1))\n"
    assert found(text + "loss = nn.CrossEntropyLoss()\n") == ["softmax-over-one-output"]
    three = text.replace("4, 1", "4, 3") + "loss = nn.CrossEntropyLoss()\n"
    assert "nn.Sequential(nn.Linear(4, 3))" in mended(three)


def test_data_from_evaluate_are_told_though_the_name_goes_on_with_what_is_made_of_them() -> None:
    again = CHAIN.replace("tokens = data.map", "data = data.map")
    assert "dataset-from-evaluate" in found(again)
    other = CHAIN.replace("tokens = data.map", "data = load_dataset('csv').map")
    assert "dataset-from-evaluate" not in found(other)


@pytest.mark.parametrize(
    ("head", "collator"),
    [
        ("SequenceClassification", "DataCollatorWithPadding"),
        ("TokenClassification", "DataCollatorForTokenClassification"),
        ("Seq2SeqLM", "DataCollatorForSeq2Seq"),
        ("MaskedLM", None),
    ],
)
def test_the_collator_is_that_of_the_head(head: str, collator: str | None) -> None:
    # Texts of language models are cut into pieces of one length.
    text = CHAIN.replace("SequenceClassification", head)
    assert ("length-mismatch" in found(text)) is (collator is not None)
    assert (f"data_collator={collator}(tokenizer)" in mended(text)) is (collator is not None)


@pytest.mark.parametrize(
    "taken",
    [
        "answers = found.predictions; labels = found.label_ids",
        "answers, labels = found.predictions, found.label_ids",
        "answers = found.predictions[0] if type(found) is tuple else found.predictions",
    ],
)
def test_answers_are_taken_out_of_what_is_given_in_many_ways(taken: str) -> None:
    text = CHAIN.replace("answers, labels = found", taken.replace("; ", "\n    "))
    assert "size-1-array" in found(text)
    assert "size-1-array" not in found(mended(text))
    chosen = text.replace(
        "compute_metrics=score", "compute_metrics=score, preprocess_logits_for_metrics=f"
    )
    assert "size-1-array" not in found(chosen)


SUBCLASS = """
from transformers import Trainer


class OwnTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        return model(**inputs).loss
"""


def test_an_override_lacks_an_argument_that_it_is_called_with_today() -> None:
    assert found(SUBCLASS) == ["override-with-old-signature"]
    whole = SUBCLASS.replace(
        "return_outputs=False)", "return_outputs=False, num_items_in_batch=None)"
    )
    assert mended(SUBCLASS) == whole
    assert found(whole) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return_outputs=False)", "return_outputs=False, **more)"),
        ("return_outputs=False)", "*more)"),
        ("OwnTrainer(Trainer)", "OwnTrainer(Other)"),
        ("compute_loss", "loss_of_mine"),
    ],
)
def test_an_override_that_takes_it_or_is_none_is_not_accused(old: str, new: str) -> None:
    text = SUBCLASS.replace(old, new).replace("class Own", "Other = object\n\n\nclass Own")
    assert found(text) == []


def test_a_file_beside_the_script_that_bears_a_library_s_name(tmp_path: Path) -> None:
    (tmp_path / "datasets.py").write_text("")
    done = read("from datasets import load_dataset\nimport torch\n", tmp_path)
    assert [(f.fault, f.line) for f in done.faults] == [("shadowed-module", 1)]


def test_what_another_version_has_is_not_complained_about(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from transformers import AdamW as Optimizer, set_seed\n"
    assert found(text) == ["removed-import"]
    assert mended(text) == (
        "from transformers import set_seed\nfrom torch.optim import AdamW as Optimizer\n"
    )
    assert mended("from datasets import load_metric\n") == (
        "from evaluate import load as load_metric\n"
    )
    monkeypatch.setattr(installed, "defined", lambda _library, _file: frozenset({"AdamW"}))
    assert found(text) == []
    monkeypatch.setattr(installed, "version", lambda _library: None)
    assert found(text) == []


def test_a_name_that_another_library_has_today_is_imported_from_there() -> None:
    text = "metric = load_metric('glue', 'mrpc')\n"
    assert found(text) == ["missing-import"]
    assert mended(text) == f"from evaluate import load as load_metric\n{text}"


def test_arguments_are_held_beside_what_the_installed_class_takes() -> None:
    start = "from transformers import TrainingArguments\nTrainingArguments("
    assert found(start + "'o', eval_strategy='no')") == []
    assert found(start + "'o', **more)".replace("more", "{}")) == []
    assert mended(start + "'o', overwrite_output_dir=True, warmup_steps=3)") == (
        start + "'o', warmup_steps=3)"
    )
    (near,) = read(start + "'o', warmup_step=3)").faults
    assert near.fault == "renamed-argument"
    assert "`warmup_steps`" in near.sentence
    assert not near.mechanical


def test_every_fault_that_reading_names_is_in_the_catalogue() -> None:
    source = "".join(
        inspect.getsource(module)
        for module in (drift, *(inspect.getmodule(check.find) for check in reading.CHECKS))
        if module is not None
    )
    named = {
        node.args[0].value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "TextFault"
        and isinstance(node.args[0], ast.Constant)
    }
    assert len(named) > 12
    assert named <= set(catalogue())


def test_edits_that_overlap_are_not_both_made() -> None:
    done = read("x = 1\n")
    assert done.script is not None
    first = text_fault.TextFault("a", 1, "", edits=((4, 5, "2"),))
    second = text_fault.TextFault("b", 1, "", edits=((4, 5, "3"),))
    assert text_fault.mend(done.script, [first, second]) == "x = 2\n"
    broken = text_fault.TextFault("c", 1, "", edits=((0, 1, "("),))
    assert text_fault.mend(done.script, [broken]) == "x = 1\n"


def test_names_of_python_itself_are_made() -> None:
    assert found("\n".join(f"print({name})" for name in ("len", "__name__", "ValueError"))) == []
    assert hasattr(builtins, "len")


REMOVED = """import transformers
from transformers import TFBertModel

first = TFBertModel.from_pretrained("a")
second = TFBertModel.from_pretrained("b")
third = transformers.TFGPT2Model.from_pretrained("c")
fourth = transformers.TFGPT2Model.from_pretrained("d")
with tokenizer.as_target_tokenizer():
    rows = encode(texts)
with tokenizer.as_target_tokenizer():
    more = encode(others)
"""


def test_what_is_gone_is_the_class_and_each_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "defined", lambda _library, _file: frozenset())
    drifted = [
        f for f in read(REMOVED).faults if f.fault in ("removed-import", "attribute-missing")
    ]
    told = [(f.line, f.also, f.values["name"]) for f in drifted]
    assert told == [
        (2, (), "`TFBertModel`"),
        (6, (7,), "`TFGPT2Model`"),
        (8, (10,), "`as_target_tokenizer`"),
    ]


def test_of_a_library_that_is_not_there_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "version", {}.get)
    assert {"removed-import", "attribute-missing"}.isdisjoint(found(REMOVED))
