"""What people paste though nothing was raised: a loss of nan, a warning, a question in words."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from course.lesson import catalogue
from course.lesson.catalogue import Match

SHORT = 40
"""Lines of a text that may be a question."""


@dataclass(frozen=True)
class Symptom:
    """Words of a text in which nothing fails, and the faults that they may come from.

    The words of one that is `certain` have no other cause.
    """

    pattern: re.Pattern[str]
    faults: tuple[str, ...]
    certain: bool = False


@dataclass(frozen=True)
class Complaint:
    """The words of a text that tell of silent trouble, and what may be behind them."""

    words: str
    found: tuple[Match, ...] = ()


_LOSS = r"(?:loss\w*|grad_norm|perplexity|ppl|损失|потер\w*)"
SYMPTOMS = (
    Symptom(
        re.compile(
            r"Using a target size \(\S+Size\(\[[^\]]*\]\)\) that is different to the input size"
        ),
        ("broadcast-in-loss",),
        certain=True,
    ),
    Symptom(
        re.compile(r"call of `?lr_scheduler\.step\(\)`? before `?optimizer\.step\(\)`?"),
        ("optimizer-step-missing", "schedule-out-of-step"),
    ),
    Symptom(
        re.compile(r"[Nn]one of the inputs have requires_grad"),
        ("frozen-inputs-with-checkpointing",),
    ),
    Symptom(
        re.compile(
            rf"(?i){_LOSS}[^\n.]{{0,40}}?(?<![\w.])[-+]?(?:nan|inf(?:inity)?)(?![\w.]*\w)"
            rf"|(?<![\w.])nan(?![\w.]*\w)[^\n.]{{0,40}}?{_LOSS}"
        ),
        ("learning-rate-too-high", "nan-in-inputs", "exploding-gradients", "fp16-overflow"),
    ),
)
_TOPIC = re.compile(
    r"(?i)\b(?:loss|accuracy|f1|metric|train\w*|learn\w*|predict\w*|model|epochs?|validation"
    r"|overfit\w*|converg\w*|gradients?|weights)\b"
    r"|损失|准确率|训练|模型|收敛|预测|梯度|过拟合|指标|学习"
    r"|\b(?:потер\w*|лосс\w*|точност\w*|обуч\w*|учит\w*|модел\w*|метрик\w*|предсказ\w*|градиент\w*"
    r"|эпох\w*|сход\w*)"
)
_ASKS = re.compile(
    r"[?？]"
    r"|(?i:\b(?:why|how come|what could|does ?n[o'’]t|is ?n[o'’]t|not|never|always|stuck|stays?)\b)"
    r"|为什么|怎么|如何|不|没|一直|总是"
    r"|(?i:\b(?:почему|отчего|как|не|всегда|никогда|всё время)\b)"
)
_FIGURES = re.compile(r"[=:|]\s*-?\d")
"""How a log writes its figures."""


def complaint(text: str) -> Complaint | None:
    """Find the complaint in a text without an error; None where it has none."""
    # A terminal may have broken a line of a warning.
    joint = " ".join(text.split())
    for symptom in SYMPTOMS:
        if found := symptom.pattern.search(joint):
            return Complaint(_around(text, found.group()), tuple(_matches(symptom)))
    said = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in said if not _FIGURES.search(line)]
    words = " ".join(told)
    if 0 < len(said) <= SHORT and _TOPIC.search(words) and _ASKS.search(words):
        return Complaint("\n".join(told))
    return None


def _matches(symptom: Symptom) -> Iterable[Match]:
    known = catalogue.catalogue()
    for name in symptom.faults:
        yield Match(known[name], known[name].signatures[0], certain=symptom.certain)


def _around(text: str, words: str) -> str:
    """Return the line of a text with some words in it, or the words, where they stand in two."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if words in " ".join(line.split())), words)
