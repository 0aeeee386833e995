"""`python -m course` is the command `course`; so is the script that `pip` installs."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; Ctrl-C is answered even while it is still being loaded."""
    try:
        from course.cli import main as command
    except KeyboardInterrupt:
        sys.exit(130)
    command()


if __name__ == "__main__":
    main()
