"""Run by file name under any interpreter: `python …/course_probe/__main__.py JOB.json`.

With `--warm`, `--sandbox` or `--standby` it prepares for runs to come, by an order on stdin.
"""

import importlib.machinery
import importlib.util
import json
import os
import sys
from pathlib import Path
from types import CodeType

HERE = Path(__file__).resolve().parent

UNCOUNTED = HERE / "importlib._bootstrap"
"""Where our code says that it lies: levels of such files are none that `warnings` counts.

So the place that a warning is said to come from is the same, whether we stand between or not; see
`is_internal_frame` in CPython's `Python/_warnings.c`.
"""


class UncountedLoader(importlib.machinery.SourceFileLoader):
    """Loads a module of the probe's."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code as ever, under another name of its file."""
        code = super().get_code(fullname)
        if code is None or "coverage" in sys.modules:
            return code
        return _placed(code, str(UNCOUNTED / Path(code.co_filename).relative_to(HERE)))


def _placed(code: CodeType, file: str) -> CodeType:
    inner = (_placed(c, file) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=file, co_consts=tuple(inner))


class ProbeFinder(importlib.machinery.PathFinder):
    """Finds the modules of the probe, and nothing else."""

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):  # type: ignore[no-untyped-def]
        """Find a module as ever, and load it by our own loader."""
        if not fullname.startswith("course_probe."):
            return None
        spec = super().find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = UncountedLoader(spec.loader.name, spec.loader.path)
        return spec


def load_probe() -> None:
    """Import this folder as the package `course_probe`.

    Under a name of its own, and not by way of `sys.path`, so that a learner's `record.py` or
    `script.py` is found where it should be: beside the script.
    """
    spec = importlib.util.spec_from_file_location(
        "course_probe", HERE / "__init__.py", submodule_search_locations=[str(HERE)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["course_probe"] = package
    sys.meta_path.insert(0, ProbeFinder)
    spec.loader.exec_module(package)


if __name__ == "__main__":
    load_probe()
    if sys.argv[1] == "--warm":
        from course_probe.serve import warm

        warm.serve(json.load(sys.stdin))
    elif sys.argv[1] == "--sandbox":
        from course_probe.serve import sandbox_worker

        sandbox_worker.serve(json.load(sys.stdin))
    elif sys.argv[1] == "--standby":
        from course_probe.serve import standby

        standby.wait(json.load(sys.stdin))
    else:
        from course_probe.serve import script

        script.end_with_parent(os.getppid())
        script.main(json.loads(Path(sys.argv[1]).read_text("utf-8")), is_alone=True)
