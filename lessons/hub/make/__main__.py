"""Makes everything under lessons/hub from nothing: ``python lessons/hub/make [data|checkpoint]``.

The data come out byte for byte the same each time.  The checkpoint is made with a fixed seed on
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
from pathlib import Path

import sentences

HUB = Path(__file__).resolve().parent.parent
DATA = HUB / "datasets" / "glue"
MODEL = HUB / "models" / "distilbert-base-uncased"
SEED = 42


def _write(path: Path, text: str) -> None:
    """UTF-8 with plain line ends, on every system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def make_data() -> None:
    """The five files of ``mnli``, one JSON object a line."""
    for split, pairs in sentences.splits(SEED).items():
        lines = [
            json.dumps(
                {
                    "premise": pair.premise,
                    "hypothesis": pair.hypothesis,
                    "label": -1 if split.startswith("test") else pair.label,
                    "idx": idx,
                }
            )
            for idx, pair in enumerate(pairs)
        ]
        _write(DATA / "mnli" / f"{split}.jsonl", "\n".join(lines) + "\n")
        print(f"mnli/{split}: {len(pairs)} pairs")


def make_checkpoint() -> None:
    """Vocabulary, pre-training, rescaling; about three minutes."""
    import checkpoint
    import torch

    torch.set_num_threads(1)  # sums in one order, so that the same machine repeats itself
    kept_back = {
        pair.premise
        for split, pairs in sentences.splits(SEED).items()
        if split != "train"
        for pair in pairs
    }
    some = itertools.islice(sentences.passages(SEED, kept_back), 20_000)
    vocab = checkpoint.vocabulary(text for p in some for text in (p.first, p.second))
    encode = checkpoint.tokenizer(vocab)
    start = time.monotonic()
    model = checkpoint.pretrain(
        sentences.passages(SEED, kept_back), encode, vocab, sentences.TELLING, seed=SEED
    )
    before = checkpoint.outputs(model, encode)
    checkpoint.rescale(model)
    change = (checkpoint.outputs(model, encode) - before).abs().max().item()
    print(
        f"pre-trained in {time.monotonic() - start:.0f} s; rescaling moved outputs by {change:.1e}"
    )
    if change > 1e-4:
        raise SystemExit("Rescaling changed what the model computes; nothing was written.")
    checkpoint.save(model, encode, vocab, MODEL)


def make_manifest() -> None:
    """What ships, with checksums and sizes in bytes, and what it was made with."""
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
    pairs = {
        path.stem: path.read_bytes().count(b"\n")
        for path in sorted((DATA / "mnli").glob("*.jsonl"))
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
            for path in sorted((HUB / "models").glob("*/model.safetensors"))
        },
        "datasets": {"glue": {"mnli": {"pairs": pairs}}},
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
    """Make what was asked for, and the manifest of all there is."""
    parser = argparse.ArgumentParser(prog="python lessons/hub/make", description=__doc__)
    parser.add_argument("part", nargs="?", choices=("all", "data", "checkpoint"), default="all")
    part = parser.parse_args().part
    if part in ("all", "data"):
        make_data()
    if part in ("all", "checkpoint"):
        make_checkpoint()
    make_manifest()


if __name__ == "__main__":
    main()
