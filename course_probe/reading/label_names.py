"""What labels are called in scripts."""

import re

LABELS = re.compile(
    r"^(?!.*(?:pred|_hat))(?:y(?:$|_|s$|b$|a$|tr|te|va|ba)|.*_y$|.*(?:label|target|kind|categor)"
    r"|tags?$|classes$|sentiments?$|ratings?$|outcomes?$)",
    re.IGNORECASE,
)
"""Names of labels, and not those of what a model has answered in their place."""
