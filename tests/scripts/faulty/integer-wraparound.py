"""Images of bytes are made brighter in bytes: what was bright becomes dark."""

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
torch.manual_seed(0)
kinds = torch.from_numpy(rng.integers(0, 4, 900))
forms = rng.random((4, 8, 8))
noisy = forms[kinds] + rng.normal(0, 0.15, (900, 8, 8))
images = (np.clip(noisy, 0, 1) * 255).astype(np.uint8)


def brighter(some: np.ndarray) -> np.ndarray:
    """Add the same to all pixels, some more each time."""
    return np.clip(some + np.uint8(rng.integers(0, 120)), 0, 255)


def scaled(some: np.ndarray) -> torch.Tensor:
    """Return images as a network reads them."""
    return torch.from_numpy(some.astype(np.float32) / 255)


net = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
for _epoch in range(6):
    for rows in np.split(rng.permutation(600), 20):
        optimizer.zero_grad()
        outputs = net(scaled(brighter(images[rows])))
        nn.functional.cross_entropy(outputs, kinds[rows]).backward()
        optimizer.step()
net.eval()
with torch.no_grad():
    print((net(scaled(images[600:])).argmax(1) == kinds[600:]).float().mean())
