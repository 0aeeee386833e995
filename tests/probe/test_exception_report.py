"""What is reported of an exception, beside what crash states and near names tell."""

import io
import traceback
from pathlib import Path

from course_probe import exception_report
from course_probe.event_log import EventLog
from course_probe.exception_report import OwnScript
from tests.probe.conftest import events


def test_lines_that_only_a_message_of_compiled_code_has_are_told(
    log: EventLog, out: io.StringIO
) -> None:
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
        exception_report.report_exception(error, OwnScript(Path(__file__)), log)
    (event,) = events(out)
    told = [(frame["function"], frame["line"], frame["script"]) for frame in event["frames"]]
    assert told[-1] == ("train_step", 3, True)
    assert len(told) == 2
