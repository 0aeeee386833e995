"""The embedded hub: our tiny checkpoints, sentences and metrics under the real names, offline.

It is laid out once per user and runtime in the caches that `transformers`, `datasets` and
`evaluate` read, so that `from_pretrained`, `load_dataset` and `evaluate.load` find it unmodified.
The layout of the model cache is described at
https://huggingface.co/docs/huggingface_hub/guides/manage-cache.
"""

import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from course.base import files, paths, schema, user_file
from course.base.errors import UserError
from course.base.i18n import _
from course.runs import process, supplies
from course.runs.environment.runtime import Runtime
from course.runs.supplies import Supplies

EMBEDDED = "embedded"
ONLINE = "online"
REVISION = "0" * 40
"""The commit id under which the embedded checkpoints are filed: no real one."""
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
XLA_CACHE = "TF_XLA_FLAGS"
"""The variable that tells XLA, among other things, where to keep what it has compiled."""
ROOM = 100 * 2**20
"""Bytes that must be free: the layout takes a fifth of it, the results of `map` the rest."""
LAYOUT = 2
"""Counts the changes of the layout itself: an older one is laid out anew."""
KEPT_BESIDE = 2
"""How many older layouts with what lessons bring are kept: every edit of these makes a new one."""
KEPT_MAPS = 20
"""How many results of `Dataset.map` are kept: every edit of a `map` function makes a new one."""
KEPT_GRAPHS = 20
"""How many graphs that XLA has compiled are kept (4 MB each): every edit of a model makes one."""


@dataclass(frozen=True)
class Hub:
    """Where a run gets its models and data: the hub's name, and the environment that leads to it.

    `pace` are variables that make a run on this hub's models faster and change nothing else;
    `note` is a sentence for the user where something is not as it should be.
    """

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    pace: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


def check(name: str | None) -> None:
    """Make sure that there is such a hub; no name at all is right.

    Raises:
        UserError: there is none; names the nearest.

    """
    if name not in (None, EMBEDDED, ONLINE):
        raise UserError(schema.refused("--hub", str(name), (EMBEDDED, ONLINE)))


def online() -> Hub:
    """Return the real hub, or the mirror that the user's own `HF_ENDPOINT` names."""
    return Hub(ONLINE, {"HF_HUB_DISABLE_TELEMETRY": "1"})


def embedded(runtime: Runtime) -> Hub:
    """Return the embedded hub, laid out first if this user does not have it yet.

    Two runs that lay it out at once each make their own; the first to finish is kept. A cache
    folder that can't be written is replaced by one among the temporary files, with a note.

    What lessons bring is laid out in a copy, made anew when any of it changes.

    Raises:
        UserError: there is no room for it, or what a lesson brings can't be used.
        RuntimeError: the runtime's libraries could not read what ships.

    """
    home, note = _home()
    place = home / _name(runtime)
    if not place.is_dir():
        _lay_out(runtime, place)
    brought = supplies.found()
    if brought:
        usual, place = place, home / _name(runtime, brought)
        if not place.is_dir():
            _lay_out_beside(runtime, usual, place, brought)
    _prune(place)
    return Hub(EMBEDDED, environment(place), _pace(place), note)


def _pace(place: Path) -> dict[str, str]:
    """One thread: the matrices are so small that a second one costs more than it brings.

    Where the machine is busy it costs far more, as each thread spins while it waits for the other.
    What XLA has compiled is kept: the same graph takes 6 s less the next time.
    """
    pace = {
        "OMP_NUM_THREADS": "1",
        XLA_CACHE: f"--tf_xla_persistent_cache_directory={place / 'xla'}",
    }
    return {name: value for name, value in pace.items() if name not in os.environ}


def fresh(
    runtime: Runtime, place: Path, data: Path, texts: tuple[str, ...], checkpoint: str
) -> list[Path]:
    """Lay out a hub like the embedded one, but with other data, for everybody to read.

    `data` is a folder of `dataset/configuration/split.jsonl`, with the README of the dataset.
    Returns, for each split, a file of token ids: what the tokenizer of `checkpoint` makes of the
    `texts` of each example, as a list of lists.

    Raises:
        UserError: there is no room for it.
        RuntimeError: the runtime's libraries could not read the data.

    """
    usual = Path(embedded(runtime).environment["HF_HOME"])
    for part in ("hub", "modules"):
        ignored = shutil.ignore_patterns("*.lock")
        shutil.copytree(usual / part, place / part, ignore=ignored, dirs_exist_ok=True)
    tokenizer = next(place.glob(f"hub/models--{checkpoint}/snapshots/*/tokenizer.json"))
    script = _TOKENS.format(tokenizer=str(tokenizer), texts=texts, data=str(data))
    _lay_out_data(runtime, data, place, script)
    files.let_all_read(place)
    return sorted(data.glob("*/*/*.ids.json"))


