"""Grades notebooks one after the other with otter-grader's own API; run by otter's Python.

`python otter_worker.py AUTOGRADER.zip NOTEBOOK…` prints a JSON object a line: the notebook, and the
score (null where otter came back without one).
"""

import json
import sys

from otter.api import grade_submission


def main():
    """Grade all that the command line names."""
    autograder, *notebooks = sys.argv[1:]
    for path in notebooks:
        try:
            score = grade_submission(path, autograder, quiet=True).total
        except Exception as error:  # whatever a submission does to it, the next one is graded
            print(f"{path}: {type(error).__name__}: {error}"[:300], file=sys.stderr)
            score = None
        print(json.dumps({"notebook": path, "score": score}), flush=True)


if __name__ == "__main__":
    main()
