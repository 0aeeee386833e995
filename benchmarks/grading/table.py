"""The table of the comparison."""

from grading.submissions import Example
from grading.tool import Result

HEAD = (
    "", "wall", "CPU", "training (CPU)", "hanging (CPU)",
    "beyond: wall", "ratio", "beyond: CPU", "ratio", "MB", "marks right",
)  # fmt: skip


def beside(examples: list[Example], results: list[Result], jobs: int) -> None:
    """Print it: seconds; ratios to the first row, or to the mean of all that have its label."""
    print(f"\n{len(examples)} submissions, {jobs} side by side, seconds:\n")
    print(f"| {' | '.join(HEAD)} |")
    print(f"| --- {'| ---: ' * (len(HEAD) - 1)}|")
    ours = [result.cost for result in results if result.label == results[0].label]
    mean_wall = sum(cost.wall_beyond(jobs) for cost in ours) / len(ours)
    mean_cpu = sum(cost.cpu_beyond for cost in ours) / len(ours)
    for result in results:
        cost = result.cost
        wall, cpu = cost.wall_beyond(jobs), cost.cpu_beyond
        cells = [
            result.label,
            f"{cost.wall:.1f}", f"{cost.cpu:.1f}",
            f"{cost.training_cpu:.1f}", f"{cost.hanging_cpu:.1f}",
            f"{wall:.1f}", f"{wall / mean_wall:.1f}",
            f"{cpu:.1f}", f"{cpu / mean_cpu:.1f}",
            f"{cost.memory:.0f}", f"{result.right(examples)} of {len(examples)}",
        ]  # fmt: skip
        print(f"| {' | '.join(cells)} |")
    for result in results:
        wrong = [e for e in examples if result.scores.get(e.student) != e.score]
        if wrong:
            print(f"\nOther marks than these are made for, {result.label}:")
            for example in wrong:
                print(f"- {example.student}: {result.scores.get(example.student)}, {example.score}")
