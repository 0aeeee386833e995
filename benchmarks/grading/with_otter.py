"""otter-grader: its own API in some long-lived workers, so that it is imported once for each.

`otter grade` would start a container for each submission; this is its cheapest way.
"""

import json
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from grading import checks, notebook
from grading.submissions import Example
from grading.tool import HOOK, Done, Scores, Setting, Work, split

TEST = """from otter.test_files import test_case

OK_FORMAT = False
name = "{name}"
points = 1
{questions}

@test_case(points=1)
def test(env):
    {name}(env)
"""


def prepare(examples: list[Example], setting: Setting, python: str) -> Work:
    """Write tests and notebooks; what grades them."""
    archive = setting.folder / "autograder.zip"
    with zipfile.ZipFile(archive, "w") as into:
        into.writestr("otter_config.json", json.dumps({"lang": "python"}))
        for number, name in enumerate(checks.NAMES):
            text = TEST.format(name=name, questions=checks.QUESTIONS)
            into.writestr(f"tests/q{number}.py", text)
    for example in examples:
        cells = notebook.cells(example.text)
        path = setting.folder / f"{example.student}.ipynb"
        path.write_text(json.dumps(notebook.whole(cells)))
    environment = setting.hooked(python)

    def some(part: list[Example]) -> Scores:
        names = [f"{e.student}.ipynb" for e in part]
        command = [python, str(HOOK / "otter_worker.py"), str(archive), *names]
        with open(setting.folder / f"{part[0].student}.log", "wb") as log:
            done = subprocess.run(
                command, cwd=setting.folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log, check=False,
            )  # fmt: skip
        lines = [json.loads(x) for x in done.stdout.splitlines() if x.startswith(b'{"notebook"')]
        return {Path(x["notebook"]).stem: x["score"] for x in lines}

    def grade() -> Done:
        with ThreadPoolExecutor(setting.jobs) as pool:
            parts = pool.map(some, split(examples, setting.jobs))
            return Done({student: score for part in parts for student, score in part.items()})

    return grade
