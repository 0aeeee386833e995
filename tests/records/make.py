"""Make the stored records anew: `python tests/records/make.py LABEL [--python INTERPRETER]`.

Runs each step of the lessons and each script below under an interpreter that has the frameworks,
and keeps the run records in a folder LABEL beside this file. What a record shows is in its name:
`target-out-of-bounds.jsonl`, `no-gradients.by-hand.jsonl`; `none.*` shows no fault of the
catalogue. A name without a point, and `none.healthy`, is that of a lesson's own script.

With `--fw tf` it is the TensorFlow lesson and the scripts that need TensorFlow; `--only NAME`, as
often as it takes, makes just these records: of the stack `lowest`, the two with other words.
"""

import argparse
import json
import math
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from course.judge.verdict import should_stop
from course.lesson import lesson
from course.lesson.lesson import Part
from course.runs import hub, process
from course.runs.environment.runtime import Runtime
from course.runs.process import Enough
from course.runs.record import RunRecord
from course.runs.run_context import RunContext

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
WHOLE = 120
"""Steps that a run which stalls is watched for: enough for whatever step it will be judged at."""
LIBRARIES = {
    "pt": ("torch", "transformers", "datasets", "evaluate", "accelerate"),
    "tf": ("tensorflow", "tf_keras", "keras", "transformers", "datasets", "evaluate"),
}

SCRIPTS = {
    "dataset-from-evaluate.map": (
        "import evaluate\nraw = evaluate.load('glue', 'mnli')\nraw.map(len)\n"
    ),
    "missing-import.numpy": "np.argmax([1, 2])\n",
    "hub-unreachable.model": (
        "from transformers import AutoTokenizer\nAutoTokenizer.from_pretrained('no-such-model')\n"
    ),
    "hub-unreachable.data": ("from datasets import load_dataset\nload_dataset('no-such-data')\n"),
    "hub-unreachable.metric": "import evaluate\nevaluate.load('no-such-metric')\n",
    "size-1-array.by-hand": "import numpy as np\n[int(row) for row in np.zeros((2, 3))]\n",
    "none.own-raise": (
        "raise ValueError('You must specify exactly one of input_ids or inputs_embeds')\n"
    ),
    "none.own-class": (
        "import json\nclass ValueError(Exception): pass\n"
        "json.JSONDecoder.decode = lambda *a: (_ for _ in ()).throw(ValueError("
        "'expected sequence of length 43 at dim 1 (got 37)'))\njson.loads('1')\n"
    ),
    "none.other-library": "import json\njson.loads('Target 2 is out of bounds.')\n",
    "none.syntax": "def f(:\n",
    "none.leaves": "raise SystemExit(3)\n",
}
"""Scripts beside the PyTorch lesson. What a library raises otherwise is provoked by the scripts of
`tests/provoked/`: here are those that need the hub, and those that show no fault."""

TOY = """
import numpy as np
import tensorflow as tf
import tf_keras

x, y = np.random.rand(32, 4).astype("float32"), np.arange(32) % 3
loss = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def toy(outputs=3):
    return tf_keras.Sequential([tf_keras.Input((4,)), tf_keras.layers.Dense(outputs)])


model = toy()
"""
MODEL = """
from transformers import TFAutoModelForSequenceClassification

model = TFAutoModelForSequenceClassification.from_pretrained(
    "distilbert-base-uncased", num_labels=3
)
"""
SHIPPED = REPOSITORY / "lessons" / "hub" / "models" / "distilbert-base-uncased"

