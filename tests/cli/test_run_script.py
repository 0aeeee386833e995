"""`course run` over scripts of no lesson; none of these imports a framework."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command import CLEAN, course
from tests.notebook.cells.written import code, notebook

pytestmark = pytest.mark.live
"""Each starts a process."""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


def ran(
    script: Path, text: str, *more: str, lang: str = "en"
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    script.write_text(text)
    done = course("run", script.name, "--json", "--lang", lang, *more, cwd=script.parent)
    return done, json.loads(done.stdout)


def test_a_crash_is_named_with_its_line_and_values(script: Path) -> None:
    done, document = ran(script, "sizes = {'width': 3}\nn = 2\nprint(sizes['widht'] * n)\n")
    assert done.returncode == 1
    assert document["lesson"] is None
    (step,) = document["steps"]
    assert step["step"] == "script"
    assert step["observed"]["fault"] == "misspelt-name"
    assert step["observed"]["exception"] == "KeyError"
    (fault,) = document["faults"]
    assert (fault["fault"], fault["certain"], fault["stage"]) == ("misspelt-name", True, "script")
    assert (fault["file"], fault["line"]) == ("mine.py", 3)
    assert step["state"] == {"line.sizes": "dict(1): width", "line.n": "2"}


def test_an_unknown_failure_stays_unknown_and_shows_its_two_lines(script: Path) -> None:
    text = "import json\n\nbroken = '{'\njson.loads(broken)\n"
    done, document = ran(script, text)
    assert done.returncode == 1
    assert document["steps"][0]["problem"] == "unknown"
    assert document["faults"] == []
    shown = course("run", "mine.py", "--lang", "en", cwd=script.parent)
    for words in ("json.loads(broken)", "broken = '{'", "decoder.py:", "does not know"):
        assert words in shown.stdout


def test_it_runs_as_python_runs_it(script: Path) -> None:
    (script.parent / "beside.py").write_text("WORD = 'beside'\n")
    (script.parent / "data.txt").write_text("data")
    text = (
        "import os, sys\nfrom beside import WORD\n"
        "if __name__ == '__main__':\n"
        "    print(WORD, sys.argv, open('data.txt').read(), os.environ.get('HF_HUB_OFFLINE'))\n"
        "    print(sys.path[0], __file__)\n"
    )
    done, document = ran(script, text, "--", "--lr", "3")
    assert done.returncode == 0
    lines = [line["text"] for line in document["steps"][0]["output"]["lines"]]
    assert lines[0] == "beside ['mine.py', '--lr', '3'] data None"
    assert lines[1] == f"{script.parent} {script}"
    assert document["completed"] is True
    assert sorted(p.name for p in script.parent.iterdir() if p.suffix) == [
        "beside.py",
        "data.txt",
        "mine.py",
    ]


def test_a_helper_module_is_the_learner_s_own(script: Path) -> None:
    (script.parent / "helper.py").write_text("def f(x):\n    return x.widht\n")
    _done, document = ran(script, "from helper import f\nclass A: width = 3\nf(A())\n")
    (fault,) = document["faults"]
    assert (fault["fault"], fault["file"], fault["line"]) == ("misspelt-name", "helper.py", 2)


def test_what_the_script_raises_itself_is_no_fault_of_the_catalogue(script: Path) -> None:
    done, document = ran(script, "raise KeyError('input_ids')\n")
    assert done.returncode == 1
    assert document["faults"] == []


@pytest.mark.parametrize(("code", "status"), [("0", 0), ("3", 1), ("'no data'", 1)])
def test_its_own_exit_status_is_told(script: Path, code: str, status: int) -> None:
    done, document = ran(script, f"import sys\nsys.exit({code})\n")
    assert done.returncode == status
    assert document["script"]["exit"] == {"0": 0, "3": 3}.get(code, 1)
    assert document["steps"][0]["problem"] == (None if status == 0 else "exit-status")


def test_what_python_prints_for_a_script_is_told(script: Path) -> None:
    _done, document = ran(script, "import sys\nsys.exit('no data')\n")
    (line,) = document["steps"][0]["output"]["lines"]
    assert line == {"line": 2, "stream": "stderr", "text": "no data"}
    text = (
        "import threading\ndef work():\n    {}['k']\n"
        "thread = threading.Thread(target=work)\nthread.start()\nthread.join()\n"
    )
    done, document = ran(script, text)
    assert done.returncode == 0
    lines = [line["text"] for line in document["steps"][0]["output"]["lines"]]
    assert lines[-1] == "KeyError: 'k'"
    assert f'  File "{script}", line 3, in work' in lines
    _done, document = ran(script, "print('a')\nprint('', end='')\n")
    assert [line["text"] for line in document["steps"][0]["output"]["lines"]] == ["a"]


def test_what_ctrl_c_interrupts_may_save_what_it_has(script: Path) -> None:
    script.write_text(
        "import time\nprint('go', flush=True)\ntry:\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    open('saved', 'w').close()\n    print('saved')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "course", "run", script.name, "--lang", "en"],
        cwd=script.parent, env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert "go" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "saved" in out
    assert err == "Interrupted.\n"
    assert (script.parent / "saved").exists()


def test_an_unknown_failure_of_its_own_shows_the_line_that_led_to_it(script: Path) -> None:
    text = (
        "def check(batch, limit):\n    total = sum(batch)\n"
        "    if total > limit: raise RuntimeError('batch is too heavy')\n\n"
        "heavy = [4, 5]\ncheck(heavy, 3)\n"
    )
    _done, document = ran(script, text)
    (step,) = document["steps"]
    assert [frame["line"] for frame in step["frames"]] == [6, 3]
    assert (step["state"]["line.total"], step["state"]["line.limit"]) == ("9", "3")
    assert step["state"]["second.heavy"] == "[4, 5]"
    shown = course("run", "mine.py", "--lang", "en", cwd=script.parent)
    for words in ("check(heavy, 3)", "total = 9", "heavy = [4, 5]"):
        assert words in shown.stdout


def test_another_encoding_than_utf_8_is_told_as_python_tells_it(script: Path) -> None:
    script.write_bytes(b"x = 1\nprint('caf\xe9')\n")
    done = course("run", script.name, "--json", cwd=script.parent)
    document = json.loads(done.stdout)
    (step,) = document["steps"]
    assert step["observed"]["message"].startswith(r"Non-UTF-8 code starting with '\xe9' in file")
    assert (step["problem"], document["faults"]) == ("unknown", [])
    assert step["frames"][0]["line"] == 2


def test_a_script_that_is_cut_off_has_taken_its_time(script: Path) -> None:
    _done, document = ran(script, "import os\nos._exit(5)\n")
    (step,) = document["steps"]
    assert (step["problem"], document["script"]["exit"]) == ("died", 5)
    assert step["seconds"] > 0
    assert "the exit status 5" in " ".join(
        course("run", "mine.py", "--lang", "en", cwd=script.parent).stdout.split()
    )


def test_a_module_is_run_by_its_name(script: Path) -> None:
    package = script.parent / "pack"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "other.py").write_text("WORD = 7\n")
    (package / "train.py").write_text(
        "import sys\nfrom .other import WORD\nprint(WORD, sys.argv)\n"
    )
    done = course("run", "-m", "pack.train", "--json", "--", "--x", "1", cwd=script.parent)
    assert done.returncode == 0, done.stdout
    document = json.loads(done.stdout)
    (line,) = document["steps"][0]["output"]["lines"]
    assert line["text"] == f"7 [{str(package / 'train.py')!r}, '--x', '1']"
    missing = course("run", "-m", "pack.none", "--json", cwd=script.parent)
    assert missing.returncode == 1
    assert json.loads(missing.stdout)["steps"][0]["observed"]["exception"] == "ModuleNotFoundError"


def test_a_notebook_runs_cell_by_cell_and_tells_the_cell(tmp_path: Path) -> None:
    path = tmp_path / "mine.ipynb"
    path.write_text(notebook(code("sizes = {'width': 3}"), code("print(1)\nsizes['widht']")))
    done = course("run", str(path), "--json")
    assert done.returncode == 1
    (fault,) = json.loads(done.stdout)["faults"]
    assert (fault["file"], fault["line"]) == ("mine.ipynb[2]", 2)


def test_input_and_time_are_told_as_for_an_exercise(script: Path) -> None:
    _done, document = ran(script, "x = 1\nname = input()\n")
    assert document["steps"][0]["problem"] == "input"
    done, document = ran(script, "import time\ntime.sleep(60)\n", "--timeout", "0.5")
    assert done.returncode == 1
    assert document["steps"][0]["problem"] == "time-limit"
