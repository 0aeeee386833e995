"""Encoder-decoder with additive attention, reversing digits. Teacher forcing by hand."""
import random

import torch
import torch.nn as nn
import torch.optim as optim

random.seed(1)
torch.manual_seed(1)

PAD, SOS, EOS = 0, 1, 2
VOCAB = 11
MAX_LEN = 6


def make_pairs(n):
    pairs = []
    for _ in range(n):
        length = random.randint(3, MAX_LEN)
        src = [random.randint(3, VOCAB - 1) for _ in range(length)]
        pairs.append((src + [EOS], src[::-1] + [EOS]))
    return pairs


def pad(seqs):
    width = max(len(s) for s in seqs)
    return torch.tensor([s + [PAD] * (width - len(s)) for s in seqs])


class Encoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, hidden, padding_idx=PAD)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)

    def forward(self, src):
        return self.gru(self.embedding(src))


class Attention(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.Wa = nn.Linear(hidden, hidden)
        self.Ua = nn.Linear(hidden, hidden)
        self.Va = nn.Linear(hidden, 1)

    def forward(self, query, keys, mask):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys))).squeeze(-1)
        scores = scores.masked_fill(mask, -1e9)
        weights = torch.softmax(scores, dim=-1)
        return torch.bmm(weights.unsqueeze(1), keys)


class Decoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, hidden)
        self.attention = Attention(hidden)
        self.gru = nn.GRU(2 * hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, VOCAB)

    def step(self, token, hidden, enc_out, mask):
        emb = self.embedding(token)
        context = self.attention(hidden.transpose(0, 1), enc_out, mask)
        output, hidden = self.gru(torch.cat([emb, context], dim=-1), hidden)
        return self.out(output), hidden


encoder, decoder = Encoder(48), Decoder(48)
enc_opt = optim.Adam(encoder.parameters(), lr=4e-3)
dec_opt = optim.Adam(decoder.parameters(), lr=4e-3)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)

train_pairs = make_pairs(1600)
test_pairs = make_pairs(200)


def train_batch(batch):
    src, tgt = pad([p[0] for p in batch]), pad([p[1] for p in batch])
    enc_opt.zero_grad()
    dec_opt.zero_grad()
    enc_out, hidden = encoder(src)
    mask = src == PAD
    token = torch.full((len(batch), 1), SOS)
    steps = []
    for t in range(tgt.size(1)):
        logits, hidden = decoder.step(token, hidden, enc_out, mask)
        steps.append(logits)
        token = tgt[:, t : t + 1]
    logits = torch.cat(steps, dim=1)
    loss = criterion(logits.view(-1, VOCAB), tgt.view(-1))
    loss.backward()
    nn.utils.clip_grad_norm_(list(encoder.parameters()) + list(decoder.parameters()), 1.0)
    enc_opt.step()
    dec_opt.step()
    return loss.item()


@torch.no_grad()
def exact_match(pairs):
    src = pad([p[0] for p in pairs])
    tgt = pad([p[1] for p in pairs])
    enc_out, hidden = encoder(src)
    token = torch.full((len(pairs), 1), SOS)
    outs = []
    for _ in range(tgt.size(1)):
        logits, hidden = decoder.step(token, hidden, enc_out, src == PAD)
        token = logits.argmax(-1)
        outs.append(token)
    pred = torch.cat(outs, dim=1)
    return ((pred == tgt) | (tgt == PAD)).float().mean().item()


for epoch in range(1, 13):
    random.shuffle(train_pairs)
    total = 0
    for i in range(0, len(train_pairs), 64):
        total += train_batch(train_pairs[i : i + 64])
    if epoch % 4 == 0:
        print(f"epoch {epoch} loss {total / 25:.3f} token accuracy {exact_match(test_pairs):.3f}")
print("RESULT", exact_match(test_pairs))
