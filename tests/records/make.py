"""Make the stored records anew: `python tests/records/make.py LABEL [--python INTERPRETER]`.

Runs each step of the lessons and each script below under an interpreter that has the frameworks,
and keeps the run records in a folder LABEL beside this file. What a record shows is in its name:
`target-out-of-bounds.jsonl`, `missing-input-ids.with-collator.jsonl`; `none.*` shows no fault of
the catalogue. A name without a point, and `none.healthy`, is that of a lesson's own script.

With `--fw tf` it is the TensorFlow lesson and the scripts that need TensorFlow; `--only NAME`, as
often as it takes, makes just these records.
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
    "none.other-attribute": "[].map\n",
    "none.other-name": "print(my_own_variable)\n",
    "none.not-subscriptable": "class Glued: pass\nGlued()['train']\n",
    "none.syntax": "def f(:\n",
    "none.leaves": "raise SystemExit(3)\n",
}
"""Scripts that need no framework."""

PT_SCRIPTS = {
    "length-mismatch.by-hand": "import torch\ntorch.tensor([[1, 2, 3], [4, 5]])\n",
    "target-out-of-bounds.by-hand": (
        "import torch\nfrom torch.nn.functional import cross_entropy\n"
        "cross_entropy(torch.zeros(1, 2), torch.tensor([2]))\n"
    ),
    "layer-sizes-do-not-fit.by-hand": "import torch\ntorch.zeros(2, 3) @ torch.zeros(2, 3)\n",
}

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
KERAS_3 = """
import keras
import numpy as np

x, y = np.random.rand(32, 4).astype("float32"), np.arange(32) % 3
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
"""
MODEL = """
from transformers import TFAutoModelForSequenceClassification

model = TFAutoModelForSequenceClassification.from_pretrained(
    "distilbert-base-uncased", num_labels=3
)
"""
TEXTS = f"""{MODEL}
import numpy as np
import tensorflow as tf
import tf_keras

ids, y = np.ones((32, 6), "int64"), np.arange(32) % 3
inputs = {{"input_ids": ids, "attention_mask": ids}}
loss = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def batches(data):
    return tf.data.Dataset.from_tensor_slices(data).batch(16)


"""
PAIRS = """
from datasets import Dataset

pairs = Dataset.from_dict({"input_ids": [[1, 2]] * 4, "label": [0, 1, 0, 1]})
"""
LOST = "def lost(y, outputs): return tf.reduce_mean(tf.cast(tf.argmax(outputs, -1), 'float32'))\n"
SHIPPED = REPOSITORY / "lessons" / "hub" / "models" / "distilbert-base-uncased"

TF_SCRIPTS = {
    "no-gradients.lost": f"{TOY}{LOST}model.compile('adam', lost)\nmodel.fit(x, y)\n",
    "loss-without-graph.lost-keras-3": (
        f"{KERAS_3}import tensorflow as tf\n{LOST}model.compile('adam', lost)\nmodel.fit(x, y)\n"
    ),
    "no-gradients.by-hand": f"""{TOY}
optimizer, outputs = tf_keras.optimizers.Adam(), model(x)
with tf.GradientTape() as tape:
    value = loss(y, outputs)
gradients = tape.gradient(value, model.trainable_variables)
optimizer.apply_gradients(zip(gradients, model.trainable_variables))
""",
    "no-gradients.own-step": f"""{TOY}
