import torch
import torch.nn as nn

torch.manual_seed(21)
VOCAB, T = 20, 12


def sample(n):
    seq = torch.randint(2, VOCAB, (n, T))
    lab = torch.randint(0, 2, (n,))
    # positive: the first token appears again later in the sequence
    where = torch.randint(1, T, (n,))
    for i in range(n):
        rest = seq[i, 1:]
        rest[rest == seq[i, 0]] = 1
        if lab[i] == 1:
            seq[i, where[i]] = seq[i, 0]
    return seq, lab


class SeqClassifier(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, d)
        self.pos = nn.Parameter(0.1 * torch.randn(1, T, d))
        layer = nn.TransformerEncoderLayer(d, nhead=4, dim_feedforward=48, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.fc = nn.Linear(d, 2)

    def forward(self, ids):
        h = self.encoder(self.tok(ids) + self.pos)
        return self.fc(h[:, 0])


x_tr, y_tr = sample(2500)
x_va, y_va = sample(600)
model = SeqClassifier()
optim = torch.optim.AdamW(model.parameters(), lr=4e-3)

for epoch in range(5):
    model.train()
    tot = 0
    for idx in torch.randperm(len(x_tr)).split(50):
        loss = nn.functional.cross_entropy(model(x_tr[idx]), y_tr[idx])
        optim.zero_grad()
        loss.backward()
        optim.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        hits = sum((model(x_va[i:i + 50]).argmax(-1) == y_va[i:i + 50]).sum().item() for i in range(0, 600, 50))
    print(f"epoch {epoch} loss {tot / 50:.4f} val acc {hits / 600:.3f}")
print(f"FINAL val_acc={hits / 600:.4f}")
