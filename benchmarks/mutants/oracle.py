"""What a script really did, found without the probe: run by the runtime's interpreter as a worker.

``python benchmarks/mutants/oracle.py HUB`` reads orders from standard input, one JSON object a
line: `text`, the `task` of GLUE, a `folder` and a `limit` in seconds. It answers each with a line.

The libraries are imported once; each order is two children that are forked:

1. The script runs. Every model that `from_pretrained` makes is kept, with a copy of its first
   weights and of the rows that it was given; weights before and after are saved as safetensors.
2. A process that has never seen the script reads these files, and has both models answer the true
   validation examples, and 500 of the training. Texts and labels are read from the files that ship,
   and are tokenized by `tokenizers` alone.

A row counts as trained on when an optimizer steps after it came by with gradients on. Which example
it is, is looked up among all true examples, by its token ids in the vocabulary of the model.

A figure that a metric gives, or the script prints, is of the model that answered last before it.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import math
import os
import re
import resource
import signal
import sys
import tempfile
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

COLUMNS = {"mrpc": ("sentence1", "sentence2"), "mnli": ("premise", "hypothesis")}
VALIDATION = {"mrpc": "validation", "mnli": "validation_matched"}
SAMPLE = 500
"""Training examples that the model before and after answers."""
BUSY = 20
"""How many seconds may pass for each one of the processor, before a script is taken for stuck."""
FEATURES = ("input_ids", "attention_mask", "token_type_ids")
Table = dict[tuple[int, ...], list[tuple[str, str, int]]]
PRINTED = re.compile(r"['\"](?:eval_)?accuracy['\"]: (?:np\.float64\()?([\d.]+)")


class Truth:
    """The examples that ship, and where in them a row of token ids comes from."""

    def __init__(self, hub: Path, task: str) -> None:
        self.hub, self.task = hub, task
        self.rows: dict[str, list[dict[str, Any]]] = {}
        for path in sorted((hub / "datasets" / "glue" / task).glob("*.jsonl")):
            lines = path.read_text("utf-8").splitlines()
            self.rows[path.stem] = [json.loads(line) for line in lines]
        self._tables: dict[str, Table] = {}

    def encoded(self, checkpoint: str, split: str, form: str = "pair") -> list[Any]:
        """Encode a split: the `pair`, or it `swapped`, or its `first` or `second` text alone."""
        one, other = COLUMNS[self.task]
        names = {"pair": (one, other), "swapped": (other, one), "first": (one,), "second": (other,)}
        texts = [tuple(row[n] for n in names[form]) for row in self.rows[split]]
        given = [t if len(t) == 2 else t[0] for t in texts]
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.hub / "models" / checkpoint / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return list(tokenizer.encode_batch(given))

    def table(self, checkpoint: str) -> Table:
        """By token ids: form, split and label of each example that they stand for.

        Empty for a checkpoint that is none of the embedded hub's.
        """
        if checkpoint not in self._tables:
            found: Table = defaultdict(list)
            known = (self.hub / "models" / checkpoint / "tokenizer.json").is_file()
            for form in ("pair", "swapped", "first", "second") if known else ():
                for split, rows in self.rows.items():
                    encoded = self.encoded(checkpoint, split, form)
                    for row, encoding in zip(rows, encoded, strict=True):
                        found[tuple(encoding.ids)].append((form, split, row["label"]))
            self._tables[checkpoint] = dict(found)
        return self._tables[checkpoint]


class Watched:
    """A model of the script: its first weights, and the rows that it was given."""

    def __init__(self, model: Any, checkpoint: str, answered: Callable[[Watched], None]) -> None:
        self.model, self.checkpoint, self._answered = model, checkpoint, answered
        self.first = {k: v.detach().clone() for k, v in model.state_dict().items()}
        self.numbers = {id(p) for p in model.parameters()}
        self.waiting: list[tuple[tuple[int, ...], int | None]] = []
        self.trained: Counter[tuple[tuple[int, ...], int | None]] = Counter()
        self.evaluated: Counter[tuple[int, ...]] = Counter()
        self.steps = 0
        self.evaluated_at = -1
        self.rates: list[float] = []
        self.clears = 0
        self.modes: Counter[str] = Counter()
        self.features: Counter[str] = Counter()
        self.widths: list[float] = []
        self.said: list[tuple[int, float]] = []
        self.printed: list[tuple[int, float]] = []
        self.given = ""
        model.register_forward_hook(self._passed, with_kwargs=True)

    def _passed(self, model: Any, given: Any, named: dict[str, Any], output: Any) -> None:
        """Keep the rows of a forward pass; `named` are the tensors of a batch by name."""
        import torch

        with contextlib.suppress(Exception):
            ids = named["input_ids"] if "input_ids" in named else given[0]
            rows = list(self._rows(ids.tolist(), named.get("attention_mask"), named.get("labels")))
            learning = torch.is_grad_enabled() and named.get("labels") is not None
            if learning:
                self.waiting += rows
                self.features.update(set(named) & set(FEATURES))
                self.widths.append(ids.shape[1] / max(len(row) for row, _ in rows))
            else:
                self._evaluated(rows)
                self._answered(self)
            kind = "train" if learning else "evaluate"
            self.modes[f"{kind}-{'on' if model.training else 'off'}"] += 1

    def _evaluated(self, rows: list[tuple[tuple[int, ...], int | None]]) -> None:
        if self.evaluated_at != self.steps:
            self.evaluated.clear()
            self.evaluated_at = self.steps
        self.evaluated.update(row for row, _ in rows)

    @staticmethod
    def _rows(ids: Any, mask: Any, labels: Any) -> Iterator[tuple[tuple[int, ...], int | None]]:
        labels = [None] * len(ids) if labels is None else labels.tolist()
        for row, label in zip(ids, labels, strict=True):
            # The padding token of all our checkpoints is 0.
            kept = list(row)
            while kept and kept[-1] == 0:
                kept.pop()
            whole = isinstance(label, int | float) and label == int(label)
            yield tuple(kept), int(label) if whole else None

    def stepped(self, rate: float) -> None:
        """Note that an optimizer that holds parameters of this model steps."""
        self.trained.update(self.waiting)
        self.waiting.clear()
        self.steps += 1
        self.rates.append(rate)

    def finish(self) -> None:
        """Count rows that passed with gradients on and were never learned from as an evaluation."""
        if self.waiting and self.steps:
            self._evaluated(self.waiting)

    def figure(self) -> float | None:
        """Return the last figure said of this model as it is now; failing that, printed."""
        for figures in (self.said, self.printed):
            late = [value for steps, value in figures if steps == self.steps]
            if late:
                return late[-1]
        return None

    def moved(self) -> tuple[float, float]:
        """Return the share of the tensors that moved, and by how much of all tensors' norm."""
        import torch

        changed, square, whole, count = 0, 0.0, 0.0, 0
        for name, value in self.model.state_dict().items():
            first = self.first[name]
            if not torch.is_floating_point(value) or first.shape != value.shape:
                continue
            difference = (value.detach().double() - first.double()).norm().item()
            count += 1
            changed += difference != 0
            square += difference**2
            whole += first.double().norm().item() ** 2
        return changed / max(count, 1), (square / max(whole, 1e-12)) ** 0.5