class Own(tf_keras.Sequential):
    def train_step(self, data):
        x, y = data
        outputs = self(x)
        with tf.GradientTape() as tape:
            value = loss(y, outputs)
        gradients = tape.gradient(value, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {{}}

model = Own([tf_keras.Input((4,)), tf_keras.layers.Dense(3)])
model.compile("adam")
model.fit(x, y)
""",
    "no-gradients.eager": f"{TOY}model.compile('adam', loss, run_eagerly=True)\nmodel.fit(x)\n",
    "no-gradients.keras-3": f"{KERAS_3}model.compile('adam', loss)\nmodel.fit(x)\n",
    "no-gradients.label-key": (
        f"{TEXTS}model.compile('adam', loss)\nmodel.fit(batches({{**inputs, 'label': y}}))\n"
    ),
    "no-gradients.own-loss": f"{TEXTS}model.compile('adam')\nmodel.fit(batches(inputs))\n",
    "no-gradients.own-loss-label-key": (
        f"{TEXTS}model.compile('adam')\nmodel.fit(batches({{**inputs, 'label': y}}))\n"
    ),
    "nan-loss.toy": f"""{TOY}
model = toy(2)
model.compile(tf_keras.optimizers.Adam(5e-5), loss, jit_compile=True)
model.fit(x, y)
""",
    "nan-loss.refused": f"{TOY}model = toy(2)\nmodel.compile('adam', loss)\nmodel.fit(x, y)\n",
    "nan-loss.refused-by-hand": f"{TOY}loss(y, toy(2)(x))\n",
    "nan-loss.refused-own-loss": f"""{TEXTS}
model = TFAutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased")
model.compile("adam")
model.fit(batches({{**inputs, "labels": y}}))
""",
    "learning-rate-too-high.overflow": f"""{TOY}
deep = [tf_keras.layers.Dense(64) for _ in range(12)]
model = tf_keras.Sequential([tf_keras.Input((4,)), *deep, tf_keras.layers.Dense(3)])
model.compile(tf_keras.optimizers.Adam(1000.0), loss)
model.fit(100 * x, y, epochs=3)
""",
    "missing-label-column.columns": (
        f"{PAIRS}pairs.to_tf_dataset(columns=['input_ids', 'labels'], batch_size=2)\n"
    ),
    "missing-label-column.label-cols": (
        f"{PAIRS}pairs.to_tf_dataset(columns='input_ids', label_cols='labels', batch_size=2)\n"
    ),
    "two-keras-versions.optimizer": (
        f"{MODEL}import keras\nmodel.compile(keras.optimizers.Adam(5e-5))\n"
    ),
    # What `tf.keras` is, is settled when it is first used: here before transformers is imported.
    "two-keras-versions.tf-keras": (
        "import tensorflow as tf\nadam = tf.keras.optimizers.Adam(5e-5)\n"
        f"{MODEL}model.compile(adam)\n"
    ),
    "two-keras-versions.other-way-round": (
        f"{KERAS_3}from transformers import AdamWeightDecay\nmodel.compile(AdamWeightDecay(5e-5))\n"
    ),
    "two-keras-versions.input": (f"{MODEL}import keras\nmodel(keras.Input((6,), dtype='int64'))\n"),
    # As where `tf_keras` is not installed.
    "two-keras-versions.no-tf-keras": f"import sys\nsys.modules['tf_keras'] = None\n{MODEL}",
    "unreadable-checkpoint.shipped": f"{MODEL.replace('distilbert-base-uncased', str(SHIPPED))}",
    "missing-import.tensorflow": "tf.constant(1)\n",
    "missing-import.keras": "model = tf_keras.Sequential()\n",
    "none.own-no-gradients": (
        "raise ValueError('No gradients provided for any variable: [...]')\n"
    ),
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
    "none.invalid-argument": f"{TOY}tf.matmul(x, x)\n",
    "token-id-out-of-range.keras": f"""{TOY}
model = tf_keras.Sequential([tf_keras.Input((4,)), tf_keras.layers.Embedding(1, 3)])
model.compile("adam", "mse")
model.fit(np.ones((32, 4)), np.ones((32, 4, 3)))
""",
    "none.cpu-out-of-memory": f"{TOY}tf.zeros([200000, 200000, 100])\n",
    "none.cpu-out-of-memory-xla": f"""{TOY}
tf.function(lambda n: tf.random.normal([200000, 200000, 100]) + n, jit_compile=True)(1.0)
""",
    "none.own-out-of-memory": f"""{TOY}
raise tf.errors.ResourceExhaustedError(
    None, None, "OOM when allocating tensor with shape[8] and type float on device:GPU:0 by me"
)
""",
    "none.key-error": "{'label': 1}['labels']\n",
    "none.other-column": f"{PAIRS}pairs.to_tf_dataset(columns=['inputs'], batch_size=2)\n",
    "none.other-optimizer": f"{TOY}model.compile(3)\n",
    "none.unknown-optimizer": f"{TOY}model.compile('adamw8bit')\n",
    "none.own-keras-words": (
        "raise ValueError('Your currently installed version of Keras is Keras 3, but this is '\n"
        "    'not yet supported in Transformers.')\n"
    ),
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
"""Scripts that need TensorFlow."""


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
    scripts = SCRIPTS | (PT_SCRIPTS if framework == "pt" else TF_SCRIPTS)
    for step in part.steps:
        if step.device != "cuda":
            scripts["none.healthy" if step.fault is None else step.id] = part.text(step.bugs)
    for variant in part.variants:
        scripts[variant.fault] = part.text((variant,))
    if framework == "pt":
        collated = tuple(b for b in part.bugs if b.fault != "length-mismatch")
        scripts["missing-input-ids.with-collator"] = part.text(collated)
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
