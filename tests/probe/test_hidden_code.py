"""While a script is graded, no library runs code that stands nowhere in its text."""

import subprocess
import sys
import textwrap

import pytest

HEAD = """
import io, logging.config, pickle, doctest, sys
from course_probe.exam import hidden_code

hidden_code.install()
SECRET = b"cbuiltins\\nexec\\n(Vprint('ran')\\ntR."


def refused(load):
    try:
        load()
    except (pickle.UnpicklingError, ValueError) as error:
        print("refused")
"""
BY_LOGGING = (
    "{'()': 'timeit.timeit', 'stmt': 'print(1)', 'number': 1}",
    "{'()': 'ext://timeit.timeit', 'stmt': 'print(1)', 'number': 1}",
    "{'()': 'cProfile.run', 'statement': 'print(1)'}",
    "{'class': 'timeit.Timer', 'stmt': 'print(1)'}",
    "{'class': 'logging.StreamHandler', 'stream': 'ext://builtins.exec'}",
)


def ran(script: str) -> list[str]:
    """Return the lines that a script prints, in a process whose libraries are fenced."""
    text = HEAD + textwrap.dedent(script)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_what_was_pickled_is_loaded_again() -> None:
    script = """
    data = {"rows": [1, 2], "name": "é"}
    assert pickle.loads(pickle.dumps(data)) == data
    assert pickle.loads(memoryview(pickle.dumps(data, 2))) == data
    file = io.BytesIO()
    for each in (data, [3], data):
        pickle.dump(each, file, protocol=pickle.HIGHEST_PROTOCOL)
    file.seek(0)
    assert [pickle.load(file) for _ in range(3)] == [data, [3], data]
    """
    assert ran(script) == []


def test_what_nobody_pickled_is_not() -> None:
    script = """
    known = pickle.dumps([1])
    pickle.dumps(SECRET)
    refused(lambda: pickle.loads(SECRET))
    refused(lambda: pickle.loads(bytearray(SECRET)))
    refused(lambda: list(map(pickle.loads, [SECRET])))
    refused(lambda: pickle.load(io.BytesIO(SECRET)))
    refused(lambda: pickle.load(io.BytesIO(SECRET[:-1] + known)))
    refused(lambda: pickle.loads(known + SECRET))
    assert pickle.load(io.BytesIO(known + SECRET)) == [1]
    """
    assert ran(script) == ["refused"] * 6


def test_what_other_picklers_saved_is_loaded_and_nothing_else() -> None:
    script = """
    import tempfile
    import cloudpickle, dill
    import numpy as np

    for module in (dill, cloudpickle):
        assert module.loads(module.dumps(lambda x: x + 1))(1) == 2
        file = io.BytesIO()
        module.dump({"a": 1}, file)
        file.seek(0)
        assert module.load(file) == {"a": 1}
        refused(lambda: module.loads(SECRET))
        refused(lambda: module.load(io.BytesIO(SECRET)))
    refused(lambda: cloudpickle.cloudpickle.loads(SECRET))
    with tempfile.TemporaryDirectory() as place:
        np.savez(place + "/a.npz", a=np.array([{1: 2}, None], dtype=object))
        assert np.load(place + "/a.npz", allow_pickle=True)["a"][0] == {1: 2}
        with open(place + "/b.npy", "wb") as secret:
            secret.write(SECRET)
        refused(lambda: np.load(place + "/b.npy", allow_pickle=True))
    """
    assert ran(script) == ["refused"] * 6


def test_bytes_that_change_while_they_are_looked_at_are_those_that_were() -> None:
    script = """
    class Two:
        seen = 0

        def read(self, *size):
            self.seen += 1
            return pickle.dumps([1]) if self.seen == 1 else SECRET

        def readline(self):
            return SECRET

    assert pickle.load(Two()) == [1]
    """
    assert ran(script) == []


def test_processes_still_tell_each_other_what_they_found() -> None:
    script = """
    from multiprocessing import get_context

    with get_context("fork").Pool(2) as pool:
        assert pool.map(abs, [-1, -2]) == [1, 2]
    """
    assert ran(script) == []


@pytest.mark.parametrize("part", BY_LOGGING)
def test_a_configuration_of_logging_calls_nothing_else(part: str) -> None:
    script = f"""
    refused(lambda: logging.config.dictConfig({{
        "version": 1, "handlers": {{"h": {part}}}, "root": {{"handlers": ["h"]}},
    }}))
    """
    assert ran(script) == ["refused"]


def test_a_configuration_of_logging_makes_what_logs() -> None:
    script = """
    class Brief(logging.Formatter):
        def format(self, record):
            return record.getMessage().upper()

    logging.config.dictConfig({
        "version": 1,
        "formatters": {"own": {"()": "__main__.Brief"}, "too": {"()": Brief}},
        "filters": {"few": {"()": "logging.Filter", "name": "a"}},
        "handlers": {
            "h": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout",
                  "formatter": "own", "filters": ["few"]},
        },
        "root": {"handlers": ["h"], "level": "INFO"},
    })
    logging.getLogger("a").info("told")
    logging.getLogger("b").info("not told")
    """
    assert ran(script) == ["TOLD"]


def test_no_comment_is_run() -> None:
    script = """
    def f():
        '''
        >>> print("ran")
        '''

    f.__doc__ = '''
        >>> print("ran", file=sys.stderr) or sys.exit(1)
    '''
    print(doctest.testmod())
    doctest.run_docstring_examples(f, globals())
    """
    assert ran(script) == ["TestResults(failed=0, attempted=0)"]