_TOKENS = """
import json
from pathlib import Path
from tokenizers import Tokenizer

# Not by way of `transformers`, whose import takes longer than all the rest.
tokenizer = Tokenizer.from_file({tokenizer!r})
tokenizer.no_padding()
tokenizer.no_truncation()
for split in Path({data!r}).glob("*/*/*.jsonl"):
    rows = [json.loads(line) for line in split.read_text("utf-8").splitlines()]
    texts = [tuple(row[name] for name in {texts!r}) for row in rows]
    ids = [encoded.ids for encoded in tokenizer.encode_batch(texts)]
    split.with_suffix(".ids.json").write_text(json.dumps(ids))
"""


def is_laid_out(runtime: Runtime) -> bool:
    """Return whether the runtime's hub is laid out in this user's cache."""
    return (_home()[0] / _name(runtime, supplies.found())).is_dir()


def environment(place: Path) -> dict[str, str]:
    """Return the variables that make the libraries look in a laid out hub and nowhere else."""
    return {
        "HF_HOME": str(place),
        "HF_HUB_CACHE": str(place / "hub"),
        "HF_DATASETS_CACHE": str(place / "datasets"),
        "HF_EVALUATE_CACHE": str(place / "evaluate"),
        "HF_METRICS_CACHE": str(place / "metrics"),
        "HF_MODULES_CACHE": str(place / "modules"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        **OFFLINE,
    }


def _name(runtime: Runtime, brought: Supplies | None = None) -> str:
    """Make a name that changes with the shipped and brought files, and the libraries used."""
    shipped = (paths.lessons() / "hub" / "manifest.json").read_text("utf-8")
    libraries = [runtime.versions.get(name) for name in ("datasets", "evaluate")]
    weights = _weights(runtime)
    made = [weights, runtime.versions.get("transformers")] if weights else []
    key = json.dumps([LAYOUT, shipped, libraries, *made])
    name = f"hub-{runtime.framework}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    if not brought:
        return name
    made = [runtime.versions.get(library) for library in ("torch", "transformers", "tokenizers")]
    return f"{name}-{brought.digest(json.dumps(made))}"


def _home() -> tuple[Path, str]:
    """Return the folder for hubs and, where it is not the usual one, a sentence that says why."""
    home = paths.cache()
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            return home, ""
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise _no_space(home) from error
    spare = paths.temporary()
    with suppress(OSError):
        spare.mkdir(mode=0o700)
    # Somebody else's folder under our name could hold anything.
    if spare.is_symlink() or (hasattr(os, "getuid") and spare.stat().st_uid != os.getuid()):
        spare = Path(tempfile.mkdtemp(prefix="course-"))
    note = _("The cache folder {folder} cannot be written, so {spare} is used instead.")
    return spare, note.format(folder=f"`{home}`", spare=f"`{spare}`")


def _no_space(folder: Path) -> UserError:
    return user_file.no_space(folder, "100", "COURSE_CACHE")


def _lay_out(runtime: Runtime, place: Path) -> None:
    """Make the layout of what ships."""
    source = paths.lessons() / "hub"
    if shutil.disk_usage(place.parent).free < ROOM:
        raise _no_space(place.parent)
    with _unfinished(place) as unfinished:
        for model in sorted((source / "models").iterdir()):
            folder = unfinished / "hub" / f"models--{model.name}"
            shutil.copytree(model, folder / "snapshots" / REVISION)
            (folder / "refs").mkdir()
            (folder / "refs" / "main").write_text(REVISION)
        # Without it transformers 4 takes the cache for one of older times, and sets out to move it.
        (unfinished / "hub" / "version.txt").write_text("1")
        for metric in sorted((source / "metrics").iterdir()):
            _lay_out_metric(metric, unfinished / "modules")
        _lay_out_data(runtime, source / "datasets", unfinished)
        _lay_out_weights(runtime, unfinished)


@contextmanager
def _unfinished(place: Path) -> Iterator[Path]:
    """Hold a folder beside `place`, and move it there in one step; who was faster is kept."""
    unfinished = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    try:
        yield unfinished
        with suppress(OSError):
            unfinished.rename(place)
        if not place.is_dir():
            raise RuntimeError(f"{unfinished} could not be moved to {place}")
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _lay_out_beside(runtime: Runtime, usual: Path, place: Path, brought: Supplies) -> None:
    """Make the layout with what lessons bring, in the same way; what was brought before goes."""
    before = sorted(place.parent.glob(f"{usual.name}-*"), key=lambda p: p.stat().st_mtime)
    with _unfinished(place) as unfinished:
        locks = shutil.ignore_patterns("*.lock", "cache-*.arrow", "xla")
        shutil.copytree(usual, unfinished, dirs_exist_ok=True, ignore=locks)
        with tempfile.TemporaryDirectory() as data:
            for name, source in brought.data.items():
                _lay_out_own_data(runtime, source, Path(data) / name, unfinished)
        # The checkpoints are PyTorch's: TensorFlow's runtime has nothing to make them with.
        recipes = {} if runtime.framework == "tf" else brought.recipes()
        for name, recipe in recipes.items():
            _lay_out_own_model(runtime, brought.models[name], recipe, unfinished)
    for stale in before[:-KEPT_BESIDE]:
        shutil.rmtree(stale, ignore_errors=True)


def _lay_out_own_data(runtime: Runtime, source: Path, copy: Path, unfinished: Path) -> None:
    card = supplies.card(source)
    shutil.copytree(source, copy)
    (copy / "README.md").write_text(card, "utf-8")
    script = (
        "from datasets import get_dataset_config_names, load_dataset\n"
        f"for name in get_dataset_config_names({str(copy)!r}):\n"
        f"    load_dataset({str(copy)!r}, name)"
    )
    done = process.run(runtime, process.Job(script), environment=environment(unfinished))
    if done.record.status != "finished":
        sentence = _("{path} cannot be read: {reason}.")
        raise UserError(sentence.format(path=supplies.shown(source), reason=_error(done)))


def _lay_out_own_model(
    runtime: Runtime, source: Path, recipe: supplies.Checkpoint, unfinished: Path
) -> None:
    folder = unfinished / "hub" / f"models--{source.stem}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(REVISION)
    script = supplies.making(recipe, folder / "snapshots" / REVISION)
    done = process.run(runtime, process.Job(script), environment=environment(unfinished))
    if done.record.status != "finished":
        sentence = _("The checkpoint that {file} describes cannot be made: {error}")
        raise UserError(sentence.format(file=supplies.shown(source), error=_error(done)))


def _error(done: process.Run) -> str:
    """Return the error that the hub's script ended with, in the library's words."""
    raised = done.record.raised
    return done.output.strip().rpartition("\n")[2] if raised is None else raised.message


def _lay_out_metric(metric: Path, modules: Path) -> None:
    """File a metric where `evaluate` keeps the modules it has once downloaded."""
    name = f"evaluate-metric--{metric.name}"
    digest = hashlib.sha256((metric / f"{metric.name}.py").read_bytes()).hexdigest()
    levels = ["evaluate_modules", "metrics", name, digest]
    folder = modules.joinpath(*levels)
    shutil.copytree(metric, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for depth in range(1, len(levels) + 1):
        modules.joinpath(*levels[:depth], "__init__.py").touch()


def _lay_out_data(runtime: Runtime, datasets: Path, unfinished: Path, then: str = "") -> None:
    """Have `datasets` read each configuration once: only it knows the layout of its cache."""
    # `datasets/glue/mnli/` holds the configuration `mnli` of the dataset `glue`.
    loads = [
        f"load_dataset({str(config.parent)!r}, {config.name!r})"
        for config in sorted(datasets.glob("*/*"))
        if config.is_dir()
    ]
    script = "\n".join(["from datasets import load_dataset", *loads, then])
    done = process.run(runtime, process.Job(script), environment=environment(unfinished))
    if done.record.status != "finished":
        raise RuntimeError(f"the embedded data could not be read:\n{done.output}")


def _weights(runtime: Runtime) -> str:
    """Return the script that makes weights for a runtime that can't read the shipped, if any."""
    script = paths.lessons() / "hub" / "weights" / f"{runtime.framework}.py"
    return script.read_text("utf-8") if script.exists() else ""


def _lay_out_weights(runtime: Runtime, unfinished: Path) -> None:
    script = _weights(runtime)
    if script:
        folders = [str(p) for p in (unfinished / "hub").glob(f"models--*/snapshots/{REVISION}")]
        job = process.Job(f"FOLDERS = {folders!r}\n{script}")
        done = process.run(runtime, job, environment=environment(unfinished))
        if done.record.status != "finished":
            raise RuntimeError(f"the embedded weights could not be made:\n{done.output}")


def _prune(place: Path) -> None:
    """Forget the oldest results of `Dataset.map`, and the oldest of what XLA has compiled."""
    for pattern, kept in (("datasets/**/cache-*.arrow", KEPT_MAPS), ("xla/*", KEPT_GRAPHS)):
        found = sorted(place.glob(pattern), key=lambda p: p.stat().st_mtime)
        for stale in found[:-kept]:
            with suppress(OSError):
                stale.unlink()
