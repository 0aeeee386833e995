"""Real processes, without a framework."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from course.runs import process
from course.runs.environment.runtime import Runtime
from course.runs.process import Job, Run
from course.runs.record import Raised, RunRecord
from tests.runs.conftest import gone, interrupt_once, noted_in, run_each, sleeper
from tests.tiers import exhaustive

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("each_start")]


def run(runtime: Runtime, script: str, looks: tuple[str, ...] = (), **options: Any) -> Run:
    return run_each(runtime, Job(script, looks), **options)


def raised(done: Run) -> Raised:
    assert done.record.status == "exception"
    assert done.record.raised is not None
    return done.record.raised


def test_a_script_runs_as_python_would_run_it(bare: Runtime) -> None:
    script = (
        "import __main__, sys\n"
        "assert __name__ == '__main__' and __main__.__file__ == sys.argv[0] == __file__\n"
        "assert sys.path[0] == __file__.rsplit('/', 1)[0]\n"
        "def f() -> 'anything': ...\n"
        "assert __main__.f is f\n"
        "print('said')\n"
    )
    done = run(bare, script)
    assert (done.record.status, done.output) == ("finished", "said\n")


def test_future_imports_hold_for_the_whole_script(bare: Runtime) -> None:
    script = "from __future__ import annotations\nx: not_defined = 1\ndef f(a: neither): ...\n"
    assert run(bare, script).record.status == "finished"


def test_an_exception_is_reported_with_the_learners_own_line(bare: Runtime) -> None:
    error = raised(run(bare, "import json\n\ndef f():\n    json.loads('')\nf()\n"))
    assert error.name == "json.decoder.JSONDecodeError"
    assert "builtins.ValueError" in error.classes
    assert error.own is not None
    assert (error.own.line, error.own.text) == (4, "json.loads('')")
    assert error.origin is not None
    assert error.origin.module == "json.decoder"
    assert error.origin.raises
    assert not error.own.raises


def test_a_missing_attribute_tells_whose_it_was(bare: Runtime) -> None:
    assert raised(run(bare, "import io\nio.StringIO().map\n")).owner[0] == "_io.StringIO"


def test_a_syntax_error_has_a_place(bare: Runtime) -> None:
    error = raised(run(bare, "x = 1\ny = (\n"))
    assert error.own is not None
    assert (error.name, error.own.line) == ("SyntaxError", 2)


@pytest.mark.parametrize(("code", "status"), [("0", 0), ("3", 3), ("'bye'", 1), ("None", 0)])
def test_leaving_early_is_an_end_without_an_exception(
    bare: Runtime, code: str, status: int
) -> None:
    record = run(bare, f"import sys\nsys.exit({code})\n").record
    assert (record.status, record.raised, record.exit_code) == ("finished", None, status)


def test_a_process_that_vanishes_has_died(bare: Runtime) -> None:
    assert run(bare, "import os\nos._exit(0)\n").record.status == "died"
    assert run(bare, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n").record.status == (
        "died"
    )


def test_looks_are_taken_in_what_the_script_left_behind(bare: Runtime) -> None:
    looks = ("x", "x = x + 1\nx", "print('said')", "x / 0", "y =", "None")
    results = run(bare, "x = 1\nraise KeyError('k')\n", looks=looks).record.looks
    assert [(r.output, r.error) for r in results] == [
        ("1", None),
        ("2", None),
        ("said", None),
        ("", "ZeroDivisionError: division by zero"),
        ("", "SyntaxError: invalid syntax (<unknown>, line 1)"),
        ("", None),
    ]


def test_a_look_is_cut_where_it_is_too_long(bare: Runtime) -> None:
    (result,) = run(bare, "", looks=("'x' * 10**6",)).record.looks
    assert len(result.output) < 21_000


def test_a_script_that_hangs_is_stopped_with_its_children(bare: Runtime, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    script = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(noted)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    assert run(bare, script, timeout=1.5).record.status == "time-limit"
    assert gone(noted)


def test_a_script_that_prints_without_end_is_stopped(
    bare: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "OUTPUT_CAP", 10_000)
    done = run(bare, "while True: print('x' * 1000)\n", timeout=60)
    assert done.record.status == "output-limit"
    assert len(done.output) <= process.SHOWN


def test_nothing_is_left_behind(
    bare: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run(bare, "open('here', 'w').write('x')\nimport tempfile\ntempfile.mkdtemp()\n")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_ends_the_run(bare: Runtime, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    interrupt_once(noted)
    with pytest.raises(KeyboardInterrupt):
        run(bare, sleeper(noted))
    assert gone(noted)


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_a_run_does_not_outlive_a_killed_course(bare: Runtime, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    script = sleeper(noted)
    starter = os.fork()
    if starter == 0:
        run(bare, script)
        os._exit(0)
    noted_in(noted)
    os.kill(starter, signal.SIGKILL)
    os.waitpid(starter, 0)
    assert gone(noted)


def test_events_are_heard_as_they_come(bare: Runtime) -> None:
    heard: list[dict[str, Any]] = []
    run(bare, "x = 1\ny = 2\n", listen=heard.append)
    assert [e["event"] for e in heard] == ["start", "line", "line", "end"]
    assert heard[2]["text"] == "y = 2"


def test_scripts_and_folders_may_be_in_any_script(
    bare: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "课程 и урок"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    done = run(bare, "词 = 'слово'\nprint(词)\nraise ValueError(词)\n", looks=("词",))
    assert done.output.startswith("слово")
    assert raised(done).message == "слово"
    assert done.record.looks[0].output == "'слово'"


def test_the_account_is_capped(bare: Runtime) -> None:
    script = "\n".join(f"x{i} = {'1' * 200}" for i in range(30_000)) + "\n1/0\n"
    done = run(bare, script)
    assert sum(map(len, done.lines)) < 5_000_000
    assert raised(done)


def test_a_strange_line_in_the_account_spoils_the_record_only(bare: Runtime) -> None:
    """A script that finds the journal can write nonsense into it; nobody trusts such a record."""
    script = (
        "import json, pathlib, sys\n"
        "job = json.loads((pathlib.Path(__file__).parent.parent / 'job.json').read_text())\n"
        "open(job['journal'], 'a').write('[]\\n{}\\n{\"event\": \"step\"}\\nnonsense\\n')\n"
    )
    heard: list[str] = []
    done = run(bare, script, listen=lambda event: heard.append(event["event"]))
    assert done.record.status == "unreadable"
    assert heard[-1] == "end"


LONG_TRAINING = """\
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

