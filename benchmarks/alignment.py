"""How right is the aligner?  ``python benchmarks/alignment.py CORPUS [--documents DIR] [--speed]``

CORPUS is a folder with the course's transcripts (`en/`, `zh-CN/`, `ru/`). The boundaries that
readers found are in `benchmarks/gold`: `lessons` (both videos of chapter 8/4, read twice, on which
the method was fixed), `development` (documents it was tried on as well) and `heldout` (never looked
at while it was made). Documents that are not ours are looked for in DIR.

Prints Markdown tables: how many cues are given the right step, how many boundaries are found within
1.5 s and 5 s (F1), WindowDiff (Pevzner and Hearst 2002; less is better), and the same for two
simple methods: cutting evenly, and TF-IDF cosines with the best path from left to right. Then how
often a cue is right by how sure it is called, transcripts of other lessons, and, with `--speed`,
cues a second. No pins are used. `--mavils FOLDER` measures slides instead: `benchmarks/mavils.py`.
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import statistics
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mavils
import numpy as np

from course.base.i18n import available
from course.lesson import lesson
from course.subtitles.alignment import outline
from course.subtitles.alignment.align import DOCUMENT, LESSON, Method, align
from course.subtitles.alignment.alignment import DOUBT, INTRO, OUTRO, SURE
from course.subtitles.alignment.outline import Outline
from course.subtitles.cue import Cue
from course.subtitles.transcript import parser
from course.subtitles.transcript.languages import split_languages

GOLD = Path(__file__).parent / "gold"
Simple = Callable[[Sequence[Cue], Outline], list[str]]


@dataclass(frozen=True)
class Pairing:
    """A transcript in some languages beside an outline in some, and the step of each cue."""

    video: str
    beside: str
    said: str
    cues: tuple[Cue, ...]
    outline: Outline
    method: Method
    steps: tuple[str, ...]


def even(cues: Sequence[Cue], beside: Outline) -> list[str]:
    """Cut the cues evenly into intro, sections and outro."""
    names = [INTRO, *(s.step for s in beside.sections), OUTRO]
    return [names[i * len(names) // len(cues)] for i in range(len(cues))]


def plain(cues: Sequence[Cue], beside: Outline) -> list[str]:
    """TF-IDF cosines of words and pairs of Han characters, and the path with the greatest sum."""
    names = [INTRO, *(s.step for s in beside.sections), OUTRO]
    texts = [
        beside.intro,
        *(" ".join((s.core, s.text, s.aside)) for s in beside.sections),
        beside.outro,
    ]
    bags = [Counter(_words(text)) for text in (*texts, *(cue.text for cue in cues))]
    known = Counter(word for bag in bags for word in bag)
    vectors = []
    for bag in bags:
        vector = {w: n * math.log(len(bags) / known[w]) for w, n in bag.items()}
        size = math.sqrt(sum(x * x for x in vector.values())) or 1.0
        vectors.append({w: x / size for w, x in vector.items()})
    sections, said = vectors[: len(texts)], vectors[len(texts) :]
    near = np.array(
        [[sum(x * s.get(w, 0.0) for w, x in c.items()) for s in sections] for c in said]
    )
    total, origins = np.zeros(len(names)), []
    for row in near:
        origin = np.array([int(np.argmax(total[: j + 1])) for j in range(len(names))])
        origins.append(origin)
        total = total[origin] + row
    state = int(total.argmax())
    path = []
    for origin in reversed(origins):
        path.append(names[state])
        state = int(origin[state])
    return path[::-1]


def _words(text: str) -> list[str]:
    found = []
    for run in re.findall(r"[\u4e00-\u9fff]+|[^\W_]+", text.lower()):
        han = "\u4e00" <= run[0] <= "\u9fff"
        found += [run[i : i + 2] for i in range(len(run) - 1)] if han else [run]
    return found


def right(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Return the share of cues with the right step."""
    return statistics.mean(a == b for a, b in zip(found, wanted, strict=True))


def boundaries(cues: Sequence[Cue], steps: Sequence[str]) -> list[tuple[str, int]]:
    """Where each step begins (ms)."""
    return [
        (steps[i], cues[i].start.ordinal) for i in range(1, len(steps)) if steps[i] != steps[i - 1]
    ]


def f1(pairing: Pairing, found: Sequence[str], within: float) -> float:
    """Compute the F1 of boundaries: right where the same step begins within so many seconds."""
    wanted = dict(boundaries(pairing.cues, pairing.steps))
    got = dict(boundaries(pairing.cues, found))
    hits = sum(abs(at - wanted[s]) <= within * 1000 for s, at in got.items() if s in wanted)
    return 2 * hits / (len(wanted) + len(got)) if wanted or got else 1.0


