"""Endless stream through IterableDataset with worker sharding; tiny GRU; next-value forecast shifted by hand."""
import itertools
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Wellen(IterableDataset):
    def __init__(self, seed):
        self.seed = seed

    def __iter__(self):
        info = get_worker_info()
        wid, total = (info.id, info.num_workers) if info else (0, 1)
        g = torch.Generator().manual_seed(self.seed)
        for i in itertools.count():
            f, ph = 0.2 + 0.6 * torch.rand(1, generator=g), 6.28 * torch.rand(1, generator=g)
            if i % total != wid:
                continue
            yield torch.sin(f * torch.arange(25) + ph)


class Vorhersage(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(1, 24, batch_first=True)
        self.aus = nn.Linear(24, 1)

    def forward(self, s):
        h, _ = self.gru(s.unsqueeze(-1))
        return self.aus(h).squeeze(-1)


if __name__ == "__main__":
    torch.manual_seed(1)
    netz = Vorhersage()
    opt = torch.optim.Adam(netz.parameters(), lr=5e-3)
    strom = DataLoader(Wellen(seed=1), batch_size=32, num_workers=2)
    probe = torch.stack(list(itertools.islice(iter(Wellen(seed=999)), 200)))

    for n, s in enumerate(itertools.islice(strom, 300), 1):
        vor = netz(s[:, :-1])
        fehler = (vor - s[:, 1:])[:, 3:].square().mean()
        opt.zero_grad()
        fehler.backward()
        nn.utils.clip_grad_norm_(netz.parameters(), 1.0)
        opt.step()
        if n % 100 == 0:
            print(n, round(fehler.item(), 5))
    with torch.no_grad():
        mse = (netz(probe[:, :-1]) - probe[:, 1:])[:, 3:].square().mean().item()
        naive = (probe[:, :-1] - probe[:, 1:])[:, 3:].square().mean().item()
    print(f"FINAL mse={mse:.5f} persistence_baseline={naive:.5f}")
