"""Makes `docs/stacks.md` of `benchmarks/results/stacks.json`; `page.py` writes it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from stacks import BITING, STACKS, STORED, Measured, Result, read, signature_key

from course.lesson.catalogue import catalogue
from course.lesson.signature import Signature
from tests.provoking import KERAS

PAGE = STORED.parents[2] / "docs" / "stacks.md"
HEAD = """# Stacks

<!-- Made by `python benchmarks/page.py` from `benchmarks/results/stacks.json`. -->

Each provoked fault (`tests/provoked/`) and each step of each lesson's walk, run with libraries of
several times by `python benchmarks/stacks.py`, and every night by a workflow, which fails with the
name of a fault that no longer bites. PyTorch is 2.13.0 in all stacks, for the CPU. *Silent*: the
script came to its end. *Not supported*: the lesson asks for newer libraries, and says so. A case
with no result is *not measured*.
"""
MARKS = {
    "of a GPU": r"GPU|CUDA|cuda|NCCL|CUDNN|Blas GEMM|StreamExecutor|Invalid device id"
    r"|device \d does not equal|bfloat16 is not",
    "of a service or a cluster": r"(?i)huggingface_hub|the hub's|hub-unreachable|gated|rate-limit"
    r"|deepspeed|slurm|several machines|write-access|repository-not-found"
    r"|dataset-script-unsupported",
    "of libraries that were exchanged, or compiled for others": r"binary incompatib"
    r"|compiled against|compiled using NumPy|dispatcher tracer",
    "of another system": r"Windows|WinError|\bMac\b|\bMPS\b",
    "of a full disk": "StorageFull",
    "printed and not raised, or cut by a user": "SystemExit|cut before",
    "of a library or a program that no stack has": r"(?i)lightning|peft|trl\b|bitsandbytes|xgboost"
    r"|opencv|gensim|matplotlib|pillow|torchvision|torchtext|jax|bertopic|vllm|sentencepiece|apex"
    r"|colossal|spacy|programs of users|orbax|torchcodec|AudioDecoder|torchao|nltk|flash|triton"
    r"|theano|SAM-like|onnx|fairseq|optimum|wandb|h5py|torchaudio|timm|diffusers|lightgbm"
    r"|allennlp|catboost",
}
"""Why a signature can't bite in a stack, and what its origin, class or example has then."""
LOWEST = {
    **{"torch": (2, 13), "transformers": (4, 46), "datasets": (3, 6), "accelerate": (1, 0)},
    **{"numpy": (1, 26), "keras": (2, 15), "tensorflow": (2, 15), "pandas": (2, 2)},
    **{"Python": (3, 11), "evaluate": (0, 4), "scikit-learn": (1, 9), "tokenizers": (0, 20)},
    **{"safetensors": (0, 8), "setuptools": (84,)},
}
"""The oldest version of each library in any stack."""
ORIGIN = re.compile(rf"({'|'.join(LOWEST)}) (\d+(?:\.\d+)*)((?: (?:to|and) \d+(?:\.\d+)*)*)")


def page(found: dict[str, Measured]) -> str:
    """Return the page in Markdown."""
    of_all = Counter(case for each in found.values() for case in each.cases)
    walks = [case for case in sorted(of_all) if is_walk(case)]
    faults = [case for case in sorted(of_all) if ":" not in case]
    steps = [case for case in sorted(of_all) if ":" in case and not is_walk(case)]
    return "\n".join(
        [
            *(HEAD, "## What is in them\n", versions(found), "## Summary\n", summary(found)),
            *("## Lessons\n", "The walk as a whole.\n", cells(found, walks)),
            *("### Their steps\n", words(found, steps), "## Signatures\n", signatures(found)),
            *("## Where stacks differ\n", words(found, [f for f in faults if differs(found, f)])),
            *("## Alike in all\n", words(found, [f for f in faults if not differs(found, f)])),
        ]
    )


def is_walk(case: str) -> bool:
    """Whether a case is the whole of a lesson's walk."""
    return ":" in case and " " not in case


def results(found: dict[str, Measured], case: str) -> dict[str, Result]:
    """Return the results of a case by stack."""
    return {stack: each.cases[case] for stack, each in found.items() if case in each.cases}


def differs(found: dict[str, Measured], case: str) -> bool:
    """Whether a case comes out differently, or other than recognised, in some stack."""
    outcomes = {(r.outcome, r.named) for r in results(found, case).values()}
    return len(outcomes) > 1 or next(iter(outcomes))[0] != "recognised"


