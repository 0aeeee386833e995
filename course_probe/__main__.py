"""Run by file name under any interpreter: `python …/course_probe/__main__.py JOB.json`.

With `--warm`, `--sandbox` or `--standby` it prepares for runs to come, by an order on stdin.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


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
        script.main(json.loads(Path(sys.argv[1]).read_text("utf-8")), is_cold=True)
