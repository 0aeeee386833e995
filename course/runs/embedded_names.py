"""What the embedded hub has, by name: models, datasets and their configurations, metrics."""

from typing import Literal

from course import paths

HubThing = Literal["models", "datasets", "configurations", "metrics", "tasks"]
"""What can be asked of a hub by its name; a task is one of a metric."""


def names(thing: HubThing, of: str = "") -> list[str]:
    """The names of all things of a kind; of configurations, those of the dataset `of`.

    The tasks of a metric are in its code alone: of these none is known here.
    """
    folder = paths.lessons() / "hub"
    if thing == "configurations":
        folder = folder / "datasets" / of if of in names("datasets") else folder / "tasks"
    else:
        folder = folder / thing
    return sorted(p.name for p in folder.glob("*") if p.is_dir() and not p.name.startswith("_"))