def versions(found: dict[str, Measured]) -> str:
    """Return the table of the libraries."""
    rows = []
    for stack in STACKS:
        about = found.get(stack)
        told = about.versions if about else {}
        said = ", ".join(f"{name} {version}" for name, version in told.items())
        rows.append([f"`{stack}`", said or "not measured", about.date if about else "–"])
    return table(["stack", "libraries", "date"], rows)


def summary(found: dict[str, Measured]) -> str:
    """Return the table that counts outcomes of provoked scripts, and those without one."""
    faults = {case for each in found.values() for case in each.cases if ":" not in case}
    counted = {}
    for stack in STACKS:
        by = found[stack].cases if stack in found else {}
        asked = [case for case in faults if case.endswith(KERAS) == stack.startswith("tf")]
        counted[stack] = Counter(by[c].outcome if c in by else "not measured" for c in asked)
    outcomes = (*BITING, "silent", "no result", "not measured")
    heads = [outcome for outcome in outcomes if any(c[outcome] for c in counted.values())]
    rows = [[f"`{stack}`", *(str(c[o]) for o in heads)] for stack, c in counted.items()]
    return table(["provoked scripts", *heads], rows)


def cells(found: dict[str, Measured], cases: Iterable[str]) -> str:
    """Return a table with a column for each stack."""
    rows = [
        [f"`{case}`", *(r.outcome if (r := by.get(s)) else unmeasured(case, s) for s in STACKS)]
        for case in cases
        for by in [results(found, case)]
    ]
    shown = [[cell.replace("recognised", "completed") for cell in row] for row in rows]
    return table(["lesson", *(f"`{stack}`" for stack in STACKS)], shown)


def unmeasured(case: str, stack: str) -> str:
    """Return what stands where a lesson has no result: some stacks are of the other framework."""
    return "not measured" if stack.partition("-")[0] == case.partition(":")[2] else "–"


def words(found: dict[str, Measured], cases: Iterable[str]) -> str:
    """Return a table with a row for each way in which a case comes out."""
    rows = []
    for case in cases:
        by = results(found, case)
        for result in dict.fromkeys(by.values()):
            stacks = [stack for stack, each in by.items() if each == result]
            where = (
                "all measured" if len(stacks) == len(by) else ", ".join(f"`{s}`" for s in stacks)
            )
            other = f": `{result.named}`" if result.outcome == "taken for another" else ""
            said = result.words.replace("|", "\\|").replace("`", "'")
            rows.append(
                [f"`{case}`", f"{result.outcome}{other}", f"`{said}`" if said else "–", where]
            )
    return table(["case", "outcome", "words", "stacks"], rows)


def signatures(found: dict[str, Measured]) -> str:
    """Return the table that counts the catalogue's signatures by whether they bite."""
    all_results = [result for each in found.values() for result in each.cases.values()]
    bitten = {key for result in all_results for key in (result.signature, *result.fits)}
    counted = Counter(
        "bites in a stack" if signature_key(fault.id, each) in bitten else mark(fault.id, each)
        for fault in catalogue().values()
        for each in fault.signatures
        if isinstance(each, Signature)
    )
    rows = [[what, str(number)] for what, number in counted.most_common()]
    return table(["signatures of exceptions", "number"], [*rows, ["all", str(counted.total())]])


def mark(fault: str, signature: Signature) -> str:
    """Return why a signature bites in no stack, by what it says of its origin."""
    if signature.device == "cuda":
        return "of a GPU"
    if signature.hub == "online":
        return "of a service or a cluster"
    if signature.hub == "embedded":
        return "of the embedded hub, without which scripts are provoked"
    said = f"{fault} {signature.seen} {signature.exception} {signature.example}"
    for why, pattern in MARKS.items():
        if re.search(pattern, said):
            return why
    # Of libraries that came together it is enough that one is old.
    origins = [ORIGIN.findall(text) for text in re.split("[,;]", signature.seen)]
    newest = [any(is_old(*each) for each in together) for together in origins if together]
    if newest and all(newest):
        return "old"
    if "reports of users" in signature.seen:
        return "reported by users; no script provokes it yet"
    return "seen with libraries of today; no script provokes it yet"


def is_old(library: str, version: str, later: str) -> bool:
    """Whether the newest version that an origin names is older than any stack's."""
    last = re.findall(r"\d+(?:\.\d+)*", later)[-1:] or [version]
    numbers = tuple(map(int, last[0].split(".")))
    # A whole number stands for all of its versions.
    return numbers < LOWEST[library][: len(numbers)]


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def text() -> str:
    """Return the page of the stored results."""
    return page(read(STORED))
