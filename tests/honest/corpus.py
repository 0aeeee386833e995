"""Honest submissions as students write them, each with the mark that a careful teacher would give.

They are the healthy scripts of the lessons, changed by variations: other ways to do the same, and
what else stands in students' scripts. All of them get full marks, but where something is taken off
(`off`) and the reason stands beside it. Several variations of different aspects go together.
"""

import io
import itertools
import json
import random
import textwrap
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from course.lesson import lesson

Change = Callable[[str], str]


@dataclass(frozen=True)
class Variation:
    """A change to the healthy script of a lesson: of which `aspect`, and what it takes `off`.

    `lessons` are those that it fits, as `lesson framework`.
    """

    id: str
    aspect: str
    change: Change
    lessons: tuple[str, ...]
    off: float = 0.0
    why: str = ""


@dataclass(frozen=True)
class HonestSubmission:
    """A submission with its mark: `content` in a file called `name`."""

    id: str
    lesson: str
    framework: str
    name: str
    content: bytes
    score: float
    of: float
    why: str = ""


QUESTIONS_PT, QUESTIONS_TF = "ch8-4 pt", "ch8-4 tf"
TRAINERS = (QUESTIONS_PT, "ch3-3 pt")
LOOPS = ("ch3-2 pt", "ch3-4 pt")
TORCH = (*TRAINERS, *LOOPS)
ALL = (*TORCH, "ch3-4-accelerate pt", QUESTIONS_TF)


def swap(*pairs: tuple[str, str]) -> Change:
    """Replace each old text, which must be there, by a new one."""

    def change(text: str) -> str:
        for old, new in pairs:
            if old not in text:
                raise ValueError(f"{old!r} does not stand in the script")
            text = text.replace(old, new)
        return text

    return change


def first(new: str) -> Change:
    """Put lines before the script."""
    return lambda text: new + text


def last(new: str) -> Change:
    """Put lines after the script."""
    return lambda text: text + new


def both(*changes: Change) -> Change:
    """Make one change after the other."""

    def change(text: str) -> str:
        for each in changes:
            text = each(text)
        return text

    return change


def after_imports(new: str) -> Change:
    """Put lines before the first call of the script, where all is imported."""

    def change(text: str) -> str:
        at = text.index("\nset_seed(") if "\nset_seed(" in text else text.index("\nraw = ")
        return text[:at] + "\n" + new + text[at:]

    return change


def in_function(head: str, tail: str, spaces: int = 4) -> Change:
    """Put the whole script into a function or a method."""
    return lambda text: head + textwrap.indent(text, " " * spaces) + tail


def _setting(line: str) -> Change:
    """One more argument of TrainingArguments."""
    return swap(('    report_to="none",\n', f'    report_to="none",\n    {line},\n'))


IMPORT = "import evaluate\n"
DATASETS = "from datasets import load_dataset\n"
COLLATOR = "data_collator=DataCollatorWithPadding(tokenizer=tokenizer)"
MODEL = "AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)"
COMPUTE = "return metric.compute(predictions=logits.argmax(axis=-1), references=labels)"
MAP = "tokenized = raw.map(tokenize, batched=True)\n"
LOAD = 'metric = evaluate.load("glue", "mnli")\n'
TRAIN = "trainer.train()\n"

