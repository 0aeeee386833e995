"""What the embedded hub has, by name: models, datasets and their configurations, metrics."""

from typing import Literal

from course.base import paths
from course.runs import supplies

HubThing = Literal["models", "datasets", "configurations", "metrics", "tasks"]
"""What can be asked of a hub by its name; a task is one of a metric."""


def names(thing: HubThing, of: str = "") -> list[str]:
    """Return the names of all things of a kind; of configurations, those of the dataset `of`.

    What lessons bring is among them. The tasks of a metric are in its code alone: of these none is
    known here.
    """
    brought = supplies.found()
    if thing == "configurations" and of in brought.data:
        return sorted(supplies.configurations(brought.data[of]))
    own = brought.data if thing == "datasets" else brought.models if thing == "models" else {}
    folder = paths.lessons() / "hub"
    if thing == "configurations":
        folder = folder / "datasets" / of if of in names("datasets") else folder / "tasks"
    else:
        folder = folder / thing
    ours = (p.name for p in folder.glob("*") if p.is_dir() and not p.name.startswith("_"))
    return sorted([*ours, *own])