class Harness:
    """What is kept of a script while it runs."""

    def __init__(self, labels: list[int]) -> None:
        """`labels` are the true ones of the validation examples, in their order."""
        self.models: list[Watched] = []
        self.said: list[tuple[int, float]] = []
        self.steps = 0
        self._labels = labels
        self._last: Watched | None = None
        self._given: tuple[list[Any], list[Any]] = ([], [])

    def install(self) -> None:
        """Wrap what makes models, what steps, and what names figures."""
        import evaluate
        import torch
        import transformers
        from torch.optim.optimizer import register_optimizer_step_pre_hook

        self._wrap_models(transformers.PreTrainedModel)
        register_optimizer_step_pre_hook(self._step)
        for owner in (torch.optim.Optimizer, torch.nn.Module):
            self._wrap(owner, "zero_grad", before=self._clear)
        self._wrap(evaluate.EvaluationModule, "add_batch", before=self._give)
        self._wrap(evaluate.EvaluationModule, "compute", after=self._say)
        self._wrap(transformers.Trainer, "evaluate", after=self._say)

    def _wrap_models(self, base: Any) -> None:
        made = base.from_pretrained.__func__

        @functools.wraps(made)
        def from_pretrained(cls: Any, name: Any = None, *args: Any, **named: Any) -> Any:
            model = made(cls, name, *args, **named)
            if isinstance(model, base):
                self.models.append(Watched(model, str(name), self._answer))
            return model

        base.from_pretrained = classmethod(from_pretrained)

    @staticmethod
    def _wrap(
        owner: Any,
        name: str,
        before: Callable[..., None] | None = None,
        after: Callable[[Any], None] | None = None,
    ) -> None:
        made = getattr(owner, name)

        @functools.wraps(made)
        def wrapped(self: Any, *args: Any, **named: Any) -> Any:
            """`evaluate` copies the code of its methods, and adds to its documentation."""
            if before is not None:
                before(self, **named)
            value = made(self, *args, **named)
            if after is not None:
                after(value)
            return value

        setattr(owner, name, wrapped)

    def _step(self, optimizer: Any, args: Any, named: Any) -> None:
        self.steps += 1
        held = {id(p): g["lr"] for g in optimizer.param_groups for p in g["params"]}
        for model in self.models:
            common = model.numbers & held.keys()
            if common:
                model.stepped(float(held[next(iter(common))]))

    def _clear(self, owner: Any, **named: Any) -> None:
        groups = getattr(owner, "param_groups", None)
        numbers = (
            {id(p) for g in groups for p in g["params"]}
            if groups is not None
            else {id(p) for p in owner.parameters()}
        )
        for model in self.models:
            model.clears += bool(model.numbers & numbers)

    def _answer(self, model: Watched) -> None:
        self._last = model

    def _give(self, metric: Any, predictions: Any = None, references: Any = None) -> None:
        """Note the answers and labels that a metric is given; `compute` passes its own on here."""
        import numpy as np

        with contextlib.suppress(Exception):
            self._given[0].extend(np.asarray(predictions).tolist())
            self._given[1].extend(np.asarray(references).tolist())

    def _say(self, values: Any) -> None:
        answers, labels = self._given
        if self._last is not None and answers:
            self._last.given = self._odd(answers, labels)
        self._given = ([], [])
        if isinstance(values, dict):
            for name in ("accuracy", "eval_accuracy"):
                if name in values:
                    with contextlib.suppress(TypeError, ValueError):
                        self.said.append((self.steps, float(values[name])))
                        if self._last is not None:
                            self._last.said.append((self._last.steps, float(values[name])))

    def _odd(self, answers: list[Any], labels: list[Any]) -> str:
        """Return what is wrong with the answers and labels given to a metric; usually nothing."""
        if answers == labels:
            return "the same for answers and labels"
        return "answers and labels exchanged" if answers == self._labels else ""

    def print(self, text: str) -> None:
        """Note the figures in a piece of text that the script prints."""
        if self._last is not None:
            found = [(self._last.steps, float(value)) for value in PRINTED.findall(text)]
            self._last.printed.extend(found)