COLLATE_PAD_SEQUENCE = """
from torch.nn.utils.rnn import pad_sequence


def collate(rows):
    ids = pad_sequence([torch.tensor(r["input_ids"]) for r in rows], batch_first=True)
    mask = pad_sequence([torch.tensor(r["attention_mask"]) for r in rows], batch_first=True)
    labels = torch.tensor([r["label"] for r in rows])
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}
"""
COLLATE_BY_HAND = """

def collate(rows):
    longest = max(len(row["input_ids"]) for row in rows)
    batch = {"input_ids": [], "attention_mask": [], "labels": []}
    for row in rows:
        missing = longest - len(row["input_ids"])
        batch["input_ids"].append(row["input_ids"] + [tokenizer.pad_token_id] * missing)
        batch["attention_mask"].append(row["attention_mask"] + [0] * missing)
        batch["labels"].append(row["label"])
    return {name: torch.tensor(values) for name, values in batch.items()}
"""
COLLATE_TOKENIZES = """

def collate(rows):
    firsts, seconds = [r["premise"] for r in rows], [r["hypothesis"] for r in rows]
    batch = tokenizer(firsts, seconds, truncation=True, padding=True, return_tensors="pt")
    batch["labels"] = torch.tensor([row["label"] for row in rows])
    return batch
"""
OWN_MODEL = """

class PairClassifier(nn.Module):
    def __init__(self, name, labels):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(name)
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(self.encoder.config.hidden_size, labels)

    def forward(self, input_ids, attention_mask, labels=None):
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask)
        logits = self.head(self.dropout(states.last_hidden_state[:, 0]))
        if labels is None:
            return SequenceClassifierOutput(logits=logits)
        loss = nn.functional.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)


model = PairClassifier(checkpoint, 3)
"""
LOOP = """
import torch
from torch.optim import AdamW
from torch.utils.data import DataLoader

columns = ["premise", "hypothesis", "idx"]
ready = tokenized.remove_columns(columns).rename_column("label", "labels")
pad = DataCollatorWithPadding(tokenizer=tokenizer)
train_loader = DataLoader(ready["train"], shuffle=True, batch_size=8, collate_fn=pad)
eval_loader = DataLoader(ready["validation_matched"], batch_size=16, collate_fn=pad)
model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
optimizer = AdamW(model.parameters(), lr=5e-5)
for epoch in range(1):
    model.train()
    for batch in train_loader:
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
{evaluation}
"""
LOOP_BY_EVALUATE = """
metric = evaluate.load("glue", "mnli")
model.eval()
for batch in eval_loader:
    with torch.no_grad():
        answers = model(**batch).logits.argmax(dim=-1)
    metric.add_batch(predictions=answers, references=batch["labels"])
print(metric.compute())
"""
LOOP_BY_HAND = """
model.eval()
right = seen = 0
with torch.no_grad():
    for batch in eval_loader:
        answers = model(**batch).logits.argmax(dim=-1)
        right += int((answers == batch["labels"]).sum())
        seen += len(answers)
print(f"accuracy: {right / seen:.4f}")
"""


def _loop(evaluation: str) -> Change:
    """The rest of the script from the model on, as a loop by hand."""

    def change(text: str) -> str:
        at = text.index("# %% [markdown]\n# ## The model and")
        start = text[:at].replace("    Trainer,\n    TrainingArguments,\n", "")
        return start + LOOP.format(evaluation=evaluation)

    return change


def _metric(body: str, imports: str = "") -> Change:
    """Another way to compute the accuracy."""
    changes = [swap((COMPUTE, body), (LOAD, ""))]
    changes += [swap((DATASETS, DATASETS + imports))] if imports else []
    return both(*changes)


def _collator(function: str, *more: tuple[str, str]) -> Change:
    """A collate function of one's own."""
    return both(
        swap((COLLATOR, "data_collator=collate"), (MAP, MAP + function), *more),
        swap((DATASETS, DATASETS + "import torch\n")),
    )