def window_diff(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Return the share of windows, half a mean segment wide, whose number of boundaries differs."""
    cuts = [[int(a != b) for a, b in itertools.pairwise(steps)] for steps in (found, wanted)]
    width = max(2, round(len(wanted) / (sum(cuts[1]) + 1) / 2))
    spans = range(len(wanted) - width)
    return statistics.mean(
        sum(cuts[0][i : i + width]) != sum(cuts[1][i : i + width]) for i in spans
    )


def transcripts(corpus: Path, gold: dict[str, Any]) -> Iterator[tuple[str, tuple[Cue, ...]]]:
    """Yield the transcript in each language it exists in; `zh-CN` holds Chinese and English."""
    for folder in gold["languages"]:
        transcript = parser.load(corpus / folder / f"{gold['transcript']}.srt").transcript
        cues = tuple(transcript)
        if folder != "zh-CN":
            yield folder, cues
            continue
        yield "zh+en", cues
        parts = split_languages(transcript)
        yield (
            "zh",
            tuple(
                Cue(cue.index, cue.start, cue.end, text.get("zh") or cue.text, cue.line)
                for cue, text in zip(cues, parts.texts, strict=True)
            ),
        )


def outlines(
    source: Path, gold: dict[str, Any], others: Path | None
) -> Iterator[tuple[str, Outline]]:
    """Yield the outlines to align the transcript with, in each language that they exist in."""
    if "lesson" in gold:
        part = lesson.load(gold["lesson"]).parts[gold["framework"]]
        for language in available():
            yield f"lesson {language}", outline.of_lesson(part, [language])
        yield "lesson as shipped", outline.of_lesson(part, available())
        return
    places = [source.parent / gold["document"], *([others / gold["document"]] if others else [])]
    for place in places:
        if place.exists():
            text = place.read_text("utf-8-sig")
            yield f"document {gold['document_language']}", outline.of_document(text)
            return
    print(f"Not here, so left out: {gold['document']}")


def pairings(kind: str, corpus: Path, others: Path | None) -> Iterator[Pairing]:
    """Every transcript of one kind of gold beside every outline."""
    for source in sorted((GOLD / kind).glob("*.toml")):
        gold = tomllib.loads(source.read_text("utf-8"))
        steps = labels(gold["segment"])
        for (beside, structure), (said, cues) in itertools.product(
            outlines(source, gold, others), list(transcripts(corpus, gold))
        ):
            assert len(cues) == len(steps), (source, len(cues), len(steps))
            method = LESSON if "lesson" in gold else DOCUMENT
            video = gold["transcript"][:2]
            yield Pairing(video, beside, said, cues, structure, method, tuple(steps))


def labels(segments: Sequence[dict[str, Any]]) -> list[str]:
    """Return the step of each cue."""
    return [
        outline.strip_markup(s["step"])
        for s in segments
        for _cue in range(s["first"], s["last"] + 1)
    ]


def agreement() -> None:
    """How far two readers of the same video agree."""
    for source in sorted((GOLD / "lessons").glob("*.toml")):
        gold = tomllib.loads(source.read_text("utf-8"))
        one, other = labels(gold["segment"]), labels(gold["second_reading"])
        print(f"Two readers of {source.stem} agree on {right(one, other):.3f} of its cues.")


def measure(kind: str, corpus: Path, others: Path | None, lines: bool) -> list[tuple[bool, float]]:
    """Print the table of one kind; gives for each cue whether it is right, and its confidence."""
    simple: dict[str, Simple] = {"TF-IDF": plain, "even": even}
    sure: list[tuple[bool, float]] = []
    shares: dict[str, list[float]] = {name: [] for name in ("ours", *simple)}
    rest: dict[str, list[tuple[float, float, float]]] = {name: [] for name in shares}
    print(f"\n### {kind}\n")
    if lines:
        print("| video | beside | transcript | ours | TF-IDF | even |")
        print("| --- | --- | --- | ---: | ---: | ---: |")
    for pairing in pairings(kind, corpus, others):
        placed = align(pairing.cues, pairing.outline, pairing.method).cues
        sure += [
            (p.step == step, p.confidence) for p, step in zip(placed, pairing.steps, strict=True)
        ]
        steps = {"ours": [p.step for p in placed]}
        steps |= {name: f(pairing.cues, pairing.outline) for name, f in simple.items()}
        for name, found in steps.items():
            shares[name].append(right(found, pairing.steps))
            differ = window_diff(found, pairing.steps)
            rest[name].append((f1(pairing, found, 1.5), f1(pairing, found, 5.0), differ))
        if lines:
            cells = " | ".join(f"{found[-1]:.3f}" for found in shares.values())
            print(f"| {pairing.video} | {pairing.beside} | {pairing.said} | {cells} |")
    print("\n| method | cues right | worst pairing | F1, 1.5 s | F1, 5 s | WindowDiff |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, found in shares.items():
        narrow, wide, differ = (statistics.mean(x) for x in zip(*rest[name], strict=True))
        print(
            f"| {name} | {statistics.mean(found):.3f} | {min(found):.3f} | {narrow:.3f} "
            f"| {wide:.3f} | {differ:.3f} |"
        )
    return sure


def calibration(kind: str, sure: list[tuple[bool, float]]) -> None:
    """Print how often cues are right, by how sure the aligner was."""
    print(f"\n| {kind}: confidence | cues | of them right |\n| --- | ---: | ---: |")
    edges = [0.0, 0.5, 0.7, 0.8, SURE, 0.95, 1.01]
    for low, high in itertools.pairwise(edges):
        inside = [ok for ok, confidence in sure if low <= confidence < high]
        if inside:
            name = f"{low:.2f} to {high:.2f}" if high <= 1 else f"at least {low:.2f}"
            print(f"| {name} | {len(inside)} | {statistics.mean(inside):.3f} |")


def strangers(corpus: Path) -> None:
    """Print how the transcripts of other lessons fare."""
    golds = [tomllib.loads(p.read_text("utf-8")) for p in sorted((GOLD / "lessons").glob("*.toml"))]
    own = {gold["transcript"] for gold in golds}
    files = [p for p in sorted((corpus / "en").glob("*.srt")) if p.stem not in own]
    told, confident, everything = 0, 0, 0
    for gold in golds:
        part = lesson.load(gold["lesson"]).parts[gold["framework"]]
        beside = outline.of_lesson(part, available())
        for path in files:
            found = align(parser.load(path).transcript, beside, LESSON)
            told += found.related < DOUBT
            confident += sum(p.confidence >= SURE for p in found.cues)
            everything += len(found.cues)
    total = len(files) * len(golds)
    print(
        f"\nTranscripts of other videos beside chapter 8/4: {told} of {total} told to be something "
        f"else; {confident} of their {everything} cues called at least {SURE} sure."
    )


def speed(corpus: Path) -> None:
    """Print cues a second as the transcript grows, and the growth of time."""
    source = sorted((GOLD / "lessons").glob("*.toml"))[-1]
    gold = tomllib.loads(source.read_text("utf-8"))
    _said, cues = next(transcripts(corpus, gold))
    beside = outline.of_lesson(lesson.load(gold["lesson"]).parts[gold["framework"]], available())
    align(cues, beside, LESSON)
    print("\n| cues | seconds | cues a second | against linear |\n| ---: | ---: | ---: | ---: |")
    each = None
    for size in (100, 1_000, 10_000, 100_000):
        # The video again and again, each step so many times as long.
        times = -(-size // len(cues))
        long = [
            Cue(cue.index, cue.start * times, cue.end * times, cue.text)
            for cue in cues
            for _repeat in range(times)
        ][:size]
        began = time.perf_counter()
        align(long, beside, LESSON)
        seconds = time.perf_counter() - began
        each = each or seconds / size
        print(f"| {size} | {seconds:.2f} | {size / seconds:.0f} | {seconds / size / each:.2f} |")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path, nargs="?")
    parser.add_argument("--mavils", type=Path, metavar="FOLDER")
    parser.add_argument("--settings", type=int, default=0, metavar="N")
    parser.add_argument("--ocr", action="store_true")
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--kinds", nargs="*", default=["lessons", "development", "heldout"])
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    if options.mavils is not None:
        mavils.measure(options.mavils, options.settings, options.ocr)
        return
    if options.corpus is None:
        parser.error("say where the transcripts are: CORPUS, or --mavils FOLDER")
    agreement()
    for kind in options.kinds:
        sure = measure(kind, options.corpus, options.documents, lines=True)
        calibration(kind, sure)
    strangers(options.corpus)
    if options.speed:
        speed(options.corpus)


if __name__ == "__main__":
    main()