class Printed(io.StringIO):
    """What the script prints, which the harness hears."""

    def __init__(self, harness: Harness) -> None:
        super().__init__()
        self._harness = harness

    def write(self, text: str) -> int:
        """Keep a piece of text."""
        self._harness.print(text)
        return super().write(text)


def perform(order: dict[str, Any], truth: Truth) -> dict[str, Any]:
    """Run the script in this process, and say what it did; weights go into files."""
    harness = Harness([row["label"] for row in truth.rows[VALIDATION[truth.task]]])
    harness.install()
    printed = Printed(harness)
    raised = None
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        try:
            exec(compile(order["text"], "exercise.py", "exec"), {"__name__": "__main__"})
        except SystemExit as leaving:
            raised = f"SystemExit: {leaving}" if leaving.code else None
        except BaseException as error:
            raised = f"{type(error).__name__}: {str(error)[:300]}"
    subjects = []
    for number, model in enumerate(harness.models):
        model.finish()
        if model.steps or sum(model.evaluated.values()) >= 100:
            subjects.append(_subject(model, Path(order["folder"]) / str(number), truth))
    # A figure that was said before the last step is none of the model as it is now.
    late = [value for steps, value in harness.said if steps == harness.steps]
    found = [float(value) for value in PRINTED.findall(printed.getvalue())]
    said = late[-1] if late else found[-1] if found and not harness.said else None
    return {"raised": raised, "said": said, "steps": harness.steps, "subjects": subjects}