def _variations() -> Iterator[Variation]:
    one = (QUESTIONS_PT,)
    tokenize = "truncation=True)"
    raw_rows = (('tokenized["', 'raw["'), ('    report_to="none",\n',
                 '    report_to="none",\n    remove_unused_columns=False,\n'))  # fmt: skip
    padding: dict[str, Change] = {
        "pads-to-fixed-length": both(
            swap((tokenize, 'truncation=True, padding="max_length", max_length=48)')),
            swap((f"    {COLLATOR},\n", "")),
        ),
        "pads-in-map-and-batch": swap((tokenize, "truncation=True, padding=True)")),
        "truncates": swap((tokenize, "truncation=True, max_length=32)")),
        "multiple-of-eight": swap((COLLATOR, COLLATOR[:-1] + ", pad_to_multiple_of=8)")),
        "pads-to-longest": swap((COLLATOR, COLLATOR[:-1] + ', padding="longest")')),
        "processing-class": swap((COLLATOR, "processing_class=tokenizer")),
        "old-tokenizer-argument": swap((COLLATOR, "tokenizer=tokenizer")),
        "collates-by-hand": _collator(COLLATE_BY_HAND),
        "pad-sequence": _collator(COLLATE_PAD_SEQUENCE),
        "collates-by-lambda": swap(
            (COLLATOR, 'data_collator=lambda rows: tokenizer.pad([{"input_ids": r["input_ids"], '
             '"attention_mask": r["attention_mask"], "labels": r["label"]} for r in rows], '
             'return_tensors="pt")')
        ),
        "tokenizes-in-collate": _collator(COLLATE_TOKENIZES, *raw_rows),
        "removes-columns": swap((MAP, MAP.replace(
            "batched=True",
            'batched=True, remove_columns=["premise", "hypothesis", "idx"]'))),
        "torch-format": swap((MAP, MAP + 'tokenized = tokenized.with_format("torch")\n')),
        "renames-label": swap(
            (MAP, MAP + 'tokenized = tokenized.rename_column("label", "labels")\n')),
        "row-by-row": swap((MAP, "tokenized = raw.map(tokenize)\n")),
    }  # fmt: skip
    numpy = "import numpy as np\n"
    metric: dict[str, Change] = {
        "argmax-numpy": swap((COMPUTE, COMPUTE.replace(
            "logits.argmax(axis=-1)", "np.argmax(logits, axis=1)")), (DATASETS, DATASETS + numpy)),
        "argmax-torch": swap((COMPUTE, COMPUTE.replace(
            "logits.argmax(axis=-1)", "torch.tensor(logits).argmax(-1)")),
            (DATASETS, DATASETS + "import torch\n")),
        "argmax-in-loop": swap((COMPUTE, COMPUTE.replace(
            "logits.argmax(axis=-1)", "[max(range(3), key=lambda i: row[i]) for row in logits]"))),
        "argmax-of-softmax": swap((COMPUTE, COMPUTE.replace("logits.argmax(axis=-1)",
            "torch.softmax(torch.tensor(logits), -1).argmax(-1)")),
            (DATASETS, DATASETS + "import torch\n")),
        "accuracy-by-hand": _metric(
            'return {"accuracy": float((logits.argmax(-1) == labels).mean())}'),
        "accuracy-in-loop": _metric(
            'right = sum(int(row.argmax() == label) for row, label in zip(logits, labels))\n'
            '    return {"accuracy": right / len(labels)}'),
        "accuracy-by-sklearn": _metric(
            'return {"accuracy": accuracy_score(labels, logits.argmax(-1))}',
            "from sklearn.metrics import accuracy_score\n"),
        "accuracy-and-f1-by-sklearn": _metric(
            'answers = logits.argmax(-1)\n'
            '    return {"accuracy": accuracy_score(labels, answers), '
            '"f1": f1_score(labels, answers, average="macro")}',
            "from sklearn.metrics import accuracy_score, f1_score\n"),
        "evaluate-accuracy": swap((LOAD, 'metric = evaluate.load("accuracy")\n')),
        "evaluate-two": swap(
            (LOAD, 'metric = evaluate.load("accuracy")\nf1 = evaluate.load("f1")\n'),
            (COMPUTE, 'answers = logits.argmax(axis=-1)\n'
             '    found = metric.compute(predictions=answers, references=labels)\n'
             '    found |= f1.compute(predictions=answers, references=labels, average="macro")\n'
             '    return found')),
        "evaluate-other-name": swap((IMPORT, "import evaluate as ev\n"),
            ("evaluate.load", "ev.load")),
        "loads-where-it-computes": swap((LOAD, ""), (COMPUTE,
            'scorer = evaluate.load("glue", "mnli")\n    '
            + COMPUTE.replace("metric.compute", "scorer.compute"))),
        "named-fields": swap(("    logits, labels = prediction\n",
            "    logits = prediction.predictions\n    labels = prediction.label_ids\n")),
    }  # fmt: skip
    config = "AutoModelForSequenceClassification,\n"
    labels: dict[str, Change] = {
        "id2label": swap((MODEL, MODEL.replace(
            "num_labels=3", 'id2label={0: "follows", 1: "neither", 2: "contradicts"}'))),
        "labels-by-config": swap((f"model = {MODEL}",
            "config = AutoConfig.from_pretrained(checkpoint, num_labels=3)\nmodel = "
            + MODEL.replace("num_labels=3", "config=config")), ("    " + config,
            "    AutoConfig,\n    " + config)),
        "labels-by-features": swap((MODEL, MODEL.replace(
            "num_labels=3", 'num_labels=raw["train"].features["label"].num_classes'))),
        "labels-by-set": swap((MODEL, MODEL.replace(
            "num_labels=3", 'num_labels=len(set(raw["train"]["label"]))'))),
        "own-model": both(swap((f"model = {MODEL}\n", OWN_MODEL), ("    " + config,
            "    AutoModel,\n")), swap((DATASETS, DATASETS + "from torch import nn\n"
            "from transformers.modeling_outputs import SequenceClassifierOutput\n"))),
        "class-by-name": swap((MODEL, MODEL.replace("AutoModel", "DistilBert")),
            ("    " + config, "    DistilBertForSequenceClassification,\n")),
        "bert": swap(('"distilbert-base-uncased"', '"bert-base-uncased"')),
        "roberta": swap(('"distilbert-base-uncased"', '"roberta-base"')),
        "with-organisation": swap(('"distilbert-', '"distilbert/distilbert-')),
        "freezes-embeddings": swap((f"model = {MODEL}\n", f"model = {MODEL}\n"
            "for parameter in model.distilbert.embeddings.parameters():\n"
            "    parameter.requires_grad = False\n")),
    }  # fmt: skip
    for aspect, group in (("padding", padding), ("metric", metric), ("labels", labels)):
        for name, change in group.items():
            yield Variation(name, aspect, change, one)
    yield Variation("loop-by-evaluate", "whole", _loop(LOOP_BY_EVALUATE), one)
    yield Variation("loop-by-hand", "whole", _loop(LOOP_BY_HAND), one)
    yield from _settings()
    yield from _surroundings()
    yield from _forms()
    yield from _keras()


