"""What a diagnosis asks of the process that a script runs in."""

from typing import TypedDict


class DiagnosisOrder(TypedDict):
    """How a script is run when it is diagnosed.

    What it writes to absolute paths goes to the folder `scratch`. A pass over a loader ends after
    so many `batches`; null for all of them. With `one_batch` each pass gives its first one again.
    """

    scratch: str
    batches: int | None
    one_batch: bool
