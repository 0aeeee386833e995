"""Calls of a submission that the libraries or the hub refuse, made as they would be today.

An argument that a library has renamed or dropped, or a checkpoint that is not on the embedded hub,
ends a script at its first lines and hides all that was mended behind it. In a grading the call is
made with the name of today, or without the argument, and with the checkpoint that is there; each
such place is reported. Only names that a library really had are adapted: a slip stays a slip.
"""

import functools
import importlib
import inspect
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypedDict

from course_probe.after_import import call_after_import
from course_probe.event_log import EventLog
from course_probe.events import AdaptedEvent
from course_probe.exam import stand_ins

NOWHERE = ("cache_dir", "revision", "token", "use_auth_token", "force_download", "resume_download")
"""Arguments on how to download: there is nothing to be downloaded."""
ORGANISATIONS = ("google-bert/", "distilbert/", "FacebookAI/", "nyu-mll/")
TOLD = 30
"""Places that are reported at most."""


class Adaptations(TypedDict):
    """What is adapted: `arguments`, by call, old names with those of today ("" for none).

    `names` are those that a library had, with what took their place. `checkpoint` stands in for
    those that are not among the `known` ones.
    """

    names: dict[str, str]
    arguments: dict[str, dict[str, str]]
    checkpoint: str
    known: list[str]


def install(order: Adaptations, script: str, log: EventLog) -> None:
    """Adapt calls from now on, and stand in for absent services."""
    adapter = _Adapter(order, script, log)
    stand_ins.install(script, adapter.tell)
    call_after_import("transformers.training_args", adapter.adapt_arguments)
    call_after_import("transformers.training_args_seq2seq", adapter.adapt_arguments)
    call_after_import("transformers.trainer", adapter.adapt_trainer)
    for library, (class_name, role, instead) in LOADING.items():
        call_after_import(library, functools.partial(adapter.redirect, class_name, role, instead))
    call_after_import("datasets", adapter.adapt_datasets)
    for old, new in order["names"].items():
        library, _, name = old.partition(".")
        call_after_import(library, functools.partial(adapter.give_back, name, old, new))


