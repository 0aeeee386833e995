"""Siamese encoder: do two noisy views show the same object?"""
import torch
from torch import nn

torch.manual_seed(7)
NUM_OBJ, DIM = 40, 24
objects = torch.randn(NUM_OBJ, DIM)
offset = 3.0 * torch.randn(DIM)


def pairs(n):
    same = torch.randint(0, 2, (n,))
    a = torch.randint(0, NUM_OBJ, (n,))
    shift = torch.randint(1, NUM_OBJ, (n,))
    b = torch.where(same == 1, a, (a + shift) % NUM_OBJ)
    va = objects[a] + offset + 0.6 * torch.randn(n, DIM)
    vb = objects[b] + offset + 0.6 * torch.randn(n, DIM)
    return va, vb, same


enc = nn.Sequential(nn.Linear(DIM, 64), nn.ReLU(), nn.Linear(64, 16))
opt = torch.optim.Adam(enc.parameters(), lr=1e-3)
loss_fn = nn.CosineEmbeddingLoss(margin=0.2)

for step in range(1, 801):
    left, right, same = pairs(128)
    loss = loss_fn(enc(left), enc(right), same * 2 - 1)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 200 == 0:
        print(f"step {step:4d} loss {loss.item():.4f}")

enc.eval()
with torch.no_grad():
    left, right, same = pairs(4000)
    sim = torch.cosine_similarity(enc(left), enc(right))
    pos, neg = sim[same == 1], sim[same == 0]
    acc = ((sim > 0.6) == (same == 1)).float().mean()
print(f"mean similarity: same {pos.mean():.3f}, different {neg.mean():.3f}")
print(f"FINAL loss={loss.item():.4f} pair_acc={acc:.4f}")
