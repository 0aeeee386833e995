"""What is heard of a script's output, in this process: the script is text, the streams are ours."""

import io
import json
import logging
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

from course.runs.record import Builder
from course.runs.script_output import ScriptOutput
from course_probe.event_log import EventLog
from course_probe.serve import streams
from course_probe.serve.streams import OutputStreams

SCRIPT = "exercise.py"


class OwnText:
    """The learner's own code is what was compiled under the name of the script."""

    def has(self, frame: FrameType) -> bool:
        return frame.f_code.co_filename == SCRIPT

    def name(self, frame: FrameType | None) -> str:
        return SCRIPT


class Heard:
    """What came of a script: its events, its output as the record has it, and the two files."""

    def __init__(self, events: list[dict[str, Any]], stdout: str, stderr: str) -> None:
        self.events = events
        self.stdout = stdout
        self.stderr = stderr

    @property
    def output(self) -> ScriptOutput:
        builder = Builder()
        for event in self.events:
            builder.add(event)  # type: ignore[arg-type]
        return builder.build("finished", 0).output

    @property
    def lines(self) -> list[tuple[int | None, str]]:
        return [(line.line, line.text) for line in self.output.lines]


Listen = Callable[[str], Heard]


@pytest.fixture
def listen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Listen:
    """Run a script with its streams listened to, and put everything back."""

    def run(script: str, **names: Any) -> Heard:
        with monkeypatch.context() as patched:
            files = io.BytesIO(), io.BytesIO()
            # A real file flushes; these only have to keep their bytes when the streams go.
            for name, file in zip(("stdout", "stderr"), files, strict=True):
                patched.setattr(sys, name, io.TextIOWrapper(file, "utf-8", newline="\n"))
            kept = sys.stdout, sys.stderr
            patched.setattr(warnings, "showwarning", warnings.showwarning)
            patched.setattr(logging.StreamHandler, "emit", logging.StreamHandler.emit)
            journal = io.StringIO()
            heard = OutputStreams(Path(SCRIPT), OwnText(), EventLog(journal, str(tmp_path / "no")))
            heard.install()
            try:
                exec(compile(script, SCRIPT, "exec"), {"__name__": "__main__", **names})
            finally:
                heard.finish()
            events = [json.loads(line) for line in journal.getvalue().splitlines()]
            found = Heard(events, *(file.getvalue().decode() for file in files))
            del kept
        return found

    return run


def library(source: str, name: str = "somelibrary.inner") -> dict[str, Any]:
    """Return the names of a module that is none of the script's."""
    module = ModuleType(name)
    exec(compile(source, f"/x/site-packages/{name.replace('.', '/')}.py", "exec"), module.__dict__)
    return vars(module)


def test_a_line_is_told_with_its_place_and_written_as_ever(listen: Listen) -> None:
    heard = listen("print('a', 1)\n\nfor i in range(2):\n    print(i)\n")
    assert heard.lines == [(1, "a 1"), (4, "0"), (4, "1")]
    assert heard.stdout == "a 1\n0\n1\n"


def test_a_line_in_pieces_is_one_line(listen: Listen) -> None:
    heard = listen("print('a', end=' ')\nprint('b')\nprint('c\\n\\nd', end='')\n")
    assert [text for _line, text in heard.lines] == ["a b", "c", "", "d"]


def test_what_is_written_over_is_not_seen(listen: Listen) -> None:
    heard = listen("for i in range(5):\n    print(f'\\r{i} of 5', end='')\nprint()\n")
    assert [text for _line, text in heard.lines] == ["4 of 5"]
    assert {"event": "progress", "text": "0 of 5"} in heard.events


def test_stderr_and_the_scripts_own_logger_are_the_scripts_own(listen: Listen) -> None:
    heard = listen(
        "import logging, sys\nprint('a', file=sys.stderr)\n"
        "own = logging.getLogger('mine')\nown.addHandler(logging.StreamHandler())\n"
        "own.propagate = False\nown.warning('b')\n"
    )
    assert [(x.stream, x.text) for x in heard.output.lines] == [("stderr", "a"), ("stderr", "b")]
    assert heard.output.warnings == ()


def test_the_standard_library_prints_for_the_script(listen: Listen) -> None:
    assert listen("import pprint\npprint.pprint({'x': 1})\n").lines == [(2, "{'x': 1}")]


def test_what_a_library_prints_to_stdout_was_asked_for(listen: Listen) -> None:
    names = library("import sys\ndef summary(): print('2 layers')\n")
    bar = library("import sys\ndef bar(): print('\\r50%', file=sys.stderr, end='')\n", "tqdm.std")
    heard = listen("summary()\nbar()\n", summary=names["summary"], bar=bar["bar"])
    assert heard.lines == [(1, "2 layers")]
    assert {"event": "progress", "text": "50%"} in heard.events
    assert "50%" in heard.stderr


