"""A table that nobody has put there."""

import pandas as pd

pd.read_csv("data/train.csv")
