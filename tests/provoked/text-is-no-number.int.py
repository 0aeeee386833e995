"""A header among the rows."""

import pandas as pd

print(pd.Series(["Order ID", "17"]).astype(int))
