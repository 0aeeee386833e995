"""What lessons bring to the embedded hub: small data of their own, and how a checkpoint is made.

A lesson's folder holds `data/<name>/<split>.csv` (`.json`, `.jsonl`), or one folder more for each
configuration, and `models/<name>.toml`. Scripts find both by their names, as on the real hub.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from course.base import paths, schema, shelves
from course.base.errors import UserError
from course.base.i18n import _

FORMAT = 1
NAME = re.compile(r"[\w.-]+")
"""Names of data and checkpoints: no organisation in front."""
ENDINGS = {".csv": "csv", ".json": "json", ".jsonl": "json"}
"""How the files of data end, and the builder of `datasets` that reads them."""


@dataclass(frozen=True)
class Checkpoint:
    """How a tiny checkpoint is made: `config` of a `model_type`, pre-trained a little.

    It learns for so many `steps` from the `columns` of the training split of `data`, texts or lists
    of words, to fill in masked words, or to go on (GPT-2). Its tokenizer has at most so many pieces
    as `vocabulary` says.
    """

    data: str
    columns: tuple[str, ...]
    model_type: Literal["bert", "distilbert", "gpt2"] = "bert"
    configuration: str = ""
    cased: bool = True
    vocabulary: int = 4000
    steps: int = 300
    config: dict[str, int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Supplies:
    """The folders of data and the recipes of checkpoints, by their names."""

    data: Mapping[str, Path]
    models: Mapping[str, Path]

    def __bool__(self) -> bool:
        return bool(self.data or self.models)

    def recipes(self) -> dict[str, Checkpoint]:
        """Read the checkpoints, by their names.

        Raises:
            UserError: one can't be read; says which key of it is wrong.

        """
        return {
            name: schema.read(Checkpoint, path, FORMAT, UserError)
            for name, path in self.models.items()
        }

    def digest(self, with_: str) -> str:
        """Return a digest that changes with these files, and the tools they are made `with_`."""
        maker = paths.lessons() / "hub" / "own" / "checkpoint.py"
        whole = hashlib.sha256(maker.read_bytes() + with_.encode())
        for name, place in (*self.data.items(), *self.models.items()):
            for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
                if file.is_file():
                    where = file.relative_to(place.parent).as_posix()
                    content = hashlib.sha256(file.read_bytes()).hexdigest()
                    whole.update(f"{name}\0{where}\0{content}\0".encode())
        return whole.hexdigest()[:12]


def found() -> Supplies:
    """Find the data and models of all lessons, those that ship and those of each shelf.

    Raises:
        UserError: two bring the same name, or one that the hub has itself; or a name is none.

    """
    hub = paths.lessons() / "hub"
    data = shelves.gather("*/data/*/", lambda place: place.name)
    models = shelves.gather("*/models/*.toml", lambda place: place.stem)
    for kind, some in (("datasets", data), ("models", models)):
        for name, place in some.items():
            if not NAME.fullmatch(name):
                sentence = _("{name} cannot be the name of data or of a checkpoint. Rename {file}.")
                raise UserError(sentence.format(file=shown(place), name=f"`{name}`"))
            if (hub / kind / name).exists():
                sentence = _("{name} exists twice: {first} and {second}. Rename one of them.")
                places = {"first": _("the embedded hub"), "second": shown(place)}
                raise UserError(sentence.format(name=f"`{name}`", **places))
    return Supplies(data, models)


def configurations(place: Path) -> dict[str, dict[str, Path]]:
    """Return the data files by split, by configuration; `default` where there are no folders.

    Raises:
        UserError: there are none.

    """
    folders = {each.name: each for each in sorted(place.iterdir()) if each.is_dir()}
    splits = {
        name: {
            each.stem: each for each in sorted(folder.iterdir()) if each.suffix.lower() in ENDINGS
        }
        for name, folder in (folders or {"default": place}).items()
    }
    if not splits or not all(splits.values()):
        sentence = _(
            "{folder} has no data. Put one file for each split there, such as {example}. The "
            "format is CSV, JSON or JSON Lines."
        )
        raise UserError(sentence.format(folder=shown(place), example="`train.csv`"))
    return splits


def card(place: Path) -> str:
    """Return the README that tells `datasets` of the configurations, by its own rules.

    An author's own is taken as it is: it may tell the names of labels, too. See
    https://huggingface.co/docs/datasets/repository_structure.

    Raises:
        UserError: there are no data.

    """
    own = place / "README.md"
    if own.is_file():
        return own.read_text("utf-8")
    configs = [
        {
            "config_name": name,
            "data_files": [
                {"split": split, "path": file.relative_to(place).as_posix()}
                for split, file in splits.items()
            ],
        }
        for name, splits in configurations(place).items()
    ]
    # JSON is YAML.
    return f"---\nconfigs: {json.dumps(configs)}\n---\n"


def making(recipe: Checkpoint, folder: Path) -> str:
    """Return the script that makes a checkpoint in a folder; run where the libraries are."""
    job = {"folder": str(folder), **asdict(recipe)}
    script = paths.lessons() / "hub" / "own" / "checkpoint.py"
    return f"RECIPE = {job!r}\n{script.read_text('utf-8')}"


def shown(place: Path) -> str:
    """Return a file or folder of a lesson as a sentence names it."""
    return f"`{schema.shown(place)}`"