sizes = {"vocab_size": 8, "hidden_size": 8, "intermediate_size": 8}
config = BertConfig(num_hidden_layers=1, num_attention_heads=1, **sizes)
quiet = {"report_to": [], "save_strategy": "no", "disable_tqdm": True, "use_cpu": True}
try:
    Trainer(
        BertForSequenceClassification(config),
        TrainingArguments("out", max_steps=4000, **quiet),
        train_dataset=[{"input_ids": [2, 3, 4], "labels": row % 2} for row in range(16)],
    ).train()
except Exception:
    print("held up")
print("after")
"""


@pytest.mark.parametrize(
    "each_start", ["cold", exhaustive("fork"), exhaustive("spare")], indirect=True
)
def test_a_training_is_stopped_once_enough_has_been_seen(bare: Runtime, tmp_path: Path) -> None:
    asked: list[int] = []

    def enough(record: RunRecord) -> bool:
        asked.extend(step for step, _ in record.losses[-1:])
        return len(record.losses) >= 3

    job = Job(LONG_TRAINING, ("1 + 1",), beside=tmp_path)
    done = run_each(bare, job, enough=enough)
    record = done.record
    assert (record.status, record.raised, record.exit_code) == ("stopped", None, 0)
    # Points come every 20 steps; the answer takes a moment to be heard.
    assert sorted(set(asked)) == [20, 40, 60]
    assert asked.count(60) == 1
    assert 3 <= len(record.losses) < 150
    # No `except` holds it up, nothing after it is run, and the looks still are.
    assert done.output == ""
    assert [look.output for look in record.looks] == ["2"]


def test_our_own_files_are_left_out_of_a_message_that_lists_all_that_led_to_it(
    bare: Runtime,
) -> None:
    script = "import traceback\nraise ValueError('at\\n' + ''.join(traceback.format_stack()))"
    message = raised(run(bare, script)).message
    assert 'exercise.py", line 2' in message
    assert "script.py" not in message
