"""Tracebacks and logs in every form that people paste: which exception, and whose line."""

import json

import pytest

from course.judge.tracebacks import text as texts
from course.judge.tracebacks.read import QuotedError, read

PLAIN = """\
Traceback (most recent call last):
  File "/home/ada/train.py", line 12, in <module>
    outputs = model(**batch)
              ^^^^^^^^^^^^^^
  File "/opt/ada/lib/python3.11/site-packages/torch/nn/functional.py", line 2044, in embedding
    return torch.embedding(weight, input)
IndexError: index out of range in self
"""
LAST = PLAIN.splitlines()[-1]
OTHER = PLAIN.replace("index out of range in self", "another rank's")


def first(text: str) -> QuotedError:
    return read(text)[0]


def stamped(stamp: str, text: str = PLAIN) -> str:
    return "".join(f"{stamp}{line}\n" for line in text.splitlines())


def interleaved(one: str, other: str) -> str:
    pairs = zip(one.splitlines(), other.splitlines(), strict=True)
    return "".join(f"{a}\n{b}\n" for a, b in pairs)


FORMS = {
    "plain": PLAIN,
    "Windows": PLAIN.replace("/opt/ada/lib/python3.11/", "C:\\\\Python311\\\\Lib\\\\").replace(
        "\n", "\r\n"
    ),
    "debugger": "Exception has occurred: IndexError  (note: paused at: _run_module_as_main)\n"
    "index out of range in self\n" + "\n".join(PLAIN.splitlines()[1:-1]),
    "debugger, told twice": "Exception has occurred: IndexError\nindex out of range in self\n"
    + "\n".join(PLAIN.splitlines()[1:]),
    "quote marks": stamped("> "),
    "fence": f"I get this:\n```\n{PLAIN}```\nWhat is wrong?\n",
    "rank": stamped("[rank0]: "),
    "ranks": interleaved(stamped("[rank0]: "), stamped("[rank1]: ", OTHER)),
    "ranks of torchrun": interleaved(stamped("[default0]:"), stamped("[default1]:", OTHER)),
    "SLURM": interleaved(stamped("0: "), stamped("1: ", OTHER))
    + "srun: error: n1: task 0: Exited\n",
    "MPI": stamped("[1,0]<stderr>:"),
    "Ray": stamped("(Trainer pid=4711, ip=10.0.0.1) "),
    "compose": stamped("trainer-1  | "),
    "Kaggle": stamped("37.5s 12 "),
    "GitHub": stamped("2026-01-02T03:04:05.123Z "),
    "logging": f"2026-01-02 03:04:05,678 - root - ERROR - failed\n{PLAIN}",
    "JSON": "".join(
        json.dumps({"stream_name": "stderr", "time": 3.5, "data": f"{line}\n"}) + "\n"
        for line in PLAIN.splitlines()
    ),
    "one JSON": json.dumps({"log": PLAIN}),
    "escaped": json.dumps({"no key of ours": PLAIN}),
    "one line": " ".join(line.strip() for line in PLAIN.splitlines()),
    "notebook": json.dumps(
        {"cells": [{"outputs": [{"output_type": "error", "traceback": PLAIN.splitlines()}]}]}
    ),
    "progress bar": f"  0%|          | 0/7 [00:00<?, ?it/s]\r 14%|█▍        | 1/7{PLAIN}",
    "colours": PLAIN.replace("IndexError", "\x1b[0;31mIndexError\x1b[0m"),
    "lost escapes": PLAIN.replace("IndexError", "[0;31mIndexError[0m"),
    "torchrun's table": f"""{PLAIN}
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 12)
============================================================
""",
    "IPython": """\
---------------------------------------------------------------------------
IndexError                                Traceback (most recent call last)
Cell In[3], line 12
     11 batch = next(iter(loader))
---> 12 outputs = model(**batch)
     13 outputs.loss

File ~/.venv/lib/python3.11/site-packages/torch/nn/functional.py:2044, in embedding(input, weight)
   2043 # a comment
-> 2044 return torch.embedding(weight, input)

IndexError: index out of range in self
""",
    "old IPython": """\
IndexError                                Traceback (most recent call last)
<ipython-input-3-0f40166c4bba> in <module>()
     11 batch = next(iter(loader))
---> 12 outputs = model(**batch)

/usr/local/lib/python3.7/dist-packages/torch/nn/functional.py in embedding(input, weight)
-> 2044     return torch.embedding(weight, input)

IndexError: index out of range in self
""",
    "Colab": """\
IndexError                                Traceback (most recent call last)
[<ipython-input-3-0f40>](https://localhost:8080/#) in <cell line: 4>()
---> 12 outputs = model(**batch)

4 frames
[/usr/local/lib/python3.10/dist-packages/torch/nn/functional.py](https://localhost:8080/#) in f(x)
-> 2044     return torch.embedding(weight, input)

IndexError: index out of range in self
""",
    "ipykernel": PLAIN.replace("/home/ada/train.py", "/tmp/ipykernel_33/857740956.py"),
    "pytest": """\
train.py:12: in test_it
    outputs = model(**batch)
>       return torch.embedding(weight, input)
E       IndexError: index out of range in self
""",
    "rich": """\
╭───────────────────── Traceback (most recent call last) ─────────────────────╮
│ /home/ada/train.py:12 in <module>                                           │
│                                                                             │
│   11 batch = next(iter(loader))                                             │
│ ❱ 12 outputs = model(**batch)                                               │
╰─────────────────────────────────────────────────────────────────────────────╯
IndexError: index out of range in self
""",
    "worker": f"""RuntimeError: Caught IndexError in DataLoader worker process 0.
Original {PLAIN}""",
    "pool": f'''multiprocess.pool.RemoteTraceback:
"""
{PLAIN}"""

The above exception was the direct cause of the following exception:

{PLAIN}''',
    "group": """\
  + Exception Group Traceback (most recent call last):
  |   File "/home/ada/train.py", line 3, in <module>
  |     run()
  | ExceptionGroup: several (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/home/ada/train.py", line 12, in run
    |     outputs = model(**batch)
    | IndexError: index out of range in self
    +------------------------------------
""",
}