@pytest.mark.parametrize(
    "name", ["transformers.trainer_callback", "tf_keras.src.callbacks", "tqdm.std"]
)
def test_figures_that_a_framework_prints_are_none_of_the_scripts(listen: Listen, name: str) -> None:
    figures = library("def log(): print({'loss': 1.0})\n", name)
    heard = listen("log()\n", log=figures["log"])
    assert heard.lines == []
    assert heard.stdout == "{'loss': 1.0}\n"


def test_warnings_are_counted_and_none_of_the_lines(listen: Listen) -> None:
    source = "import warnings\ndef warn(): warnings.warn('old', FutureWarning)\n"
    script = "import warnings\nwarnings.simplefilter('always')\nfor _ in range(3): warn()\n"
    with pytest.warns(FutureWarning):
        heard = listen(script, warn=library(source)["warn"])
    assert heard.lines == []
    (found,) = heard.output.warnings
    assert (found.category, found.message, found.module) == (
        "FutureWarning",
        "old",
        "somelibrary.inner",
    )
    assert found.count == 3


def test_a_record_that_a_librarys_handler_prints_is_a_warning(listen: Listen) -> None:
    source = (
        "import logging, sys\n"
        "logger = logging.getLogger('somelibrary.inner')\n"
        "logger.propagate = False\n"
        "def load():\n"
        "    logger.handlers[:] = [logging.StreamHandler()]\n"
        "    logger.info('not printed')\n"
        "    logger.warning('\\x1b[1mnew\\x1b[0m weights')\n"
    )
    heard = listen("load()\n", load=library(source)["load"])
    assert heard.lines == []
    assert [(w.category, w.message) for w in heard.output.warnings] == [("WARNING", "new weights")]
    assert "new" in heard.stderr


def test_some_records_are_told_that_nobody_prints(
    listen: Listen, monkeypatch: pytest.MonkeyPatch
) -> None:
    logger = logging.getLogger("transformers.trainer")
    monkeypatch.setattr(logger, "filters", [])
    before = logger.level
    told = "The following columns in the training set … have been ignored: idx."
    heard = listen("log.info(told)\nlog.info('other')\n", log=logger, told=told)
    logger.setLevel(before)
    assert [(w.category, w.message) for w in heard.output.warnings] == [("INFO", told)]
    assert heard.stderr == ""


def test_a_flood_is_bounded_and_keeps_its_ends(listen: Listen) -> None:
    heard = listen("for i in range(10_000):\n    print(i)\n")
    output = heard.output
    assert [line.text for line in output.first] == [str(i) for i in range(200)]
    assert [line.text for line in output.last][-100:] == [str(i) for i in range(9900, 10_000)]
    assert len(output.lines) + output.omitted == 10_000
    assert len(heard.events) < 200
    assert heard.stdout.count("\n") == 10_000


def test_a_flood_of_long_lines_is_bounded(listen: Listen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "CAP", 100_000)
    heard = listen("for i in range(3000):\n    print(i, 'x' * 5000)\nprint('y' * 10**6, end='')\n")
    assert len(json.dumps(heard.events)) < 1_000_000
    assert heard.output.lines[-1].text.startswith("yyy")
    assert len(heard.output.lines) + heard.output.omitted == 3001


def test_a_stream_of_the_scripts_own_is_its_own_affair(listen: Listen) -> None:
    heard = listen(
        "import io, sys\nold, sys.stdout = sys.stdout, io.StringIO()\nprint('hidden')\n"
        "sys.stdout = old\nprint('seen')\nsys.stdout.buffer.write(b'raw\\n')\n"
        "sys.stdout.flush()\nassert sys.stdout.encoding and not sys.stdout.isatty()\n"
        "sys.stdout.reconfigure(line_buffering=True)\nsys.stdout.writelines(['x\\n', 'y\\n'])\n"
    )
    assert [text for _line, text in heard.lines] == ["seen", "x", "y"]
    assert "raw\n" in heard.stdout


def test_lines_come_before_what_happens_after_them(tmp_path: Path) -> None:
    journal = io.StringIO()
    log = EventLog(journal, str(tmp_path / "no"))
    heard = OutputStreams(Path(SCRIPT), OwnText(), log)
    log.before_write = heard.flush
    heard._waiting.append({"line": 1, "stream": "stdout", "text": "first"})
    log.write({"event": "stopped"})
    assert [json.loads(x)["event"] for x in journal.getvalue().splitlines()] == [
        "output",
        "stopped",
    ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_tells_nothing_twice(listen: Listen) -> None:
    heard = listen(
        "import os\nprint('before', end=' ')\nprint('fork')\npid = os.fork()\n"
        "if not pid:\n    os._exit(0)\nos.waitpid(pid, 0)\nprint('after')\n"
    )
    assert [text for _line, text in heard.lines] == ["before fork", "after"]