def _settings() -> Iterator[Variation]:
    lines = {
        "warmup-ratio": "warmup_ratio=0.1",
        "overwrites": "overwrite_output_dir=True",
        "steps-logged": "logging_steps=50",
        "cosine": 'lr_scheduler_type="cosine"',
        "accumulates": "gradient_accumulation_steps=2",
        "not-half": "fp16=False",
        "half": "fp16=True",
        "no-cuda": "no_cuda=True",
        "old-logging-folder": 'logging_dir="logs"',
        "seeded": "seed=7",
        "label-smoothing": "label_smoothing_factor=0.05",
    }
    for name, line in lines.items():
        yield Variation(name, "setting", _setting(line), TRAINERS)
    by_name = swap(("eval_strategy", "evaluation_strategy"))
    yield Variation("old-eval-strategy", "setting", by_name, (QUESTIONS_PT,))
    services = {"wandb": '"wandb"', "two-services": '["wandb", "tensorboard"]', "all": '"all"'}
    for name, service in services.items():
        change = swap(('report_to="none"', f"report_to={service}"))
        yield Variation(f"reports-to-{name}", "setting", change, TRAINERS)
    saves = swap(('save_strategy="no"', 'save_strategy="epoch",\n    load_best_model_at_end=True'))
    yield Variation("saves-the-best", "setting", saves, (QUESTIONS_PT,))
    rate = swap(("learning_rate=2e-5", "learning_rate=5e-5"))
    yield Variation("other-rate", "setting", rate, (QUESTIONS_PT,))
    batches = _setting("per_device_train_batch_size=16,\n    per_device_eval_batch_size=32")
    yield Variation("other-batches", "setting", batches, (QUESTIONS_PT,))
    early = both(
        saves,
        swap(("    Trainer,\n", "    EarlyStoppingCallback,\n    Trainer,\n")),
        swap((f"    {COLLATOR},\n", f"    {COLLATOR},\n    "
              "callbacks=[EarlyStoppingCallback(early_stopping_patience=2)],\n")),
    )  # fmt: skip
    yield Variation("stops-early", "setting", early, (QUESTIONS_PT,))


