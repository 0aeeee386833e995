"""How many attributes of libraries differ while a lesson, or a class by run, is listened to."""

import subprocess
import sys

MOST = 20
"""The ledger's six, two of them second names, and those of hooks/: this may only fall."""
COUNT = """
import io, sys, types
from pathlib import Path
from course_probe.event_log import EventLog
from course_probe.exception_report import OwnScript
from course_probe.ledger.instrument import LedgerInstrument

log = EventLog(io.StringIO(), "stop")
own = OwnScript(Path("script.py"))
LedgerInstrument(log, own, lambda *_a, **_n: None, of_lesson=True).install()
import accelerate, datasets, evaluate, torch, transformers, torch._dynamo
from transformers import BertForSequenceClassification, Trainer


def is_ours(value):
    # Others are not asked for anything: some are made by that.
    value = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
    return type(value) is types.FunctionType and "course_probe" in value.__code__.co_filename


for name, module in list(sys.modules.items()):
    if module is None or name.startswith("course_probe"):
        continue
    for key, value in list(vars(module).items()) if type(module) is types.ModuleType else ():
        if is_ours(value):
            print(name, key)
        if isinstance(value, type) and value.__module__ == name:
            for attribute, each in list(vars(value).items()):
                if is_ours(each):
                    print(name, key, attribute)
"""


def test_a_lesson_replaces_few_attributes() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", COUNT], capture_output=True, text=True, timeout=300
    )
    found = sorted(set(done.stdout.splitlines()))
    assert done.returncode == 0, done.stderr
    # What the ledger needs is there: it was counted at all.
    assert "torch.nn.modules.module Module __call__" in found
    assert len(found) <= MOST, found
