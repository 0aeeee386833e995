"""The labels are still words when a tensor is made of them."""

import torch

rows = [{"x": [0.1, 0.2], "label": "spam"}, {"x": [0.3, 0.1], "label": "ham"}]
features = torch.tensor([row["x"] for row in rows])
labels = torch.tensor([row["label"] for row in rows])