SURROUNDINGS = {
    "asks-for-the-gpu": 'import subprocess\n\ntry:\n    subprocess.run(["nvidia-smi"])\n'
    'except OSError:\n    print("no GPU")\n',
    "installs": 'import os\n\nos.system("pip install -q evaluate")\n',
    "threads": "import threading\nimport time\n\n"
    "threading.Thread(target=time.sleep, args=(0.1,), daemon=True).start()\n",
    "executor": "from concurrent.futures import ThreadPoolExecutor\n\n"
    "with ThreadPoolExecutor(2) as pool:\n    print(list(pool.map(len, ['a', 'bb'])))\n",
    "signals": "import signal\n\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n",
    "members": "import inspect\nimport math\n\nprint(len(inspect.getmembers(math)))\n",
    "logs": "import logging\n\nlogging.basicConfig(level=logging.INFO)\n"
    "logger = logging.getLogger(__name__)\nlogger.info('begins')\n",
    "warns-not": "import warnings\n\nwarnings.filterwarnings('ignore')\n",
    "seeds": "import random\n\nimport numpy\n\nrandom.seed(1)\nnumpy.random.seed(1)\n",
    "clock": "import time\n\nbegan = time.perf_counter()\n",
    "environment": "import os\n\nos.environ['TOKENIZERS_PARALLELISM'] = 'false'\n"
    "os.environ['WANDB_DISABLED'] = 'true'\n",
    "arguments": "import argparse\n\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--rate', type=float, default=2e-5)\noptions = parser.parse_args()\n",
    "dataclass": "from dataclasses import dataclass\n\n\n@dataclass\nclass Settings:\n"
    "    rate: float = 2e-5\n    epochs: int = 3\n\n\nsettings = Settings()\n",
    "chinese": "# 这是我的作业，先检查环境。\n名字 = '小明'\nprint(f'学生：{名字}')\n",
    "russian": "# Моё решение: сначала проверим окружение.\n"
    "имя = 'Иван'\nprint(f'Студент: {имя}')\n",
    "plots": "import matplotlib.pyplot as plt\n\nfig, ax = plt.subplots()\nax.plot([1, 2])\n"
    "plt.savefig('curve.png')\nplt.show()\n",
    "colab": "from google.colab import drive\n\ndrive.mount('/content/drive')\n",
    "wandb": "import wandb\n\nwandb.login()\nrun = wandb.init(project='homework')\n",
    "logs-in": "from huggingface_hub import login\n\nlogin()\n",
    "type-hints": "from typing import Any, Optional\n\nname: Optional[str] = None\n"
    "found: dict[str, Any] = {}\n",
    "files": "from pathlib import Path\n\nPath('notes.txt').write_text('begun')\n",
    "progress": "from tqdm.auto import tqdm\n\nfor _ in tqdm(range(3)):\n    pass\n",
    "pickles": "import pickle\n\nwith open('seen.pkl', 'wb') as stream:\n"
    "    pickle.dump({'labels': [0, 1, 2]}, stream)\n    pickle.dump('more', stream)\n"
    "with open('seen.pkl', 'rb') as stream:\n    print(pickle.load(stream), pickle.load(stream))\n"
    "assert pickle.loads(pickle.dumps([1])) == [1]\n",
    "at-exit": "import atexit\nimport time\n\nstarted = time.time()\n"
    "atexit.register(lambda: print('took', time.time() - started))\n",
    "doctests": 'import doctest\n\n\ndef share(right, of):\n    """The share.\n\n'
    '    >>> share(1, 4)\n    0.25\n    """\n    return right / of\n\n\n'
    "assert doctest.testmod().failed == 0\n",
    "configured-logging": "import logging.config\nimport sys\n\n\n"
    "class Brief(logging.Formatter):\n    def format(self, record):\n"
    "        return record.getMessage()[:80]\n\n\nlogging.config.dictConfig({\n"
    "    'version': 1, 'disable_existing_loggers': False,\n"
    "    'formatters': {'brief': {'()': Brief}, 'plain': {'format': '%(message)s'}},\n"
    "    'handlers': {\n"
    "        'out': {'class': 'logging.StreamHandler', 'stream': 'ext://sys.stdout',\n"
    "                'formatter': 'brief'},\n"
    "        'file': {'class': 'logging.FileHandler', 'filename': 'run.log',\n"
    "                 'formatter': 'plain'}},\n"
    "    'root': {'level': 'INFO', 'handlers': ['out', 'file']}})\n"
    "logging.getLogger('homework').info('begins')\nassert open('run.log').read()\n",
    "logging-anew": "import importlib\nimport logging\n\nimportlib.reload(logging)\n"
    "logging.basicConfig(level=logging.INFO)\n",
    "profiles": "import cProfile\n\ncProfile.run('sum(range(100))', 'profile.out')\n",
    "own-memory": "try:\n    print(open('/proc/self/status').read())\nexcept OSError:\n"
    "    print('no such file')\n",
    "sympy": "try:\n    import sympy\nexcept ImportError:\n    sympy = None\n",
    "version": "import platform\nimport sys\n\nprint(sys.version, platform.platform())\n",
}


