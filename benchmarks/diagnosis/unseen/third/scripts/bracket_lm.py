"""Next-token transformer on a toy language of nested commands."""
import math
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(5)
g = torch.Generator().manual_seed(5)

TOKENS = ["<pad>", "<bos>", "<eos>", "(", ")", "[", "]", "add", "mul", "neg"] + [f"x{i}" for i in range(8)]
STOI = {t: i for i, t in enumerate(TOKENS)}
PAD, BOS, EOS = 0, 1, 2


def rnd(n):
    return torch.randint(n, (1,), generator=g).item()


def expression(depth):
    if depth == 0 or rnd(4) == 0:
        first = rnd(8)
        return [f"x{first}"] if rnd(3) else [f"x{first}", f"x{(first + 1) % 8}"]
    op = ["add", "mul", "neg"][rnd(3)]
    left, right = ("(", ")") if op != "mul" else ("[", "]")
    n_args = 1 if op == "neg" else 2
    out = [op, left]
    for _ in range(n_args):
        out += expression(depth - 1)
    return out + [right]


def make_corpus(n, max_len=32):
    rows = []
    while len(rows) < n:
        toks = expression(3)
        if 3 <= len(toks) <= max_len - 2:
            rows.append([BOS] + [STOI[t] for t in toks] + [EOS])
    data = torch.full((n, max_len), PAD)
    for i, r in enumerate(rows):
        data[i, :len(r)] = torch.tensor(r)
    return data


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=64):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class TinyLM(nn.Module):
    def __init__(self, vocab, d_model=48, nhead=4, layers=2, dropout=0.1):
        super().__init__()
        self.d_model = d_model
        self.embed = nn.Embedding(vocab, d_model)
        self.pos = PositionalEncoding(d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, 96, dropout, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.decoder = nn.Linear(d_model, vocab)

    def forward(self, ids):
        mask = torch.triu(torch.ones(ids.size(1), ids.size(1), dtype=torch.bool), diagonal=1)
        h = self.pos(self.embed(ids) * math.sqrt(self.d_model))
        h = self.encoder(h, mask=mask, src_key_padding_mask=ids == PAD)
        return self.decoder(h)


def lm_loss(model, batch, reduction="mean"):
    inputs, targets = batch[:, :-1], batch[:, 1:]
    logits = model(inputs)
    return F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1),
                           ignore_index=PAD, reduction=reduction)


@torch.no_grad()
def perplexity(model, data):
    model.eval()
    total, count = 0.0, 0
    for chunk in data.split(128):
        total += lm_loss(model, chunk, reduction="sum").item()
        count += (chunk[:, 1:] != PAD).sum().item()
    model.train()
    return math.exp(total / count)


train_data = make_corpus(1500)
valid_data = make_corpus(300)

model = TinyLM(len(TOKENS))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
batch_size, epochs, warmup = 50, 6, 20
total_steps = epochs * (len(train_data) // batch_size)


def lr_factor(step):
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total_steps - warmup)))


scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_factor)

print("valid ppl before training", round(perplexity(model, valid_data), 2))
start = time.time()
for epoch in range(epochs):
    order = torch.randperm(len(train_data))
    tot = 0.0
    for i in range(0, len(train_data), batch_size):
        batch = train_data[order[i:i + batch_size]]
        loss = lm_loss(model, batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        tot += loss.item()
    print(f"epoch {epoch} loss {tot * batch_size / len(train_data):.3f} valid ppl {perplexity(model, valid_data):.3f}")
print(f"{time.time() - start:.0f}s, final ppl {perplexity(model, valid_data):.3f}")