def _subject(model: Watched, folder: Path, truth: Truth) -> dict[str, Any]:
    import safetensors.torch

    for name, state in (("first", model.first), ("last", model.model.state_dict())):
        (folder / name).mkdir(parents=True)
        model.model.config.save_pretrained(folder / name)
        kept = {k: v.detach().cpu().contiguous().clone() for k, v in state.items()}
        safetensors.torch.save_file(kept, folder / name / "model.safetensors")
    share, by = model.moved()
    rates = model.rates
    return {
        "folder": str(folder),
        "checkpoint": model.checkpoint,
        "moved_share": share,
        "moved_by": by if by == by and by < 1e30 else None,
        "steps": model.steps,
        "said": model.figure(),
        "given": model.given,
        "clears": model.clears,
        "rate": {"first": rates[0], "last": rates[-1], "zero": rates.count(0.0) / len(rates)}
        if rates
        else None,
        "modes": dict(model.modes),
        "features": sorted(model.features),
        "padding": sum(model.widths) / len(model.widths) if model.widths else None,
        "trained": _trained(model, truth),
        "evaluated": _evaluated(model, truth),
    }


def _trained(model: Watched, truth: Truth) -> dict[str, Any]:
    """Rows by kind, how many true examples were among them, in which form."""
    kinds: Counter[str] = Counter()
    forms: Counter[str] = Counter()
    seen = set()
    table = truth.table(model.checkpoint)
    for (ids, label), count in model.trained.items():
        places = table.get(ids, [])
        right = [p for p in places if p[1] == "train" and p[0] in ("pair", "swapped")]
        if not places:
            kinds["unknown"] += count
        elif not right:
            form, split, _ = places[0]
            kinds[split if form in ("pair", "swapped") else form] += count
        elif label not in [p[2] for p in right]:
            kinds["label"] += count
        else:
            kinds["right"] += count
            forms[right[0][0]] += count
            seen.add((min(ids, _other(ids)), label))
    true = {
        (min(ids, _other(ids)), label)
        for ids, places in table.items()
        for form, split, label in places
        if form == "pair" and split == "train"
    }
    return {
        "rows": sum(model.trained.values()),
        "kinds": dict(kinds),
        "swapped": forms["swapped"] > forms["pair"],
        "coverage": len(seen) / max(len(true), 1),
    }


def _other(ids: tuple[int, ...]) -> tuple[int, ...]:
    """Swap the two texts of a pair: what stands between [CLS], [SEP] and [SEP] changes places.

    [SEP] is the last token of every row that is whole.
    """
    end = ids[-1]
    middle = ids.index(end)
    return (ids[0], *ids[middle + 1 : -1], end, *ids[1:middle], end)


def _evaluated(model: Watched, truth: Truth) -> dict[str, int]:
    """Count the rows of the last evaluation by split; a half of a pair counts for itself."""
    found: Counter[str] = Counter()
    wanted = VALIDATION[truth.task]
    table = truth.table(model.checkpoint)
    for ids, count in model.evaluated.items():
        places = table.get(ids, [])
        splits = [split for form, split, _ in places if form in ("pair", "swapped")]
        if wanted in splits:
            found[wanted] += count
        elif splits:
            found[splits[0]] += count
        else:
            found[places[0][0] if places else "unknown"] += count
    return dict(found)


def recount(result: dict[str, Any], truth: Truth) -> None:
    """Have the saved models answer true examples; adds `before` and `after` to each subject."""
    for subject in result["subjects"]:
        folder = Path(subject.pop("folder"))
        if not truth.table(subject["checkpoint"]):
            continue
        for when, name in (("before", "first"), ("after", "last")):
            with contextlib.suppress(RuntimeError, ValueError, IndexError):
                subject[when] = _score(folder / name, subject, truth)


