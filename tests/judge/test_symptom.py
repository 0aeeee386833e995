"""What people paste when nothing was raised is answered, and what is none of that is not."""

import pytest

from course.judge import quoted

NOT_A_NUMBER = ["learning-rate-too-high", "nan-in-inputs", "exploding-gradients", "fp16-overflow"]
SAID = {
    "[Epoch 2] batch 40/900  loss=nan  acc=0.11": NOT_A_NUMBER,
    "step 10 loss 2.31\nstep 20 loss 18.9\nstep 30 loss inf\nstep 40 loss nan": NOT_A_NUMBER,
    "{'train_loss': 0.0, 'eval_loss': nan, 'epoch': 2.0}": NOT_A_NUMBER,
    "训练到第 3 轮以后损失变成 nan": NOT_A_NUMBER,
    "После сотого шага потери nan, до этого падали": NOT_A_NUMBER,
    "/env/optim/lr_scheduler.py:227: UserWarning: Detected call of `lr_scheduler.step()` before "
    "`optimizer.step()`.\n  warnings.warn(": ["optimizer-step-missing", "schedule-out-of-step"],
    "UserWarning: Detected call of `lr_scheduler.step()`\nbefore `optimizer.step()`. In PyTorch": [
        "optimizer-step-missing",
        "schedule-out-of-step",
    ],
    "checkpoint.py:85: UserWarning: None of the inputs have requires_grad=True. Gradients": [
        "frozen-inputs-with-checkpointing"
    ],
    "Using a target size (torch.Size([16])) that is different to the input size (torch.Size([16, "
    "1])). This will likely lead to incorrect results due to broadcasting.": ["broadcast-in-loss"],
    "a.py:4: UserWarning: Using a target size (torch.Size([5, 1])) that is different to\nthe input "
    "size (torch.Size([5])). This will likely": ["broadcast-in-loss"],
    "Why is my validation accuracy always 0.5?": [],
    "The model predicts the same class for every input and never learns": [],
    "模型训练了十轮，准确率一直没有变化，这是什么原因？": [],
    "Почему лосс не падает, хотя данные правильные": [],
}


@pytest.mark.parametrize("text", SAID)
def test_silent_trouble_is_answered(text: str) -> None:
    explained = quoted.explain(text)
    assert explained is not None
    assert explained.silent
    assert [match.fault.id for match in explained.found] == SAID[text]
    # Only these words have a single cause.
    certain = [match.fault.id for match in explained.found if match.certain]
    assert certain == [name for name in SAID[text] if name == "broadcast-in-loss"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "good morning",
        "epoch 1: loss 0.31\nepoch 2: loss 0.22\n",
        "loss: 0.3, nanoseconds: 12",
        "UserWarning: this feature is new",
        "Epoch 3/3 - accuracy: 0.9 - val_accuracy: 0.88",
    ],
)
def test_what_complains_of_nothing_is_not(text: str) -> None:
    assert quoted.explain(text) is None


def test_an_error_goes_before_what_was_printed_above_it() -> None:
    log = 'step 9 loss nan\nWhy?\nTraceback (most recent call last):\n  File "a.py", line 1, in f\n'
    explained = quoted.explain(f"{log}    g()\nIndexError: Target 7 is out of bounds.")
    assert explained is not None
    assert not explained.silent
    assert explained.found[0].fault.id == "target-out-of-bounds"
