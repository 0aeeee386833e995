"""A column of a table reaches a layer."""

import pandas as pd
from torch import nn

nn.Linear(1, 1)(pd.Series([1.0, 2.0]))