def _score(folder: Path, subject: dict[str, Any], truth: Truth) -> dict[str, Any]:
    import numpy as np
    import torch
    from transformers import AutoModelForSequenceClassification

    model = AutoModelForSequenceClassification.from_pretrained(str(folder))
    model.eval()
    form = "swapped" if subject["trained"]["swapped"] else "pair"
    names = subject["features"] or FEATURES
    found: dict[str, Any] = {}
    for part, split in (("validation", VALIDATION[truth.task]), ("train", "train")):
        encoded = truth.encoded(subject["checkpoint"], split, form)
        labels = np.array([row["label"] for row in truth.rows[split]])
        if part == "train":
            encoded, labels = encoded[:SAMPLE], labels[:SAMPLE]
        outputs = []
        for start in range(0, len(encoded), 64):
            batch = _batch(encoded[start : start + 64], names)
            with torch.no_grad():
                outputs.append(model(**batch).logits.double().numpy())
        logits = np.concatenate(outputs)
        finite = bool(np.isfinite(logits).all())
        found[part] = {
            "finite": finite,
            "accuracy": float((logits.argmax(-1) == labels).mean()) if finite else None,
            "loss": _loss(logits, labels) if finite else None,
        }
    return found


def _batch(encoded: list[Any], names: list[str] | tuple[str, ...]) -> dict[str, Any]:
    import torch

    width = max(len(each.ids) for each in encoded)
    columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
    return {
        name: torch.tensor(
            [[*getattr(e, columns[name]), *[0] * (width - len(e.ids))] for e in encoded]
        )
        for name in names
    }


def _loss(logits: Any, labels: Any) -> float | None:
    import numpy as np

    if logits.shape[1] <= labels.max():
        return None
    shifted = logits - logits.max(-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return float(-logs[np.arange(len(labels)), labels].mean())


def forked(work: Callable[[], Any], limit: float) -> Any:
    """Have a child do some work; its result, or `timed_out`, or None where it dies.

    The limit is in seconds of the processor: on a busy machine a script may take any time.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 5))
        with os.fdopen(writing, "w") as stream:
            try:
                stream.write(json.dumps(work()))
            except BaseException:
                stream.write(json.dumps({"died": traceback.format_exc()}))
        os._exit(0)
    os.close(writing)
    with contextlib.suppress(PermissionError, ProcessLookupError):
        os.setpgid(child, child)
    signal.setitimer(signal.ITIMER_REAL, BUSY * limit)
    said, late = "", False
    try:
        with os.fdopen(reading) as stream:
            said = stream.read()
    except TimeoutError:
        late = True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if late:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
    late = late or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU)
    return {"timed_out": True} if late else json.loads(said or "null")


def _late(signal_number: int, frame: object) -> None:
    raise TimeoutError


def _be_silent() -> None:
    """Let nothing that a child prints come out."""
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)


def _spent() -> float:
    """Seconds of the processor that children have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def answer(order: dict[str, Any], truth: Truth) -> dict[str, Any]:
    """Run, then recount, each in a child of its own."""
    began = _spent()
    # Made here, they serve the children of all orders to come.
    for folder in (truth.hub / "models").iterdir():
        if folder.name in order["text"]:
            truth.table(folder.name)

    def first() -> dict[str, Any]:
        os.chdir(order["folder"])
        os.environ["TMPDIR"] = tempfile.tempdir = order["folder"]
        _be_silent()
        return perform(order, truth)

    result = forked(first, order["limit"])
    if result is None or "died" in result or "timed_out" in result:
        return result or {"died": "no answer"}

    def second() -> dict[str, Any]:
        _be_silent()
        recount(result, truth)
        return result  # type: ignore[no-any-return]

    done = forked(second, order["limit"]) or {"died": "no answer"}
    return {**done, "seconds": _spent() - began}


def main() -> None:
    """Answer orders until there are no more."""
    hub = Path(sys.argv[1])
    import datasets
    import evaluate  # noqa: F401
    import safetensors.torch  # noqa: F401
    import torch
    import torch.utils.data
    import transformers  # noqa: F401
    from transformers import (  # noqa: F401
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainingArguments,
        get_scheduler,
    )

    datasets.disable_progress_bars()
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, _late)
    answers = os.fdopen(os.dup(1), "w")
    truths = {task: Truth(hub, task) for task in COLUMNS}
    for line in sys.stdin:
        order = json.loads(line)
        answers.write(json.dumps(answer(order, truths[order["task"]])) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
