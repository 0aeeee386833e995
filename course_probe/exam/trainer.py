"""Examine what the Trainer of `transformers` was given."""

import functools
import inspect
import itertools
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from course_probe.events import ClaimsEvent
from course_probe.exam import torch_model
from course_probe.exam.examination import Examination, PartMissing
from course_probe.exam.own_steps import OwnSteps, Steps
from course_probe.exam.training_data import (
    KEPT,
    as_json,
    by_number,
    collated_row,
    count_shared,
    is_tokenized,
    tokenized,
)
from course_probe.hooks.measure import count_labels
from course_probe.lengths import length

LOADED = 2
"""Batches that are taken from the training's own loader."""


def hook(module: ModuleType, examination: Examination) -> None:
    """Have each Trainer examined when it is to train; one that is never used, at the end."""
    make, train = module.Trainer.__init__, module.Trainer.train
    signature = inspect.signature(make)

    @functools.wraps(make)
    def noted(trainer: Any, *arguments: Any, **named: Any) -> None:
        names = [n for n in signature.parameters if n != "self"]
        given = {**dict(zip(names, arguments, strict=False)), **named}
        examination.remember(lambda: _TrainerCandidate(None, given, train))
        make(trainer, *arguments, **named)
        examination.remember(lambda: _TrainerCandidate(trainer, given, train))
        trainer.__dict__["_course_given"] = given

    @functools.wraps(train)
    def examined(trainer: Any, *arguments: Any, **named: Any) -> Any:
        given = trainer.__dict__.get("_course_given", {})
        return examination.examine(_TrainerCandidate(trainer, given, train))

    module.Trainer.__init__, module.Trainer.train = noted, examined


