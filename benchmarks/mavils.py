"""How right are slides, beside lectures?  ``python benchmarks/alignment.py --mavils FOLDER``

FOLDER is a copy of github.com/andererka/MaViLS (Anderer, Reich and Wölfel 2024): transcripts of 20
lectures, the PDFs of their slides, and which slide is shown at each sentence. Two are left out: the
PDF of one is not in the repository, that of the other has no text. Only texts are used. As in their
evaluation, sentences without a slide are not counted.

For each lecture the calibration is fitted on the other 17. With `--settings N` so many settings are
drawn, too, and of these the one is taken that does best on the other 17. With `--ocr` the words in
the pictures of the slides are read as well: FOLDER/ocr.json keeps them.
It needs `pip install openpyxl pymupdf`, and for `--ocr` `rapidocr-onnxruntime`.
"""

from __future__ import annotations

import importlib
import itertools
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pysrt import SubRipTime

from course.subtitles.alignment import outline
from course.subtitles.alignment.align import DOCUMENT, SLIDES, Method, align, certainty
from course.subtitles.alignment.alignment import SURE
from course.subtitles.alignment.outline import Outline
from course.subtitles.cue import Cue
from course.subtitles.export.markdown import escaped

LECTURES = {
    "ML_for_health_MIT": ("ML_for_health_MIT", "ML_for_health_care_MIT"),
    "cities_and_decarbonization": ("cities_and_decarbonization", "cities&decarbonization"),
    "climate_and_cities": ("climate_and_cities", "cities&climate"),
    "climate_science_policy_MIT": ("climate_science_policy_MIT2", "climate_science_policy_MIT"),
    "cognitive_robotics_MIT": ("cognitive_robotics_MIT_control", "cognitive_robotics_MIT"),
    "computer_vision_2_2_high_res": ("computer_vision_2_2", "computer_vision_2_2_geiger"),
    "creating_breakthrough_products_MIT": ("", "creating_breakthrough_products"),
    "cryptocurrency": ("cryptocurrency_MIT", "cryptocurrency"),
    "numerics_hennig": ("numerics", "numerics"),
    "phonetics": ("phonetics", "phonetics"),
    "physics_intro_02": ("physics", "physics_intro_02"),
    "psychology_MIT": ("psychology", "psychology"),
    "reinforcement_learning_silver": ("reinforcement_learning", "reinforcement_learning"),
    "short_range_mit": ("short_range", "short_range_mit"),
    "solar_resource": ("solar_resource", "solar_resource"),
    "team_dynamics_game_design_MIT": ("", "team_dynamics_game_design_mit"),
    "theory_of_computation_MIT": ("theory_of_computation", "theory_of_computation"),
    "visual_system_MIT": ("sensory_systems", "sensory_systems"),
}
"""Of each transcript the table of its slides (or its own name), and their PDF."""
TWICE = {
    "cognitive_robotics_MIT": "ground_truth_cognitive_robotics_MIT",
    "physics_intro_02": "physics_ground_truth_labeled_control",
    "team_dynamics_game_design_MIT": "team_dynamics_game_design_MIT_ground_truth_labeled_control",
    "theory_of_computation_MIT": "theory_of_computation_MIT_ground_truth_labeled_control",
}
"""The tables of a second reader."""
WORDINGS = {"word": (0.85, 1.1, 1.4), "pair": (0.0, 0.35, 0.7), "mixture": (0.2, 0.3, 0.4, 0.5)}
METHODS = {"centre": (0.5, 1.0, 1.25, 1.5), "temper": (0.15, 0.2, 0.3, 0.4), "shortest": (1, 2, 4)}
"""Settings to draw from."""
COLUMNS = (("Time", "Key"), ("Slidenumber",), ("Value",))
Placed = tuple[NDArray[np.bool_], NDArray[np.float64]]
"""Of each sentence with a slide: whether it is right, and how probable the model has it."""


@dataclass(frozen=True)
class Lecture:
    """Sentences as cues, the slides, and the slide of each sentence; -1 where none is shown."""

    cues: tuple[Cue, ...]
    slides: Outline
    shown: tuple[int, ...]