FORMS |= {
    "innermost first": """\
Exception has occurred: IndexError
index out of range in self
  File "/opt/ada/lib/python3.11/site-packages/torch/nn/functional.py", line 2044, in embedding
    return torch.embedding(weight, input)
  File "/home/ada/train.py", line 12, in step
    outputs = model(**batch)
  File "/home/ada/train.py", line 40, in <module>
    step(batch)
""",
    "entities": PLAIN.replace('"', "&quot;").replace("<module>", "&lt;module&gt;"),
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_every_form_has_the_exception_and_the_learners_line(text: str) -> None:
    found = first(text)
    assert found.type == "IndexError"
    assert found.message == "index out of range in self"
    assert found.own is not None
    assert found.own.line == 12
    assert found.own.text == "outputs = model(**batch)"


ALONE = {
    "RuntimeError: CUDA out of memory.": ("RuntimeError", "CUDA out of memory."),
    "> **ValueError: a b**": ("ValueError", "a b**"),
    "It says `KeyError: 'x'`, why?": ("KeyError", "'x'"),
    "torch.cuda.OutOfMemoryError: no": ("torch.cuda.OutOfMemoryError", "no"),
    "ValueError : spaced": ("ValueError", "spaced"),
    "RuntimeError：宽": ("RuntimeError", "宽"),
    "InvalidArgumentError (see above for traceback): x": ("InvalidArgumentError", "x"),
    "index out of range in self": ("", "index out of range in self"),
    "TypeError: ‘a’": ("TypeError", "'a'"),
    "zipfile.BadZipFile: Bad CRC-32": ("zipfile.BadZipFile", "Bad CRC-32"),
    "in f  raise ValueError( ValueError: all in a line": ("ValueError", "all in a line"),
    "f() got an unexpected keyword argument 'a'": (
        "TypeError",
        "f() got an unexpected keyword argument 'a'",
    ),
    "Exception has occurred: KeyError\n'label'": ("KeyError", "'label'"),
    "name 'np' is not defined": ("NameError", "name 'np' is not defined"),
    "E CUDA error: no kernel image\nc10::Error::Error(c10::SourceLocation)": (
        "",
        "E CUDA error: no kernel image\nc10::Error::Error(c10::SourceLocation)",
    ),
}


@pytest.mark.parametrize("text", ALONE)
def test_a_message_alone(text: str) -> None:
    found = first(text)
    assert (found.type, found.message) == ALONE[text]
    assert found.own is None


def test_a_list_of_calls_is_one_of_frames() -> None:
    calls = "embedding (/opt/lib/python3.11/site-packages/torch/nn/functional.py:2044)\n"
    found = first(f"{calls}train (/home/ada/train.py:12)\n<module> (/home/ada/train.py:30)\n{LAST}")
    assert [frame.function for frame in found.frames] == ["<module>", "train", "embedding"]
    assert found.own is not None
    assert found.own.line == 12


def test_what_a_launcher_runs_is_not_turned_round() -> None:
    text = """Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/IPython/core/interactiveshell.py", line 9, in run_code
    exec(code_obj, self.user_global_ns, self.user_ns)
  File "<ipython-input-2-abc>", line 1, in <module>
    outputs = model(**batch)
IndexError: index out of range in self
"""
    assert first(text).frames[-1].function == "<module>"


SENTENCES = {
    "运行 train.py 时出现 KeyError: 'label'，怎么解决？": ("KeyError", "'label'"),
    "报错：ValueError: too many dimensions 'str'。谢谢": (
        "ValueError",
        "too many dimensions 'str'",
    ),
    "Получаю TypeError: 'int' object is not iterable, в чём дело?": (
        "TypeError",
        "'int' object is not iterable",
    ),
    "提示 'float' object is not iterable 是为什么": (
        "TypeError",
        "'float' object is not iterable",
    ),
    "после этого вижу index out of range in self и всё": ("", "index out of range in self"),
    "FileNotFoundError: No such file: 'данные.csv'": (
        "FileNotFoundError",
        "No such file: 'данные.csv'",
    ),
    "OSError: [WinError 126] 找不到指定的模块。": ("OSError", "[WinError 126] 找不到指定的模块。"),
}


@pytest.mark.parametrize("text", SENTENCES)
def test_a_message_within_a_sentence_ends_with_its_own_letters(text: str) -> None:
    found = first(text)
    assert (found.type, found.message) == SENTENCES[text]


def test_that_there_are_two_errors_is_told() -> None:
    other = PLAIN.replace("index out of range in self", "Target 3 is out of bounds.")
    found = first(f"{PLAIN}\nand then, in another run\n\n{other}")
    assert found.message == "Target 3 is out of bounds."
    assert found.others == ("IndexError: index out of range in self",)


ONE_ERROR = {
    "once": PLAIN,
    "twice": PLAIN + "\n" + PLAIN,
    "a chain": f"{PLAIN}\nDuring handling of the above exception, another exception occurred:\n\n"
    + OTHER,
    "ranks": FORMS["ranks"],
    "a launcher's": FORMS["torchrun's table"],
}


@pytest.mark.parametrize("text", ONE_ERROR.values(), ids=ONE_ERROR)
def test_one_error_has_no_others(text: str) -> None:
    assert all(each.others == () for each in read(text))


def test_the_last_words_of_a_traceback_are_its_message_though_no_class_is_there() -> None:
    found = first(PLAIN.replace("IndexError: ", ""))
    assert (found.type, found.message) == ("", "index out of range in self")
    assert found.own is not None
    assert found.own.line == 12
    named = first(
        PLAIN.replace("IndexError: index out of range in self", "name 'x' is not defined")
    )
    assert named.type == "NameError"


def test_a_notebooks_traceback_in_one_line_has_class_and_message() -> None:
    rule = "-" * 75
    found = first(
        f"{rule} KeyError Traceback (most recent call last) Cell In[1] ----> 1 a KeyError: 'b'"
    )
    assert (found.type, found.message) == ("KeyError", "'b'")


def test_of_a_direct_cause_the_cause_comes_first_and_else_the_last() -> None:
    one, other = PLAIN, PLAIN.replace("IndexError: index out of range in self", "KeyError: 'k'")
    cause = "\nThe above exception was the direct cause of the following exception:\n\n"
    during = "\nDuring handling of the above exception, another exception occurred:\n\n"
    assert [e.type for e in read(one + cause + other)] == ["IndexError", "KeyError"]
    assert [e.type for e in read(one + during + other)] == ["KeyError", "IndexError"]


ASSERTED = "/a/Loss.cu:240: nll_loss: block: [0,0,0], thread: [4,0,0] Assertion `t < n` failed."


def test_what_a_gpu_printed_comes_before_the_error_that_came_of_it() -> None:
    late = PLAIN.replace("index out of range in self", "CUDA error: device-side assert triggered")
    (first_said, told) = read(f"{ASSERTED}\n{ASSERTED}\n{late}")
    assert first_said.message == ASSERTED.removesuffix(".")
    assert first_said.own == told.own is not None
    assert [each.message for each in read(f"{ASSERTED}\n{PLAIN}")] == ["index out of range in self"]
    assert first(ASSERTED).message == ASSERTED.removesuffix(".")


def test_an_error_of_a_worker_comes_before_that_it_ended() -> None:
    ended = "RuntimeError: DataLoader worker (pid(s) 9) exited unexpectedly"
    text = f"RuntimeError: DataLoader worker (pid 9) is killed by signal: Bus error.\n\n{ended}"
    assert first(text).message.endswith("Bus error.")
    assert first(ended).message.endswith("exited unexpectedly")


def test_a_class_before_the_traceback_of_a_worker_is_no_prefix() -> None:
    # As a DataLoader of torch 0.4 told it.
    text = PLAIN.replace("Traceback (most", "TypeError: Traceback (most")
    text = PLAIN.replace("index out of range in self", text)
    assert any(each.message == "index out of range in self" for each in read(text))


def test_a_cause_within_a_library_has_the_learners_line_of_its_chain() -> None:
    inner = """Traceback (most recent call last):
  File "/x/site-packages/datasets/load.py", line 3, in load
    raise ValueError("inner")
ValueError: inner
"""
    cause = "\nThe above exception was the direct cause of the following exception:\n\n"
    found = first(inner + cause + PLAIN)
    assert (found.message, found.own and found.own.line) == ("inner", 12)


def test_a_graphs_error_goes_on_to_its_end() -> None:
    text = """InvalidArgumentError: Graph execution error:

Detected at node 'model/Gather' defined at (most recent call last):
    File "train.py", line 7, in <module>
      model.fit(data)
Node: 'model/Gather'
indices[0,1] = 50000 is not in [0, 30522)
\t [[{{node model/Gather}}]] [Op:__inference_train_function_123]
and so on
"""
    found = first(text)
    assert "indices[0,1] = 50000" in found.message
    assert "and so on" not in found.message
    assert found.own is not None
    assert (found.own.line, found.own.text) == (7, "model.fit(data)")


def test_what_a_graph_traced_is_the_exception() -> None:
    text = """ValueError: in user code:

    /usr/lib/python3.7/dist-packages/keras/training.py:853 train_function  *
        return step_function(self, iterator)

    ValueError: Shapes (None, 8) and (None, 7) are incompatible
"""
    assert first(text).message == "Shapes (None, 8) and (None, 7) are incompatible"


KERAS = """ValueError                                Traceback (most recent call last)
Cell In[18], line 2
----> 2 model.fit(x, y)

File /tmp/__autograph_generated_filexy12.py:15, in tf__train_function(iterator)
     15     retval_ = ag__.converted_call(ag__.ld(step_function), (ag__.ld(self),), None, fscope)

ValueError: in user code:

    File "/tmp/ipykernel_3/11.py", line 39, in call  *
        return self.dense(x)
    File "/usr/lib/python3.10/site-packages/keras/engine/input_spec.py", line 298, in check
        raise ValueError(

    ValueError: Exception encountered when calling layer 'model' (type Functional).

    Input 0 of layer "dense" is incompatible with the layer: expected min_ndim=2, found ndim=1.

    Call arguments received by layer 'model' (type Functional):
      • inputs=tf.Tensor(shape=(32,), dtype=float32)

Next cell
"""


def test_what_a_graph_traced_is_read_whole_with_its_frames() -> None:
    error = first(KERAS)
    assert error.message.startswith("Exception encountered when calling layer 'model'")
    assert error.message.endswith("dtype=float32)")
    assert error.frames[-1].module == "keras.engine.input_spec"
    assert error.own is not None
    assert (error.own.line, error.own.text) == (39, "return self.dense(x)")


def test_a_path_with_a_space_is_one() -> None:
    text = """RuntimeError                              Traceback (most recent call last)
<ipython-input-2-27db> in <module>
----> 10 for batch in loader:

c:\\program files\\python36\\lib\\site-packages\\torch\\utils\\data\\dataloader.py in __next__(self)
--> 808     raise RuntimeError(text)

RuntimeError: it failed
"""
    error = first(text)
    assert [frame.module for frame in error.frames] == ["__main__", "torch.utils.data.dataloader"]


def test_a_message_of_several_lines_ends_where_something_else_begins() -> None:
    text = "RuntimeError: Error(s) in loading state_dict for M:\n\tsize mismatch for a.\n$ ls\n"
    assert first(text).message == "Error(s) in loading state_dict for M:\n\tsize mismatch for a."
    assert first("ImportError: \nX requires y.\n\nNext question").message == "X requires y."


def test_versions_that_the_text_tells() -> None:
    text = f"""- `transformers` version: 4.46.0
- PyTorch version (GPU?): 2.0.1+cu118 (True)
datasets==3.6.0 accelerate==1.0
{PLAIN}"""
    known = {"transformers": "4.46.0", "torch": "2.0.1", "datasets": "3.6.0", "accelerate": "1.0"}
    assert known.items() <= first(text).versions.items()


@pytest.mark.live
def test_of_a_long_log_the_end_is_read() -> None:
    found = first("step\n" * (texts.MOST // 5 + 9) + PLAIN)
    assert found.message == "index out of range in self"
    assert read("\n" * 300_000 + PLAIN)[0].own is not None


@pytest.mark.parametrize(
    "raw", [PLAIN.encode(), PLAIN.encode("utf-16"), b"\xff\x00" + PLAIN.encode()]
)
def test_any_encoding_can_be_read(raw: bytes) -> None:
    assert first(texts.decode(raw)).type == "IndexError"


@pytest.mark.parametrize("text", ["", "\n", "   "])
def test_nothing_is_no_error(text: str) -> None:
    assert read(text) == []
