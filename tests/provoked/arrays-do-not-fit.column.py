"""A column with other rows than its table."""

import pandas as pd

table = pd.DataFrame({"text": ["a", "b"]})
table["answer"] = [0, 1, 1, 0, 1]
