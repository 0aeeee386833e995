"""Speaker embeddings by triplet loss; recall@1 among speakers never seen in training."""
import itertools

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

DIM_VOICE, DIM_NOISE, DIM_OBS = 6, 10, 40


def make_world(seed):
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(DIM_VOICE + DIM_NOISE, DIM_OBS)) / 4
    speakers = rng.normal(size=(80, DIM_VOICE))

    def record(speaker_ids):
        voice = speakers[speaker_ids] + 0.15 * rng.normal(size=(len(speaker_ids), DIM_VOICE))
        nuisance = 2.0 * rng.normal(size=(len(speaker_ids), DIM_NOISE))
        return np.tanh(np.hstack([voice, nuisance]) @ mix).astype(np.float32)

    return record


class TripletSampler:
    """Anchor and positive of one speaker, negative of another."""

    def __init__(self, x, ids, seed=0):
        self.x, self.ids = x, ids
        self.rng = np.random.default_rng(seed)
        self.by_speaker = {s: np.flatnonzero(ids == s) for s in np.unique(ids)}

    def draw(self, n):
        speakers = list(self.by_speaker)
        a, p, q = [], [], []
        for _ in range(n):
            s, other = self.rng.choice(speakers, size=2, replace=False)
            i, j = self.rng.choice(self.by_speaker[s], size=2, replace=False)
            a.append(i); p.append(j); q.append(self.rng.choice(self.by_speaker[other]))
        return tuple(torch.from_numpy(self.x[k]) for k in (a, p, q))

    def __iter__(self):
        while True:
            yield self.draw(96)


class Embedder(nn.Module):
    def __init__(self, d_in, d_out=12, width=96):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(d_in, width), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Linear(width, d_out))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


def recall_at_1(z, ids):
    sim = z @ z.T
    sim.fill_diagonal_(-2.0)
    nearest = sim.argmax(dim=1)
    return (ids[nearest] == ids).float().mean().item()


def main(steps=400, log_every=100):
    torch.manual_seed(8)
    record = make_world(seed=8)
    train_ids = np.repeat(np.arange(60), 20)        # speakers 0-59
    test_ids = np.repeat(np.arange(60, 80), 12)     # speakers 60-79
    x_train, x_test = record(train_ids), torch.from_numpy(record(test_ids))
    ids_test = torch.from_numpy(test_ids)
    sampler = TripletSampler(x_train, train_ids)

    model = Embedder(DIM_OBS)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-4)
    warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 50))
    criterion = nn.TripletMarginLoss(margin=0.4)
    print("raw recordings: recall@1 %.3f" % recall_at_1(F.normalize(x_test, dim=-1), ids_test))

    smooth = None
    for step, (anchor, positive, negative) in enumerate(itertools.islice(sampler, steps), 1):
        model.train()
        z = model(torch.cat([anchor, positive, negative]))
        z_a, z_p, z_n = z.chunk(3)
        loss = criterion(z_a, z_p, z_n)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        warm.step()
        smooth = loss.item() if smooth is None else 0.95 * smooth + 0.05 * loss.item()
        if step % log_every == 0:
            model.eval()
            with torch.no_grad():
                score = recall_at_1(model(x_test), ids_test)
            print(f"step {step}: triplet loss {smooth:.4f}, recall@1 of new speakers {score:.3f}")


if __name__ == "__main__":
    main()