class _TrainerCandidate:
    """A Trainer, or what one was to be made of."""

    def __init__(self, trainer: Any, given: Mapping[str, Any], train: Any) -> None:
        self._trainer = trainer
        self._given = given
        self._train = train
        self._steps: OwnSteps | None = None

    def _part(self, name: str) -> Any:
        found = getattr(self._trainer, name, None)
        if found is None:
            found = self._given.get(name)
        if found is None:
            raise PartMissing(name)
        return found

    def _data(self, which: str) -> Any:
        found = self._part("train_dataset" if which == "train" else "eval_dataset")
        return next(iter(found.values())) if type(found) is dict else found

    def answer(self, question: dict[str, Any]) -> Any:
        """Answer a question with the part of the training that it is about."""
        return getattr(self, "_" + question["kind"])(question)

    def _rows(self, question: dict[str, Any]) -> Any:
        """Examples of both datasets, by where in them they lie (0 to 1)."""
        found: dict[str, Any] = {
            which: {
                "size": length(by_number(self._data(which))),
                "rows": [as_json(row) for row in self._examples(which, question[which])],
            }
            for which in ("train", "evaluation")
        }
        evaluation = found["evaluation"]
        evaluation["shared"] = count_shared(self._data("train"), evaluation["rows"])
        return found

    def _examples(self, which: str, places: list[float]) -> list[Any]:
        """Examples as the dataset holds them, or as its own collate function tokenizes them."""
        if is_tokenized(self._data(which)) or self._trainer is None:
            return self._some(which, places)
        loader = self._loader(which)
        if not self._tokenizes(loader):
            return self._some(which, places)
        return [collated_row(loader, place) for place in places]

    def _loader(self, which: str) -> Any:
        import torch

        with torch.random.fork_rng():
            if which == "train":
                return self._trainer.get_train_dataloader()
            return self._trainer.get_eval_dataloader()

    def _tokenizes(self, loader: Any) -> bool:
        """Whether token ids come out of a loader's collate function."""
        try:
            return bool(collated_row(loader, 0.0))
        except Exception:  # noqa: BLE001 - a submission may raise anything: it makes no ids
            return False

    def _some(self, which: str, places: list[float]) -> list[Any]:
        data = by_number(self._data(which))
        return [data[int(place * len(data))] for place in places]

    def _batch(self, question: dict[str, Any]) -> Any:
        """Return the collator's batch of drawn examples, and batches as the training gets them."""
        made: dict[str, Any] = {"tokenized": self._is_tokenized()}
        for name, make in (("drawn", self._collated), ("own", self._loaded)):
            try:
                made[name] = {"value": as_json(make(question[name]))}
            except Exception as error:  # noqa: BLE001 - a submission may raise anything: it is its answer
                made[name] = {"error": f"{type(error).__name__}: {error}"[:500]}
        return made

    def _is_tokenized(self) -> bool:
        if is_tokenized(self._data("train")):
            return True
        return self._trainer is not None and self._tokenizes(self._loader("train"))

    def _collated(self, rows: list[dict[str, Any]]) -> list[Any]:
        return [self._collator()([dict(row) for row in rows])]

    def _loaded(self, places: list[float]) -> list[Any]:
        """Batches from the training's own loader, and one that is made by hand of some examples."""
        import torch

        if self._trainer is not None and not is_tokenized(self._data("train")):
            loader = self._loader("train")
            data = by_number(loader.dataset)
            rows = [data[int(place * len(data))] for place in places]
            by_hand = loader.collate_fn(rows)
        else:
            by_hand = self._collator()([_kept(row) for row in self._some("train", places)])
        if self._trainer is None:
            return [by_hand]
        with torch.random.fork_rng():
            loader = self._trainer.get_train_dataloader()
            # Of large batches there may be fewer.
            return [by_hand, *itertools.islice(loader, LOADED)]

    def _collator(self) -> Any:
        try:
            return self._part("data_collator")
        except PartMissing:
            from transformers import default_data_collator

            return default_data_collator

    def _outputs(self, question: dict[str, Any]) -> Any:
        """Logits and loss of the model for drawn token ids."""
        return torch_model.outputs(self._part("model"), question)

    def logits(self, question: dict[str, Any]) -> Any:
        """Return the logits for many texts."""
        return torch_model.logits(self._part("model"), question)

    def _metric(self, question: dict[str, Any]) -> Any:
        """Compute the metric function's results for drawn logits and labels."""
        import numpy
        import torch
        from transformers import EvalPrediction
        from transformers.trainer_pt_utils import nested_numpify

        compute = self._part("compute_metrics")
        before = getattr(self._trainer, "preprocess_logits_for_metrics", None)
        results = []
        for drawn in question["drawn"]:
            logits = numpy.array(drawn["logits"], dtype=numpy.float32)
            answers = numpy.array(drawn["labels"], dtype=numpy.int64)
            if before is not None:
                # As many do it, the labels may come back beside the answers.
                changed = before(torch.tensor(logits), torch.tensor(answers))
                logits = nested_numpify(changed)  # type: ignore[no-untyped-call]
            results.append(as_json(compute(EvalPrediction(predictions=logits, label_ids=answers))))
        return results

    def claims(self) -> ClaimsEvent:
        """How many examples there are, with which labels, in batches of what size."""
        train = self._data("train")
        arguments = getattr(self._trainer, "args", None) or self._given.get("args")
        return ClaimsEvent(
            event="claims",
            examples=length(by_number(train)),
            labels=count_labels(train),
            batch_size=getattr(arguments, "train_batch_size", None),
            epochs=float(getattr(arguments, "num_train_epochs", 0.0)),
        )

    def weights(self) -> bytes:
        """Return the model's weights, by the names that the framework gives them."""
        beside = self._steps.weights() if self._steps is not None else {}
        return torch_model.weights(self._part("model"), beside)

    def steps(self) -> Steps | None:
        """Return what the training's own steps have done, where that was counted."""
        return self._steps.counted() if self._steps is not None else None

    def state(self) -> Any:
        """Copy the model's weights, for `restore`."""
        state = self._part("model").state_dict()
        return {name: tensor.detach().clone() for name, tensor in state.items()}

    def restore(self, state: Any) -> None:
        """Load the weights that `state` returned."""
        self._steps = None
        self._part("model").load_state_dict(state)

    def repair(self, kinds: list[str], data: dict[str, Any]) -> None:
        """Replace the parts that answered wrongly with healthy ones: do the others train?"""
        if not kinds:
            return
        import transformers

        trainer = self._trainer
        tokenizer = transformers.AutoTokenizer.from_pretrained(data["checkpoint"])
        if "rows" in kinds:
            for name in ("train_dataset", "eval_dataset"):
                given = getattr(trainer, name)
                if "input_ids" not in given.column_names:
                    setattr(trainer, name, tokenized(given, tokenizer, data["texts"]))
        if "batch" in kinds:
            trainer.data_collator = transformers.DataCollatorWithPadding(tokenizer)
        if "outputs" in kinds:
            model = transformers.AutoModelForSequenceClassification.from_pretrained(
                data["checkpoint"], num_labels=data["labels"]
            )
            trainer.model = trainer.model_wrapped = model
            trainer.model_init = None
        if "metric" in kinds:
            trainer.compute_metrics = _accuracy
            trainer.preprocess_logits_for_metrics = None

    def train(self, epochs: float, evaluate: bool) -> Any:
        """Train for `epochs`, and `evaluate` at the end where the script does not."""
        trainer = self._trainer
        trainer.args.num_train_epochs = epochs
        trainer.args.max_steps = -1
        if trainer.args.per_device_train_batch_size == 1:
            # That has cost its mark already, and takes eight times as long.
            trainer.args.per_device_train_batch_size = trainer._train_batch_size = 8
        self._steps = OwnSteps(trainer)
        with self._steps.counting():
            self._train(trainer)
        step = trainer.state.global_step
        seen = any("eval_loss" in e and e.get("step") == step for e in trainer.state.log_history)
        if evaluate and not seen and trainer.eval_dataset is not None:
            trainer.evaluate()


def _accuracy(prediction: Any) -> dict[str, float]:
    hits = prediction.predictions.argmax(axis=-1) == prediction.label_ids
    return {"accuracy": float(hits.mean())}


def _kept(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name in KEPT}