TF_SCRIPTS = {
    "no-gradients.by-hand": f"""{TOY}
optimizer, outputs = tf_keras.optimizers.Adam(), model(x)
with tf.GradientTape() as tape:
    value = loss(y, outputs)
gradients = tape.gradient(value, model.trainable_variables)
optimizer.apply_gradients(zip(gradients, model.trainable_variables))
""",
    "learning-rate-too-high.overflow": f"""{TOY}
deep = [tf_keras.layers.Dense(64) for _ in range(12)]
model = tf_keras.Sequential([tf_keras.Input((4,)), *deep, tf_keras.layers.Dense(3)])
model.compile(tf_keras.optimizers.Adam(1000.0), loss)
model.fit(100 * x, y, epochs=3)
""",
    "none.own-loss-raises": f"""{TOY}
def own(y, outputs):
    raise ValueError("No gradients provided for any variable: it is mine")

model.compile("adam", own)
model.fit(x, y)
""",
    # The words stand in a line of the learner's own, which TensorFlow quotes in its message.
    "none.words-in-a-line": f"""{TOY}
def own(y, outputs):
    return tf.matmul(y, outputs)  # Target data is missing. Your model was compiled with loss=

model.compile("adam", own)
model.fit(x, y)
""",
    "none.no-loss": f"{TOY}model.compile('adam')\nmodel.fit(x, y)\n",
    "none.loss-returns-nothing": (
        f"{TOY}model.compile('adam', lambda y, outputs: None)\nmodel.fit(x, y)\n"
    ),
    "none.cpu-out-of-memory": f"{TOY}tf.zeros([200000, 200000, 100])\n",
    "none.own-safe-open": f"""
from safetensors import safe_open

with safe_open("{SHIPPED}/model.safetensors", framework="numpy") as weights:
    for name in weights:
        pass
""",
    "none.no-weights": (f"{MODEL.replace('distilbert-base-uncased', str(SHIPPED))}").replace(
        "num_labels=3", "use_safetensors=False"
    ),
    "none.nan-in-the-data": f"""{TOY}
x[0, 0] = np.nan
model.compile("adam", loss)
model.fit(x, y, epochs=2)
""",
    "none.toy": f"{TOY}model.compile('adam', loss)\nmodel.fit(x, y, validation_data=(x, y))\n",
}
"""Scripts that need TensorFlow, beside its lesson."""


def versions(python: str, framework: str) -> dict[str, str]:
    """What is installed for an interpreter."""
    code = (
        "import importlib.metadata as m, json, platform\n"
        "found = {'python': platform.python_version()}\n"
        f"for n in {LIBRARIES[framework]!r}:\n"
        "    found[n] = m.version(n)\n"
        "print(json.dumps(found))"
    )
    out = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(out.stdout)
    return found


def wanted(framework: str, part: Part) -> dict[str, str]:
    """The scripts to run, by what they show."""
    scripts = dict(SCRIPTS if framework == "pt" else TF_SCRIPTS)
    for step in part.steps:
        if step.device != "cuda":
            scripts["none.healthy" if step.fault is None else step.id] = part.text(step.bugs)
    for variant in part.variants:
        scripts[variant.fault] = part.text((variant,))
    return scripts


def watched(part: Part) -> Enough:
    """When to stop a run: as the walk does, but a run that stalls only after many more steps."""

    def seen(record: RunRecord) -> bool:
        last, loss = record.losses[-1] if record.losses else (0, 0.0)
        return should_stop(record, part.outcome) and (last >= WHOLE or not math.isfinite(loss))

    return seen


def anywhere(line: str) -> str:
    """A line of a record without the folders of this machine."""
    for folder in (r"/site-packages/", r"/course-run-[^\"\s\\/]+/(?:run/)?"):
        line = re.sub(rf'[^"\s\\]*{folder}', "", line)
    return line.replace(f"{REPOSITORY}/", "")


def thinned(lines: Sequence[str]) -> list[str]:
    """The lines of a record without those that a later one of the same names replaces."""
    kept: dict[object, str] = {}
    for number, line in enumerate(lines):
        event = json.loads(line)
        key: object = number
        if event["event"] == "step":
            continue
        if event["event"] == "figures" and None not in event["values"].values():
            key = tuple(sorted(event["values"]))
        if event["event"] == "vitals":
            key = "vitals"
        # In the place of the last one, after all that it was written after.
        kept.pop(key, None)
        kept[key] = line
    return list(kept.values())


def main() -> None:
    """Run everything and keep the records."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("label")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--fw", choices=LIBRARIES, default="pt")
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    runtime = Runtime(options.fw, options.python, versions(options.python, options.fw))
    place = RunContext(runtime, hub.embedded(runtime))
    folder = HERE / options.label
    folder.mkdir(exist_ok=True)
    part = lesson.load("ch8-4").parts[options.fw]
    for name, script in wanted(options.fw, part).items():
        if options.only and name not in options.only:
            continue
        own = "." not in name or name == "none.healthy"
        done = place.run(process.Job(script), enough=watched(part) if own else None)
        kept = map(anywhere, thinned(done.lines))
        (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in kept))
        raised = done.record.raised
        print(f"{name}: {done.record.status}", raised.message[-200:] if raised else "")


if __name__ == "__main__":
    main()