def _surroundings() -> Iterator[Variation]:
    for name, lines in SURROUNDINGS.items():
        for_all = first(lines)
        yield Variation(name, f"around {name}", for_all, ALL)


def _forms() -> Iterator[Variation]:
    main = in_function("def main():\n", '\n\nif __name__ == "__main__":\n    main()\n')
    yield Variation("main-guard", "form", main, TORCH)
    method = in_function(
        "class Homework:\n    def run(self):\n", "\n\nHomework().run()\n", spaces=8
    )
    yield Variation("in-class", "form", method, (QUESTIONS_PT,))
    raises = swap((TRAIN, "try:\n    trainer.train()\nexcept Exception as error:\n"
                          "    print('failed:', error)\n    raise\n"))  # fmt: skip
    yield Variation("raises-again", "form", raises, (QUESTIONS_PT,))
    cached = swap((MAP, MAP + "import pickle\n\nwith open('rows.pkl', 'wb') as stream:\n"
                   "    pickle.dump(tokenized, stream)\nwith open('rows.pkl', 'rb') as stream:\n"
                   "    tokenized = pickle.load(stream)\n"))  # fmt: skip
    yield Variation("pickles-its-data", "form", cached, (QUESTIONS_PT,))
    kept = both(
        after_imports("import joblib\nimport torch\n"),
        swap((TRAIN, "torch.save(model.state_dict(), 'before.pth')\n"
                     "model.load_state_dict(torch.load('before.pth', weights_only=False))\n"
                     "joblib.dump({'rate': args.learning_rate}, 'settings.joblib')\n"
                     "settings = joblib.load('settings.joblib').copy()\n" + TRAIN)),
    )  # fmt: skip
    yield Variation("keeps-checkpoints", "form", kept, (QUESTIONS_PT,))
    ends = last("trainer.save_model('best')\nprint(trainer.evaluate())\n")
    yield Variation("saves-at-the-end", "form", ends, (QUESTIONS_PT,))
    uncommented: Change = lambda text: "\n".join(  # noqa: E731
        line for line in text.splitlines() if not line.startswith("#")
    )
    yield Variation("no-comments", "form", uncommented, ALL)


def _keras() -> Iterator[Variation]:
    one = (QUESTIONS_TF,)
    text = lesson.load("ch8-4").parts["tf"].text(())
    yield Variation("more-epochs", "setting", swap(("epochs=2", "epochs=3")), one)
    seeded = swap(("set_random_seed(42)", "set_random_seed(7)"))
    yield Variation("other-seed", "setting", seeded, one)
    rate = next(r for r in ("5e-5", "5e-05", "0.00005") if r in text)
    yield Variation("other-rate", "rate", swap((rate, "3e-5")), one)
    quiet = swap((", epochs=2)", ", epochs=2, verbose=2)"))
    yield Variation("quiet", "quiet", quiet, one)
    stop = swap(
        (", epochs=2)", ", epochs=2, callbacks=[tf_keras.callbacks.EarlyStopping(patience=2)])")
    )
    yield Variation("early", "callbacks", stop, one)
    history = swap(("model.fit(", "history = model.fit("))
    yield Variation("keeps-history", "form", both(history, last("print(history.history)\n")), one)


