"""Makes everything under lessons/hub from nothing: ``python lessons/hub/make [data|checkpoint]``.

The data come out byte for byte the same each time.  A checkpoint is made with a fixed seed on
one thread; another processor or another torch may round differently in the last places.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import itertools
import json
import math
import platform
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import paraphrases
import sentences

HUB = Path(__file__).resolve().parent.parent
DATA = HUB / "datasets" / "glue"
MODELS = HUB / "models"
SEED = 42


@dataclass(frozen=True)
class Task:
    """A configuration of the dataset: the module that makes its pairs, and its text columns."""

    source: ModuleType
    texts: tuple[str, str]
    # The labels of MNLI's test splits are kept back, those of MRPC's are not.
    tested: bool


TASKS = {
    "mnli": Task(sentences, ("premise", "hypothesis"), tested=False),
    "mrpc": Task(paraphrases, ("sentence1", "sentence2"), tested=True),
}


@dataclass(frozen=True)
class Recipe:
    """How a checkpoint is made: what for, how it reads, and how long it learns."""

    kind: str  # a function of checkpoint.py
    task: str
    steps: int
    rate: float
    cased: bool = False
    everyday_first: bool = False
    quick_pooler: bool = False  # see checkpoint.rescale_pooler


RECIPES = {
    "distilbert-base-uncased": Recipe("distilbert", "mnli", steps=1800, rate=1e-3),
    "bert-base-uncased": Recipe(
        "bert", "mrpc", steps=500, rate=2e-3, everyday_first=True, quick_pooler=True
    ),
    "bert-base-cased": Recipe("bert", "mrpc", steps=600, rate=2e-3, cased=True, quick_pooler=True),
}
SHRINK = 1 / 16  # see checkpoint.rescale


def _write(path: Path, text: str) -> None:
    """UTF-8 with plain line ends, on every system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def make_data() -> None:
    """Return the files of each task, one JSON object a line."""
    for name, task in TASKS.items():
        for split, pairs in task.source.splits(SEED).items():
            hidden = split.startswith("test") and not task.tested
            lines = [
                json.dumps(
                    {
                        **{column: getattr(pair, column) for column in task.texts},
                        "label": -1 if hidden else pair.label,
                        "idx": idx,
                    }
                )
                for idx, pair in enumerate(pairs)
            ]
            _write(DATA / name / f"{split}.jsonl", "\n".join(lines) + "\n")
            print(f"{name}/{split}: {len(pairs)} pairs")


def make_checkpoint(name: str) -> None:
    """Vocabulary, pre-training, rescaling; a few minutes."""
    import checkpoint
    import torch

    torch.set_num_threads(1)  # sums in one order, so that the same machine repeats itself
    recipe = RECIPES[name]
    task = TASKS[recipe.task]
    kept_back = {
        getattr(pair, task.texts[0])
        for split, pairs in task.source.splits(SEED).items()
        if split != "train"
        for pair in pairs
    }
    some = itertools.islice(task.source.passages(SEED, kept_back), 20_000)
    vocab = checkpoint.vocabulary(
        (text for p in some for text in (p.first, p.second)),
        cased=recipe.cased,
        everyday_first=recipe.everyday_first,
    )
    encode = checkpoint.tokenizer(vocab, cased=recipe.cased)
    start = time.monotonic()
    torch.manual_seed(SEED)
    model = getattr(checkpoint, recipe.kind)(vocab)
    texts = task.source.passages(SEED, kept_back)
    checkpoint.pretrain(
        model, texts, encode, vocab, task.source.TELLING, steps=recipe.steps, rate=recipe.rate
    )
    before = checkpoint.outputs(model, encode)
    checkpoint.rescale(model, SHRINK)
    if recipe.quick_pooler:
        checkpoint.rescale_pooler(model, SHRINK)
    change = (checkpoint.outputs(model, encode) - before).abs().max().item()
    print(
        f"pre-trained in {time.monotonic() - start:.0f} s; rescaling moved outputs by {change:.1e}"
    )
    if change > 1e-4:
        raise SystemExit("Rescaling changed what the model computes; nothing was written.")
    checkpoint.save(model, encode, vocab, MODELS / name, cased=recipe.cased)


def make_manifest() -> None:
    """List what ships, with checksums and sizes in bytes, and what it was made with."""
    shipped = sorted(
        path
        for part in ("datasets", "metrics", "models")
        for path in (HUB / part).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    files = {
        path.relative_to(HUB).as_posix(): {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "bytes": path.stat().st_size,
        }
        for path in shipped
    }
    tasks = {
        name: {
            "pairs": {
                path.stem: path.read_bytes().count(b"\n")
                for path in sorted((DATA / name).glob("*.jsonl"))
            }
        }
        for name in TASKS
    }
    manifest = {
        "format": 1,
        "seed": SEED,
        "made_with": {
            "python": platform.python_version(),
            **{
                name: importlib.metadata.version(name)
                for name in ("torch", "transformers", "tokenizers", "numpy")
            },
        },
        "models": {
            path.parent.name: {"parameters": _parameters(path)}
            for path in sorted(MODELS.glob("*/model.safetensors"))
        },
        "datasets": {"glue": tasks},
        "files": files,
    }
    _write(HUB / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    print(f"{len(files)} files, {sum(f['bytes'] for f in files.values()) / 1e6:.2f} MB")


def _parameters(path: Path) -> int:
    """How many numbers a safetensors file holds, read from its header."""
    raw = path.read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    shapes = [entry["shape"] for name, entry in header.items() if name != "__metadata__"]
    return sum(math.prod(shape) for shape in shapes)


def main() -> None:
    """Make what was asked for, and in any case the manifest of all there is."""
    parser = argparse.ArgumentParser(prog="python lessons/hub/make", description=__doc__)
    parts = ("all", "data", "checkpoint", "manifest")
    parser.add_argument("part", nargs="?", choices=parts, default="all")
    parser.add_argument("--only", choices=RECIPES, help="make this checkpoint and no other")
    asked = parser.parse_args()
    if asked.part in ("all", "data"):
        make_data()
    if asked.part in ("all", "checkpoint"):
        for name in [asked.only] if asked.only else RECIPES:
            print(name)
            make_checkpoint(name)
    make_manifest()


if __name__ == "__main__":
    main()