class _Adapter:
    def __init__(self, order: Adaptations, script: str, log: EventLog) -> None:
        self._order = order
        self._script = script
        self._log = log
        self._told: set[tuple[str, str, str]] = set()

    def tell(self, kind: str, name: str, instead: str, line: int) -> None:
        """Report one place, once."""
        if (kind, name, instead) not in self._told and len(self._told) < TOLD:
            self._told.add((kind, name, instead))
            self._log.write(
                AdaptedEvent(event="adapted", kind=kind, name=name, instead=instead, line=line)
            )

    def _tell(self, kind: str, name: str, instead: str = "") -> None:
        frame = stand_ins.script_frame(self._script)
        self.tell(kind, name, instead, frame.f_lineno if frame is not None else 0)

    # Arguments

    def adapt_arguments(self, module: ModuleType) -> None:
        """Adapt the settings of a training: old names, reports to services, half precision."""
        for name in ("TrainingArguments", "Seq2SeqTrainingArguments"):
            made = vars(module).get(name)
            if made is not None and made.__module__ == module.__name__:
                self._adapt(made, "transformers.TrainingArguments", self._set_up_here)

    def adapt_trainer(self, module: ModuleType) -> None:
        """Adapt the arguments of the Trainer."""
        self._adapt(module.Trainer, "transformers.Trainer", lambda named: None)

    def _adapt(self, made: type[Any], call: str, further: Callable[[dict[str, Any]], None]) -> None:
        make = made.__init__
        known = inspect.signature(make).parameters
        old_names = self._order["arguments"].get(call, {})

        @functools.wraps(make)
        def adapted(self_: Any, *arguments: Any, **named: Any) -> None:
            for old in [n for n in named if n in old_names and n not in known]:
                new, value = old_names[old], named.pop(old)
                if new in known and new not in named:
                    named[new] = value
                self._tell("argument", old, new if new in known else "")
            further(named)
            make(self_, *arguments, **named)

        made.__init__ = adapted

    def _set_up_here(self, named: dict[str, Any]) -> None:
        reports = named.get("report_to")
        services = [reports] if isinstance(reports, str) else list(reports or ())
        for service in [s for s in services if s not in ("none", "all")]:
            self._tell("service", f"report_to={service}")
        named["report_to"] = "none"
        if named.get("push_to_hub"):
            named["push_to_hub"] = False
            self._tell("service", "push_to_hub")
        if named.get("fp16"):
            named["fp16"] = False
            self._tell("device", "fp16=True")

    def give_back(self, name: str, old: str, new: str, module: ModuleType) -> None:
        """Give a library a name again that it has dropped: a call of what took its place."""
        if _has(module, name):
            return

        def adapted(*arguments: Any, **named: Any) -> Any:
            self._tell("argument", old, new)
            place, _, attribute = new.rpartition(".")
            made = getattr(importlib.import_module(place), attribute)
            known = inspect.signature(made).parameters
            return made(*arguments, **{n: v for n, v in named.items() if n in known or n == "lr"})

        setattr(module, name, adapted)

    # Checkpoints and data

    def _checkpoint(self, name: Any) -> str | None:
        """Return the checkpoint to use instead of one that is missing; None where it is there."""
        if not isinstance(name, str) or os.path.isdir(name):
            return None
        short = name
        for organisation in ORGANISATIONS:
            short = short.removeprefix(organisation)
        if short in self._order["known"]:
            return None if short == name else short
        return self._order["checkpoint"]

    def redirect(self, class_name: str, role: str, instead: Any, module: ModuleType) -> None:
        """Have a class load the checkpoint that is there; `instead` is another class to do it."""
        # What is written `PreTrained` today was partly `Pretrained` before.
        made = getattr(module, class_name, None)
        made = made or getattr(module, class_name.replace("Trained", "trained"))
        load = made.from_pretrained.__func__

        @functools.wraps(load)
        def redirected(cls: Any, name: Any = None, *arguments: Any, **named: Any) -> Any:
            name = named.pop("pretrained_model_name_or_path", name)
            found = self._checkpoint(name)
            for each in NOWHERE:
                if stand_ins.script_frame(self._script) is not None:
                    named.pop(each, None)
            if found is None:
                return load(cls, name, *arguments, **named)
            if not name.endswith("/" + found):
                self._tell(role, name, found)
                other = instead(cls)
                if other is not None:
                    return other.from_pretrained(found, *arguments, **named)
            return load(cls, found, *arguments, **named)

        made.from_pretrained = classmethod(redirected)

    def adapt_datasets(self, module: ModuleType) -> None:
        """Adapt the loading of data: drop its organisation, and arguments on how to download it."""
        load = module.load_dataset

        @functools.wraps(load)
        def adapted(path: str, *arguments: Any, **named: Any) -> Any:
            for name in (*NOWHERE, "download_mode", "trust_remote_code"):
                named.pop(name, None)
            for organisation in ORGANISATIONS:
                path = path.removeprefix(organisation) if isinstance(path, str) else path
            return load(path, *arguments, **named)

        vars(module)["load_dataset"] = adapted


def _has(module: ModuleType, name: str) -> bool:
    try:
        getattr(module, name)
    except (AttributeError, ImportError):
        return False
    return True


def _auto(kind: str, cls: Any) -> Any:
    import transformers

    return getattr(transformers, f"Auto{kind}")


def _auto_model(cls: Any) -> Any:
    """Return the class that finds a checkpoint's model with the same head as this one has."""
    import transformers

    name = cls.__name__
    head = name[name.index("For") :] if "For" in name else ""
    return getattr(transformers, f"AutoModel{head}", None)


def _itself(cls: Any) -> None:
    """Return no other class: it goes by the checkpoint already."""


LOADING: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "transformers.modeling_utils": ("PreTrainedModel", "model", _auto_model),
    "transformers.models.auto.auto_factory": ("_BaseAutoModelClass", "model", _itself),
    "transformers.tokenization_utils_base": (
        "PreTrainedTokenizerBase",
        "tokenizer",
        functools.partial(_auto, "Tokenizer"),
    ),
    "transformers.models.auto.tokenization_auto": ("AutoTokenizer", "tokenizer", _itself),
    "transformers.configuration_utils": (
        "PreTrainedConfig",
        "config",
        functools.partial(_auto, "Config"),
    ),
    "transformers.models.auto.configuration_auto": ("AutoConfig", "config", _itself),
}
"""Classes that load checkpoints, by their modules: what they load, and which to load with instead,
by the class of an architecture."""