def lecture(data: Path, name: str, seen: Sequence[str] = ()) -> Lecture:
    """Read a lecture, with what is seen on its slides; words tell when a sentence begins."""
    sentences = labelled(data, f"ground_truth_{LECTURES[name][0] or name}")
    said = (data / "audioscripts" / f"{name}.srt").read_text("utf-8")
    words = [(_ms(a), _ms(b)) for a, b in re.findall(r"\[(\S+)\s-->\s(\S+)\] ", said)]
    cues, taken, ended = [], 0, 0
    for number, (seconds, _shown, text) in enumerate(sentences, 1):
        last = seconds * 1000 + 5
        inside = list(itertools.takewhile(lambda word: word[1] <= last, words[taken:]))  # noqa: B023
        start, ended = (inside[0][0], inside[-1][1]) if inside else (ended, ended)
        taken += len(inside)
        at = map(SubRipTime.from_ordinal, (start, ended))
        cues.append(Cue(number, *at, str(text).strip()))
    texts = [page.get_text() for page in _pages(data, name)]
    both = map("".join, itertools.zip_longest(texts, seen, fillvalue=""))
    slides = "".join(f"## Slide {n}\n\n{_lines(text)}\n\n" for n, text in enumerate(both, 1))
    shown = tuple(int(shown) for _at, shown, _text in sentences)
    return Lecture(tuple(cues), outline.of_document(slides), shown)


def read_pictures(folder: Path) -> dict[str, list[str]]:
    """Read each slide that has pictures by OCR (20 minutes), or what was read before."""
    kept = folder / "ocr.json"
    if not kept.exists():
        read = importlib.import_module("rapidocr_onnxruntime").RapidOCR()
        decks = {name: _pages(folder / "data", name) for name in LECTURES}
        found = {name: [_seen(read, page) for page in deck] for name, deck in decks.items()}
        kept.write_text(json.dumps(found), "utf-8")
    return dict(json.loads(kept.read_text("utf-8")))


def _seen(read: Any, page: Any) -> str:
    if not (page.get_images() or page.get_drawings()):
        return ""
    scale = 960 / max(page.rect[2:])
    picture = page.get_pixmap(matrix=importlib.import_module("pymupdf").Matrix(scale, scale))
    lines, _seconds = read(picture.tobytes())
    return "\n".join(text for _where, text, certain in lines or () if float(certain) > 0.6)


def _pages(data: Path, name: str) -> Any:
    return importlib.import_module("pymupdf").open(data / "lectures" / f"{LECTURES[name][1]}.pdf")


def labelled(data: Path, table: str) -> list[list[Any]]:
    """Read when each sentence ends (s), the slide that is shown, and the words."""
    book = importlib.import_module("openpyxl").load_workbook(
        data / "ground_truth_files" / f"{table}.xlsx", read_only=True
    )
    head, *rows = book.active.iter_rows(values_only=True)
    places = [next(i for i, h in enumerate(head) if h in names) for names in COLUMNS]
    return [[row[i] for i in places] for row in rows if row[places[1]] is not None]


def _ms(time: str) -> int:
    hours, minutes, seconds = time.split(":")
    return int(hours) * 3_600_000 + int(minutes) * 60_000 + round(float(seconds) * 1000)


def _lines(text: str) -> str:
    return "\n".join(escaped(line.strip()) for line in text.splitlines())


def placed(one: Lecture, method: Method) -> Placed:
    """Align a lecture, without a calibration."""
    found = align(one.cues, one.slides, replace(method, calibration=(1.0, 0.0), lapse=0.0)).cues
    names = [section.step for section in one.slides.sections]
    counted = [(p, names[n - 1]) for p, n in zip(found, one.shown, strict=True) if n > 0]
    right = np.array([p.step == name for p, name in counted])
    return right, np.array([p.confidence for p, _name in counted])


def read_twice(data: Path, read: dict[str, Lecture], least: float) -> None:
    """Print how far two readers agree on cues at least as probable, and we with both."""
    agreed, right, wrong, both = 0, 0, 0, 0
    for name, table in TWICE.items():
        found = align(read[name].cues, read[name].slides, replace(SLIDES, calibration=(1.0, 0.0)))
        names = [section.step for section in read[name].slides.sections]
        second = [int(shown) for _at, shown, _text in labelled(data, table)]
        for cue, one, other in zip(found.cues, read[name].shown, second, strict=True):
            if min(one, other) > 0 and cue.confidence >= least:
                agreed += one == other
                right += cue.step == names[one - 1]
                wrong += one != other and cue.step == names[other - 1]
                both += 1
    print(
        f"\nOf the surer half, {both} cues of {len(TWICE)} lectures have two readers, who agree on "
        f"{agreed}. {right} are right by the first, and {wrong} of the others by the second."
    )


