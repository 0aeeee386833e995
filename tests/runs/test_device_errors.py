"""An error of a GPU comes late: what the device printed is its cause."""

from pathlib import Path

import pytest

from course.judge.script_verdict import judge_script
from course.runs.device_errors import with_cause
from course.runs.record import Frame, Raised, RunRecord

LATE = "CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronous"
LABEL = (
    "/pytorch/aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: "
    "block: [0,0,0], thread: [4,0,0] Assertion `t >= 0 && t < n_classes` failed."
)
TOKEN = (
    "/pytorch/aten/src/ATen/native/cuda/IndexKernelUtils.cu:16: vectorized_gather_kernel: "
    "block: [3,0,0], thread: [64,0,0] Assertion `ind >=0 && ind < ind_dim_size && "
    '"vectorized gather kernel index out of bounds"` failed.'
)


def failed(message: str, **state: float) -> RunRecord:
    frame = Frame("torch.autograd", "torch/autograd/__init__.py", "_make_grads", 231, "ones_like")
    classes = ("torch.AcceleratorError", "builtins.RuntimeError")
    raised = Raised(classes[0], classes, message, (frame,), state=state)
    return RunRecord("finished", raised=raised, device="cuda")


@pytest.mark.parametrize(
    ("printed", "state", "fault"),
    [
        (LABEL, {}, "target-out-of-bounds"),
        (TOKEN, {"embedding.tables": 1.0}, "token-id-out-of-range"),
        ("no word of it", {}, "cublas"),
    ],
)
def test_the_device_tells_which_fault_it_was(
    printed: str, state: dict[str, float], fault: str, tmp_path: Path
) -> None:
    output = tmp_path / "output"
    output.write_text(f"1 0.3\n{printed}\n{printed}\n", "utf-8")
    verdict = judge_script(with_cause(failed(LATE, **state), output))
    assert [(each.fault.id, each.certain) for each in verdict.namings] == [(fault, True)]


def test_of_two_tables_it_is_not_certain_which(tmp_path: Path) -> None:
    output = tmp_path / "output"
    output.write_text(TOKEN, "utf-8")
    verdict = judge_script(with_cause(failed(LATE, **{"embedding.tables": 2.0}), output))
    assert verdict.biting is None
    assert "cublas" not in {each.fault.id for each in verdict.possible}


def test_any_other_error_stays_as_it_is(tmp_path: Path) -> None:
    output = tmp_path / "output"
    output.write_text(LABEL, "utf-8")
    record = failed("mat1 and mat2 shapes cannot be multiplied")
    assert with_cause(record, output) is record
