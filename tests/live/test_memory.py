"""The estimate of a step's memory, beside what PyTorch's allocator really hands out."""

import json
import subprocess
import sys

import pytest

from course.runs import memory
from tests.command import course

pytestmark = pytest.mark.live
SIZES = [(1, 16), (2, 128), (8, 64), (16, 32)]
PROFILED = """
import itertools, json, sys, torch
from torch.profiler import ProfilerActivity, profile
from course_probe import memory


def taken(work):
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as watched:
        result = work()
    events = [e for e in watched.profiler.kineto_results.events() if e.name() == "[memory]"]
    events.sort(key=lambda e: e.start_ns())
    bytes_after = list(itertools.accumulate(e.nbytes() for e in events))
    return bytes_after[-1], max(bytes_after), result


def profiled(order):
    model = memory._model(order)
    optimizer = torch.optim.AdamW(model.parameters())
    found = {"activations": []}
    for batch, length, _mode in order["sizes"]:
        inputs = memory._inputs(order["head"], batch, length)
        inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
        inputs["attention_mask"][:, -4:] = 0
        forward, _most, outputs = taken(lambda: model(**inputs))
        found["activations"].append(forward)
        backward, _most, _none = taken(outputs.loss.backward)
        del outputs
        # What the forward pass kept is free again, and the gradients have come.
        found.setdefault("gradients", backward + forward)
        optimizer.step()
        if "optimizer" not in found:
            states = [each for state in optimizer.state.values() for each in state.values()]
            found["optimizer"] = sum(each.untyped_storage().nbytes() for each in states)
        optimizer.zero_grad()
    return found


def most(order, mode):
    # The highest point of a step whose weights are few beside its batch.
    model = memory._model(order)
    if mode == "checkpointing":
        model.gradient_checkpointing_enable()
    inputs = memory._inputs(order["head"], 16, 128)

    def step():
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=mode == "bf16"):
            loss = model(**inputs).loss
        loss.backward()

    step()
    model.zero_grad()
    return taken(step)[1]


orders = json.loads(sys.argv[1])
found = [(memory.count(order), profiled(order)) for order in orders]
modes = ("plain", "checkpointing", "bf16")
order = {**orders[0], "sizes": [(16, 128, mode) for mode in modes]}
step = memory.count(order)["activations"], [most(order, mode) for mode in modes]
print(json.dumps([found, step]))
"""


@pytest.mark.exhaustive
def test_what_is_counted_is_what_the_allocator_hands_out() -> None:
    distilbert = {"n_layers": 6, "n_heads": 4, "dim": 64, "hidden_dim": 256}
    bert = {"num_hidden_layers": 3, "num_attention_heads": 2, "hidden_size": 32}
    orders = [
        {
            "checkpoint": {"model_type": kind, "vocab_size": 500, **config},
            "head": "classes",
            "labels": 3,
            "sizes": [(*size, "plain") for size in SIZES],
        }
        for kind, config in (("distilbert", distilbert), ("bert", bert))
    ]
    command = [sys.executable, "-c", PROFILED, json.dumps(orders)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found, step = json.loads(done.stdout.strip().splitlines()[-1])
    for counted, taken in found:
        for ours, theirs in zip(counted["activations"], taken["activations"], strict=True):
            assert ours == pytest.approx(theirs, rel=0.1)
        assert counted["gradients"] == pytest.approx(taken["gradients"], rel=0.1)
        assert counted["optimizer"] == pytest.approx(taken["optimizer"], rel=0.1)
    for ours, theirs in zip(*step, strict=True):
        assert ours == pytest.approx(theirs, rel=0.1)


def test_a_lesson_s_model_is_measured_and_the_real_one_computed() -> None:
    asked = ("memory", "ch8-4", "--batch", "4", "--length", "64", "--json")
    found = json.loads(course(*asked).stdout)
    assert found["embedded"]["measured"]
    real = found["real"]
    # 66,955,779 is what transformers counts of this checkpoint with three labels.
    assert real["parameters"] == 66_955_779
    assert real["weights"] == real["gradients"] == real["optimizer"] / 2 == 4 * real["parameters"]
    case = {each["case"]: each for each in found["cases"]}
    now = case["now"]["activations"]
    assert tuple(case) == tuple(memory.CASES)
    assert case["twice-batch"]["activations"] == pytest.approx(2 * now, rel=0.01)
    assert case["twice-length"]["activations"] > 2 * now > 4 * case["half-length"]["activations"]
    assert case["checkpointing"]["activations"] < now / 2
    assert found["others"]["gpt2-xl"]["weights"] == pytest.approx(6.2e9, rel=0.01)
