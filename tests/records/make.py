"""Make the stored records anew: `python tests/records/make.py LABEL [--python INTERPRETER]`.

Runs each step of the lessons and each script below under an interpreter that has the frameworks,
and keeps the run records in a folder LABEL beside this file. What a record shows is in its name:
`target-out-of-bounds.jsonl`, `missing-input-ids.with-collator.jsonl`; `none.*` shows no fault of
the catalogue.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from course.lesson import lesson
from course.run import hub, process
from course.run.runtime import Runtime

HERE = Path(__file__).parent

SCRIPTS = {
    "dataset-from-evaluate.map": (
        "import evaluate\nraw = evaluate.load('glue', 'mnli')\nraw.map(len)\n"
    ),
    "dataset-from-evaluate.subscript": (
        "import evaluate\nraw = evaluate.load('glue', 'mnli')\nraw['train']\n"
    ),
    "missing-import.evaluate": "from datasets import load_dataset\nevaluate.load('glue')\n",
    "missing-import.numpy": "np.argmax([1, 2])\n",
    "hub-unreachable.model": (
        "from transformers import AutoTokenizer\nAutoTokenizer.from_pretrained('no-such-model')\n"
    ),
    "hub-unreachable.data": ("from datasets import load_dataset\nload_dataset('no-such-data')\n"),
    "hub-unreachable.metric": "import evaluate\nevaluate.load('no-such-metric')\n",
    "length-mismatch.by-hand": "import torch\ntorch.tensor([[1, 2, 3], [4, 5]])\n",
    "target-out-of-bounds.by-hand": (
        "import torch\nfrom torch.nn.functional import cross_entropy\n"
        "cross_entropy(torch.zeros(1, 2), torch.tensor([2]))\n"
    ),
    "size-1-array.by-hand": "import numpy as np\n[int(row) for row in np.zeros((2, 3))]\n",
    "none.own-raise": (
        "raise ValueError('You must specify exactly one of input_ids or inputs_embeds')\n"
    ),
    "none.own-index-error": "raise IndexError('Target 2 is out of bounds.')\n",
    "none.own-class": (
        "import json\nclass ValueError(Exception): pass\n"
        "json.JSONDecoder.decode = lambda *a: (_ for _ in ()).throw(ValueError("
        "'expected sequence of length 43 at dim 1 (got 37)'))\njson.loads('1')\n"
    ),
    "none.other-library": "import json\njson.loads('Target 2 is out of bounds.')\n",
    "none.cuda-words-on-cpu": "raise RuntimeError('CUDA error: CUBLAS_STATUS_ALLOC_FAILED')\n",
    "none.other-shapes": "import torch\ntorch.zeros(2, 3) @ torch.zeros(2, 3)\n",
    "none.other-attribute": "[].map\n",
    "none.other-name": "print(my_own_variable)\n",
    "none.not-subscriptable": "class Glued: pass\nGlued()['train']\n",
    "none.syntax": "def f(:\n",
    "none.leaves": "raise SystemExit(3)\n",
}


def versions(python: str) -> dict[str, str]:
    """What is installed for an interpreter."""
    code = (
        "import importlib.metadata as m, json, platform\n"
        "found = {'python': platform.python_version()}\n"
        "for n in ('torch', 'transformers', 'datasets', 'evaluate', 'accelerate'):\n"
        "    found[n] = m.version(n)\n"
        "print(json.dumps(found))"
    )
    out = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(out.stdout)
    return found


def main() -> None:
    """Run everything and keep the records."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("label")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    runtime = Runtime("pt", options.python, versions(options.python))
    home = hub.embedded(runtime)
    environment = {**home.environment, **home.pace}
    folder = HERE / options.label
    folder.mkdir(exist_ok=True)
    part = lesson.load("ch8-4").parts["pt"]
    scripts = dict(SCRIPTS)
    for step in part.steps:
        if step.device != "cuda":
            scripts["none.healthy" if step.fault is None else step.id] = part.text(step.bugs)
    collated = tuple(b for b in part.bugs if b.fault != "length-mismatch")
    scripts["missing-input-ids.with-collator"] = part.text(collated)
    for name, script in scripts.items():
        done = process.run(runtime, process.Job(script), environment=environment)
        kept = [line for line in done.lines if '"event": "step"' not in line]
        (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in kept))
        print(f"{name}: {done.record.status} {done.record.raised and done.record.raised.message!r}")


if __name__ == "__main__":
    main()
