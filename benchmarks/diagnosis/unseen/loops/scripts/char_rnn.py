# minimal character-level RNN, trained on a rhyme, then sampled from
import torch
from torch import nn

text = (
    "the cat sat on the mat and the dog lay on the log. "
    "a rat ran past the cat and the cat ran after the rat. "
) * 12
torch.manual_seed(0)
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
itos = {i: c for c, i in stoi.items()}
data = torch.tensor([stoi[c] for c in text])

batch_size, seq_len, hidden_size = 8, 24, 64


class CharRNN(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab, 24)
        self.gru = nn.GRU(24, hidden, batch_first=True)
        self.head = nn.Linear(hidden, vocab)

    def forward(self, x, h=None):
        out, h = self.gru(self.embed(x), h)
        return self.head(out), h


model = CharRNN(len(chars), hidden_size)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
loss_fn = nn.CrossEntropyLoss()

# lay the text out as batch_size parallel streams
n = (len(data) - 1) // batch_size
inputs = data[: n * batch_size].view(batch_size, n)
targets = data[1 : n * batch_size + 1].view(batch_size, n)

for epoch in range(20):
    h = None
    total, count = 0.0, 0
    for i in range(0, n - seq_len, seq_len):
        x = inputs[:, i : i + seq_len]
        y = targets[:, i : i + seq_len]
        logits, h = model(x, h)
        h = h.detach()
        loss = loss_fn(logits.reshape(-1, len(chars)), y.reshape(-1))
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        total += loss.item()
        count += 1
    if epoch % 5 == 4:
        print("epoch", epoch + 1, "loss", round(total / count, 3))

model.eval()
with torch.no_grad():
    idx = torch.tensor([[stoi["t"]]])
    h = None
    out = ["t"]
    for _ in range(60):
        logits, h = model(idx, h)
        probs = torch.softmax(logits[0, -1] / 0.7, dim=-1)
        idx = torch.multinomial(probs, 1).view(1, 1)
        out.append(itos[idx.item()])
print("".join(out))
print("RESULT", -total / count)