@cache
def variations() -> tuple[Variation, ...]:
    """All of them."""
    return tuple(_variations())


def _healthy(place: str) -> tuple[str, float]:
    """The healthy script of a lesson, and its points."""
    name, framework = place.split()
    part = lesson.load(name).parts[framework]
    return part.text(()), len(part.bugs) + 1.0


def _made(place: str, chosen: tuple[Variation, ...]) -> HonestSubmission:
    text, of = _healthy(place)
    for each in chosen:
        text = each.change(text)
    name, framework = place.split()
    return HonestSubmission(
        id=f"{name}-{framework}-{'-and-'.join(v.id for v in chosen) or 'plain'}",
        lesson=name,
        framework=framework,
        name=f"{name}-{framework}.py",
        content=text.encode(),
        score=of - sum(v.off for v in chosen),
        of=of,
        why=" ".join(v.why for v in chosen if v.why),
    )


def _combined() -> Iterator[HonestSubmission]:
    """Several variations at once: ways to do the same, and something around them."""
    chance = random.Random(20)
    by_aspect = {
        aspect: list(group)
        for aspect, group in itertools.groupby(
            (v for v in variations() if v.lessons == (QUESTIONS_PT,)), key=lambda v: v.aspect
        )
        if aspect in ("padding", "metric", "labels")
    }
    # Each takes something of the text that the other needs.
    clashing = {"tokenizes-in-collate", "bert", "roberta"}
    around = [v for v in variations() if v.aspect.startswith("around")]
    for _number in range(40):
        chosen = [chance.choice(group) for group in by_aspect.values()]
        chosen = [v for v in chosen if v.id not in clashing]
        yield _made(QUESTIONS_PT, (*chosen, *chance.sample(around, 2)))


def _saved() -> Iterator[HonestSubmission]:
    """One script as other files, and in other encodings."""
    chinese = next(v for v in variations() if v.id == "chinese")
    russian = next(v for v in variations() if v.id == "russian")
    for variation, encoding in (
        *((chinese, e) for e in ("utf-16", "gb18030", "utf-8-sig")),
        *((russian, e) for e in ("utf-16", "cp1251", "utf-16-le")),
    ):
        made = _made(QUESTIONS_PT, (variation,))
        content = made.content.decode().encode(encoding)
        yield HonestSubmission(**{**vars(made), "id": f"{made.id}-{encoding}", "content": content})
    plain = _made(QUESTIONS_PT, ())
    cells = plain.content.decode().split("# %%\n")
    notebook = {
        "cells": [
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
             "source": cell, "id": f"c{number}"}
            for number, cell in enumerate(cells)
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3",
                                    "language": "python"}},
        "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    yield HonestSubmission(
        **{**vars(plain), "id": "as-notebook", "name": "ch8-4-pt.ipynb",
           "content": json.dumps(notebook).encode()}
    )  # fmt: skip
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(plain.name, plain.content)
    yield HonestSubmission(
        **{**vars(plain), "id": "as-zip", "name": "ch8-4-pt.zip", "content": packed.getvalue()}
    )


def _by_hand() -> Iterator[HonestSubmission]:
    """Whole scripts in the words of others, all right: `by_hand/LESSON-FRAMEWORK-NAME.py`."""
    for path in sorted((Path(__file__).parent / "by_hand").glob("*.py")):
        place = max((p for p in ALL if path.stem.startswith(p.replace(" ", "-"))), key=len)
        made = _made(place, ())
        content = path.read_bytes()
        yield HonestSubmission(**{**vars(made), "id": path.stem, "content": content})


@cache
def submissions() -> tuple[HonestSubmission, ...]:
    """The whole corpus, always the same."""
    found = [_made(place, ()) for place in ALL]
    for variation in variations():
        # What stands around a script makes the same difference everywhere: some lessons are enough.
        few = variation.lessons
        if variation.aspect.startswith("around"):
            number = list(SURROUNDINGS).index(variation.id)
            few = tuple(dict.fromkeys((QUESTIONS_PT, ALL[number % len(ALL)])))
        found += [_made(place, (variation,)) for place in few]
    found += [*_combined(), *_saved(), *_by_hand()]
    return tuple({each.id: each for each in found}.values())
