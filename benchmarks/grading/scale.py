"""What a submission costs in a small class and in a large one, without any training."""

from collections.abc import Callable
from dataclasses import replace

from grading import with_course
from grading.meter import Meter
from grading.submissions import Maker
from grading.tool import Setting


def report(maker: Maker, sizes: list[int], setting: Setting, say: Callable[[str], None]) -> None:
    """Grade classes of these sizes, and print what each submission costs."""
    print(
        "\n| submissions | seconds | CPU seconds | seconds each | CPU seconds each | MB | right |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for size in sizes:
        say(f"{size} submissions")
        folder = setting.folder / str(size)
        folder.mkdir()
        here = replace(setting, folder=folder)
        examples = maker.small(size)
        done, cost = Meter(here.journal).measure(with_course.prepare(examples, here))
        right = sum(done.scores.get(e.student) == e.score for e in examples)
        each = f"{cost.wall / size:.3f} | {cost.cpu / size:.3f}"
        print(
            f"| {size} | {cost.wall:.1f} | {cost.cpu:.1f} | {each} | {cost.memory:.0f} | {right} |"
        )
