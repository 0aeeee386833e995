"""What a diagnosis asks of the process that a script runs in."""

from typing import TypedDict


class DiagnosisOrder(TypedDict):
    """How a script is run when it is diagnosed.

    It runs in the tree `root`, where all lies as in the file system; what it writes anywhere else
    goes there, but for temporary files in the folder `scratch`. A pass over a loader ends after so
    many `batches`; null for all of them. With `one_batch` each pass gives its first one again.
    """

    root: str
    scratch: str
    batches: int | None
    one_batch: bool
