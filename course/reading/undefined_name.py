"""Names that are used and that nothing in the script makes, as pyflakes finds them.

https://github.com/PyCQA/pyflakes
"""

import ast
import builtins
import difflib
import re
from collections.abc import Iterator

from course.i18n import N_
from course.reading.script_text import ScriptText
from course.reading.text_fault import TextFault
from course_probe.near_names import NEAR

IMPORTS = {
    "evaluate": "import evaluate",
    "datasets": "import datasets",
    "transformers": "import transformers",
    "accelerate": "import accelerate",
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "tf": "import tensorflow as tf",
    "keras": "import keras",
    "tqdm": "from tqdm.auto import tqdm",
    "load_dataset": "from datasets import load_dataset",
    "Dataset": "from datasets import Dataset",
    "DatasetDict": "from datasets import DatasetDict",
    "load": "from evaluate import load",
    "DataLoader": "from torch.utils.data import DataLoader",
    "TensorDataset": "from torch.utils.data import TensorDataset",
    "AdamW": "from torch.optim import AdamW",
    "Accelerator": "from accelerate import Accelerator",
    "notebook_launcher": "from accelerate import notebook_launcher",
    "Trainer": "from transformers import Trainer",
    "TrainingArguments": "from transformers import TrainingArguments",
    "Seq2SeqTrainer": "from transformers import Seq2SeqTrainer",
    "Seq2SeqTrainingArguments": "from transformers import Seq2SeqTrainingArguments",
    "get_scheduler": "from transformers import get_scheduler",
    "pipeline": "from transformers import pipeline",
    "set_seed": "from transformers import set_seed",
}
"""What a script most likely means by a name that it never imports, and how that is imported."""
CLASSES = ("Auto", "DataCollator", "default_data_collator", "Bert", "DistilBert", "Roberta", "GPT2")
"""How classes of transformers begin."""
MISSPELT = N_("Nothing makes {name}; the nearest name there is: {near}.")
NOT_IMPORTED = N_("{name} is used and never imported.")
NOT_MADE = N_("{name} is used, and nothing in the script makes it.")
AT_HAND = {"display", "get_ipython"}
"""What a notebook has without any import."""


def find(script: ScriptText) -> Iterator[TextFault]:
    """Each use of a name that is not there, once for each name."""
    from pyflakes.checker import Checker
    from pyflakes.messages import UndefinedName

    checker = Checker(script.tree, filename=script.name)
    seen = set(AT_HAND)
    found = [each for each in checker.messages if isinstance(each, UndefinedName)]
    for message in sorted(found, key=lambda each: (each.lineno, each.col)):
        name = str(message.message_args[0])
        if name not in seen:
            seen.add(name)
            yield _fault(script, name, message.lineno, message.col)


def _fault(script: ScriptText, name: str, line: int, column: int) -> TextFault:
    values = {"name": f"`{name}`"}
    statement = import_of(name)
    if statement:
        return TextFault("missing-import", line, NOT_IMPORTED, values, imports=(statement,))
    # One that is used again and again is spelt as it is meant: what makes it is missing.
    once = len(re.findall(rf"\b{re.escape(name)}\b", script.text)) == 1
    near = next(iter(difflib.get_close_matches(name, _made(script), n=1, cutoff=NEAR)), "")
    if once and near:
        start = script.offset(line, column)
        whole = script.text[start : start + len(name)] == name
        edits = ((start, start + len(name), near),) if whole else ()
        values["near"] = f"`{near}`"
        return TextFault("misspelt-name", line, MISSPELT, values, edits=edits)
    return TextFault("name-not-defined", line, NOT_MADE, values)


def import_of(name: str) -> str:
    """The statement that imports a well-known name, or nothing."""
    if name in IMPORTS:
        return IMPORTS[name]
    return f"from transformers import {name}" if name.startswith(CLASSES) else ""


def _made(script: ScriptText) -> set[str]:
    """Every name that the script binds somewhere, and Python's own."""
    bound = set(script.imported) | set(dir(builtins))
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return bound