def joined(parts: Sequence[Placed]) -> Placed:
    """Join what was found in several lectures."""
    return np.concatenate([right for right, _p in parts]), np.concatenate([p for _r, p in parts])


def surest(found: Placed, share: float) -> float:
    """Return how many are right of this share of the cues, the surest ones."""
    right, probable = found
    return float(right[np.argsort(-probable, kind="stable")][: round(share * len(right))].mean())


def fitted(found: Placed) -> tuple[float, float]:
    """Fit slope and offset of a calibration: logistic regression, by Newton's method."""
    right, probable = found
    likely = np.clip(probable, 1e-6, 1 - 1e-6)
    given = np.stack([np.log(likely / (1 - likely)), np.ones(len(right))], axis=1)
    weights = np.zeros(2)
    for _step in range(25):
        now = 1 / (1 + np.exp(-given @ weights))
        curved = (given.T * (now * (1 - now))) @ given
        weights += np.linalg.solve(curved, given.T @ (right - now))
    return float(weights[0]), float(weights[1])


def drawn(chance: random.Random) -> Method:
    """Draw settings for slides."""
    first: Any = SLIDES.similarity
    wording = {name: chance.choice(of) for name, of in WORDINGS.items()}
    others: Any = {name: chance.choice(of) for name, of in METHODS.items()}
    return replace(SLIDES, similarity=replace(first, **wording), **others)


def left_out(candidates: Sequence[dict[str, Placed]], name: str) -> Placed:
    """Choose and calibrate on all lectures but one, and return that one."""
    rest = [joined([found for n, found in each.items() if n != name]) for each in candidates]
    best = max(range(len(rest)), key=lambda i: surest(rest[i], 0.5))
    right, probable = candidates[best][name]
    return right, certainty(probable, fitted(rest[best]), 0.0)


def measure(folder: Path, settings: int, ocr: bool) -> None:
    """Print how many sentences are right, how many are called sure, and how right these are."""
    pictured = read_pictures(folder) if ocr else {}
    read = {name: lecture(folder / "data", name, pictured.get(name, ())) for name in LECTURES}
    documents = joined([placed(one, DOCUMENT) for one in read.values()])
    shipped = {name: placed(one, SLIDES) for name, one in read.items()}
    slope, offset = fitted(joined(list(shipped.values())))
    print(f"The calibration that fits all lectures: {slope:.3f}, {offset:.3f}.")
    print("\n| settings | right | called sure | of these right | of the surer half right |")
    print("| --- | ---: | ---: | ---: | ---: |")
    print(f"| of documents | {documents[0].mean():.3f} | | | {surest(documents, 0.5):.3f} |")
    parts = {name: left_out([shipped], name) for name in read}
    print(f"| shipped, calibrated without the lecture | {_row(joined(list(parts.values())))} |")
    if settings:
        chance = random.Random(0)
        methods = [drawn(chance) for _ in range(settings)]
        tried = [{name: placed(one, each) for name, one in read.items()} for each in methods]
        found = joined([left_out(tried, name) for name in read])
        print(f"| the best of {settings}, chosen without the lecture as well | {_row(found)} |")
    shares = [n / 10 for n in range(1, 11)]
    curve = [f"{s:.1f}: {surest(joined(list(parts.values())), s):.3f}" for s in shares]
    print(f"\nShare of the cues, the surest ones, and how many are right: {', '.join(curve)}.")
    read_twice(folder / "data", read, float(np.median(joined(list(shipped.values()))[1])))
    print("\n| lecture | right | called sure | of these right | of the surer half right |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, part in parts.items():
        print(f"| {name} | {_row(part)} |")


def _row(found: Placed) -> str:
    right, certain = found
    sure = certain >= SURE
    among = f"{right[sure].mean():.3f}" if sure.any() else "–"
    return f"{right.mean():.3f} | {sure.mean():.3f} | {among} | {surest(found, 0.5):.3f}"
