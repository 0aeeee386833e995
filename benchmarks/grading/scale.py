"""What a submission costs in a small class and in a large one, beyond its training.

Every grading begins with the lesson's own solution and with the libraries' import: what each
submission more costs is the difference between two classes.
"""

from collections.abc import Callable
from dataclasses import replace

from grading import with_course
from grading.meter import Meter
from grading.submissions import Maker
from grading.tool import Setting


def report(maker: Maker, sizes: list[int], setting: Setting, say: Callable[[str], None]) -> None:
    """Grade classes of these sizes, and print what each submission costs."""
    print("\n| submissions | seconds | CPU | beyond training: CPU | each more: CPU | MB | right |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    before: tuple[int, float] | None = None
    for size in sizes:
        say(f"{size} submissions")
        folder = setting.folder / str(size)
        folder.mkdir()
        here = replace(setting, folder=folder)
        examples = maker.small(size)
        done, cost = Meter(here.journal).measure(with_course.prepare(examples, here))
        right = sum(done.scores.get(e.student) == e.score for e in examples)
        beyond = cost.cpu - (done.training or 0.0)
        each = f"{(beyond - before[1]) / (size - before[0]):.2f}" if before is not None else "–"
        before = size, beyond
        cells = [f"{cost.wall:.1f}", f"{cost.cpu:.1f}", f"{beyond:.1f}", each]
        print(f"| {size} | " + " | ".join(cells) + f" | {cost.memory:.0f} | {right} |", flush=True)
