"""A framework in miniature: real wheels of a few hundred bytes, a hashed list, a lesson in it."""

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from tests import documents
from tests.command import CLEAN, ROOT

WAITS = """
import os, time
noted = os.environ.get("TOY_WAIT")
if noted and os.path.exists(noted):
    open(noted, "w").write(f"{os.getpid()}\\n")
    while os.path.exists(noted):
        time.sleep(0.02)
"""
"""A module that, while a file is there, writes its process id into it and waits."""
DATASETS = "def load_dataset(*words): pass\n"
LESSON = """
format = 1
id = "toy-1"
title = "Toy"
summary = "Toy."

[toy]
script = "exercise.py"
requires = ["sentence>=1.0,<2", "datasets>=1"]
outcome = { metric = "accuracy", margin = 0.2, labels = 3, examples = 1, eval_examples = 1 }

[toy.online]
note = "Note."
outcome = {}
edits = [{ buggy = "import sentence", healthy = "import sentence as s" }]

[[toy.bug]]
fault = "missing-input-ids"
reason = "Reason."
edits = [{ buggy = "1 / 0", healthy = "1 / 1" }]

[[toy.step]]
id = "missing-input-ids"
intro = "Intro."

[[toy.step]]
id = "healthy"
intro = "Intro."
"""
OWN = 'format = 1\npython = ">=3.11"\ncuda = ""\n'
RUNTIME = """
format = 1
python = ">=3.11,<3.15"
cuda = ""

[recipe]
pins = "toy.txt"
download = 1
installed = 20
modules = ["sentence", "datasets"]
"""
WHEELS = ("--no-index", "--find-links", "wheels")
"""The options that take all packages from the framework's own folder."""
LAUNCH = (
    "import sys; from pathlib import Path; from course.base import paths;"
    "place = Path(sys.argv[1]);"
    "paths.lessons = lambda: place; sys.argv = ['course', *sys.argv[2:]];"
    "from course.cli import main; main()"
)


def wheel(folder: Path, name: str, version: str, module: str = "") -> str:
    """Make a wheel with one module; its line for a hashed list."""
    info = f"{name}-{version}.dist-info"
    contents = {
        f"{name}.py": module,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: toy\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    record = []
    for path, text in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        record.append(f"{path},sha256={digest.decode()},{len(text.encode())}\n")
    record.append(f"{info}/RECORD,,\n")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inner, text in {**contents, f"{info}/RECORD": "".join(record)}.items():
            archive.writestr(inner, text)
    return line(path, name, version)


def line(path: Path, name: str, version: str) -> str:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"{name}=={version} \\\n    --hash=sha256:{digest}\n    # via toy\n"


@dataclass
class Toy:
    """The framework `toy`, in a folder: its lessons, its wheels, where it is installed."""

    folder: Path
    lines: list[str] = field(default_factory=list)

    @property
    def lessons(self) -> Path:
        return self.folder / "lessons"

    @property
    def wheels(self) -> Path:
        return self.folder / "wheels"

    @property
    def packages(self) -> Path:
        """The cache of uv."""
        return self.folder / "packages"

    @property
    def runtimes(self) -> Path:
        return self.folder / "runtimes"

    @property
    def installed(self) -> Path:
        """The folder of the one environment that is there, whole or not."""
        (found,) = self.runtimes.glob("toy-*")
        return found

    def make(self) -> "Toy":
        runtimes = self.lessons / "runtimes"
        runtimes.mkdir(parents=True)
        (runtimes / "own.toml").write_text(OWN)
        (runtimes / "toy.toml").write_text(RUNTIME)
        (self.lessons / "toy-1").mkdir()
        (self.lessons / "toy-1" / "lesson.toml").write_text(LESSON)
        (self.lessons / "toy-1" / "exercise.py").write_text("import sentence\n1 / 0\n")
        for name in ("models", "metrics", "datasets"):
            (self.lessons / "hub" / name).mkdir(parents=True)
        (self.lessons / "hub" / "manifest.json").write_text("{}")
        (self.lessons / "hub" / "models" / "tiny").mkdir()
        (self.lessons / "faults").symlink_to(ROOT / "lessons" / "faults")
        self.lines.append(wheel(self.wheels, "sentence", "1.5", WAITS))
        self.lines.append(wheel(self.wheels, "datasets", "3.0", DATASETS))
        self.lines.append("elsewhere==1.0 ; sys_platform == 'nowhere' \\\n    --hash=sha256:00\n")
        return self.write()

    def write(self) -> "Toy":
        (self.lessons / "runtimes" / "toy.txt").write_text("".join(self.lines))
        return self

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-c", LAUNCH, str(self.lessons), *words]

    def variables(self, **more: str) -> dict[str, str]:
        kept = {k: v for k, v in CLEAN.items() if not k.startswith(("PIP_", "UV_"))}
        return {
            **kept,
            "PYTHONPATH": str(ROOT),
            "PIP_CONFIG_FILE": os.devnull,
            "UV_CACHE_DIR": str(self.packages),
            "COURSE_RUNTIMES": str(self.runtimes),
            "COURSE_CACHE": str(self.folder / "cache"),
            **more,
        }

    def course(self, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
        """Run the command line on these lessons."""
        done = subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env=self.variables(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        documents.check(words, done.stdout)
        return done

    def start(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self.command(*words),
            cwd=self.folder,
            env=self.variables(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def install(self, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
        return self.course("runtime", "install", "toy", "--yes", *words, **more)

    def workers(self) -> list[int]:
        """Find the processes that work in this framework's folder."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if os.fsencode(self.runtimes) in words and entry.name != str(os.getpid()):
                found.append(int(entry.name))
        return found
