"""What is reported of an exception, beside what crash states and near names tell."""

import io
import json
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from course_probe import exception_report
from course_probe.event_log import EventLog


class Mine:
    """This file is the learner's."""

    def has(self, frame: FrameType) -> bool:
        return frame.f_code.co_filename == __file__

    def name(self, frame: FrameType | None) -> str:
        return "mine.py"


def reported(error: BaseException, folder: Path) -> dict[str, Any]:
    stream = io.StringIO()
    exception_report.report_exception(error, Mine(), EventLog(stream, str(folder / "stop")))
    found: dict[str, Any] = json.loads(stream.getvalue())
    return found


def test_lines_that_only_a_message_of_compiled_code_has_are_told(tmp_path: Path) -> None:
    quoted = f"""in user code:

    File "{__file__}", line 3, in train_step  *
        loss = criterion(tags, logits.numpy())
    File "/usr/lib/keras.py", line 5, in called  *
        x

    AttributeError: 'SymbolicTensor' object has no attribute 'numpy'
"""
    try:
        traceback.extract_tb(None)
        raise AttributeError(quoted)
    except AttributeError as error:
        frames = reported(error, tmp_path)["frames"]
    told = [(frame["function"], frame["line"], frame["script"]) for frame in frames]
    assert told[-1] == ("train_step", 3, True)
    assert len(told) == 2
