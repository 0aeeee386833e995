"""Warnings of its own and of libraries: where they are said to come from counts, too."""

import logging
import sys
import warnings


def careless():
    warnings.warn("this is old", DeprecationWarning, stacklevel=2)


careless()
warnings.warn("from nowhere above", UserWarning, stacklevel=2)
warnings.warn("from far above", FutureWarning, stacklevel=9)
warnings.warn("not shown twice", RuntimeWarning)
for _ in range(2):
    warnings.warn("shown once", UserWarning)

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(funcName)s %(lineno)d %(message)s")
log = logging.getLogger("mine")
log.info("begun in %s", sys.argv[0].rpartition("/")[2])
log.warning("looks odd")
try:
    1 / 0
except ZeroDivisionError:
    log.exception("that was to be expected")

logging.captureWarnings(True)
warnings.warn("by way of a logger", UserWarning)
logging.captureWarnings(False)
print(sys.stdout.name, sys.stdout.encoding, file=sys.stderr)
