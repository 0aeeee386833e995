# %% [markdown]
# Tagging recipe lines: amounts, units, ingredients. A small encoder with a padding mask.

# %%
import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
gen = np.random.default_rng(0)

# %%
TAGS = ["O", "AMOUNT", "UNIT", "FOOD", "TIME"]
units = ["cup", "spoon", "gram", "pinch"]
foods = ["flour", "sugar", "salt", "rice", "orange", "mint", "butter", "oil"]
numbers = ["one", "two", "three", "ten", "half"]
verbs = ["add", "stir", "mix", "boil", "serve"]
fill = ["then", "slowly", "well", "it", "and"]

def make_line():
    words, tags = [], []
    for _ in range(gen.integers(1, 4)):
        for _ in range(gen.integers(0, 3)):
            words.append(gen.choice(fill)); tags.append(0)
        words.append(gen.choice(verbs)); tags.append(0)
        if gen.random() < 0.6:      # "add two cup of orange"
            words += [gen.choice(numbers), gen.choice(units), "of", gen.choice(foods)]; tags += [1, 2, 0, 3]
        else:                       # "boil for ten minutes": the number is a time here
            words += ["for", gen.choice(numbers), "minutes"]; tags += [0, 4, 4]
    return words, tags

lines = [make_line() for _ in range(1500)]
train_lines = lines[:1200]
test_lines = [line for line in lines[1200:] if line not in train_lines]   # no line twice
word2id = {"[PAD]": 0, "[UNK]": 1}
for words, _ in train_lines:
    for w in words:
        word2id.setdefault(str(w), len(word2id))
print(len(word2id), "words;", lines[0])

# %%
def to_batch(rows):
    longest = max(len(words) for words, _ in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    labels = torch.full((len(rows), longest), -100)
    for i, (words, tags) in enumerate(rows):
        ids[i, :len(words)] = torch.tensor([word2id.get(str(w), 1) for w in words])
        labels[i, :len(tags)] = torch.tensor(tags)
    return ids, labels, ids == 0

# %%
class Tagger(nn.Module):
    def __init__(self, n_words, n_tags, dim=32, max_len=64):
        super().__init__()
        self.word = nn.Embedding(n_words, dim)
        self.place = nn.Embedding(max_len, dim)
        layer = nn.TransformerEncoderLayer(dim, nhead=4, dim_feedforward=64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.head = nn.Linear(dim, n_tags)

    def forward(self, ids, pad_mask):
        places = torch.arange(ids.size(1), device=ids.device)
        h = self.word(ids) + self.place(places)
        h = self.encoder(h, src_key_padding_mask=pad_mask)
        return self.head(h)

model = Tagger(len(word2id), len(TAGS))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
epochs, batch = 6, 24
steps_total = epochs * math.ceil(len(train_lines) / batch)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=steps_total)

# %%
for epoch in range(epochs):
    model.train()
    order = gen.permutation(len(train_lines))
    losses = []
    for s in range(0, len(order), batch):
        ids, labels, pad_mask = to_batch([train_lines[j] for j in order[s:s + batch]])
        logits = model(ids, pad_mask)
        loss = F.cross_entropy(logits.reshape(-1, len(TAGS)), labels.reshape(-1), ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    print(f"epoch {epoch}  mean loss {sum(losses) / len(losses):.4f}")

# %%
model.eval()
correct = torch.zeros(len(TAGS))
present = torch.zeros(len(TAGS))
with torch.no_grad():
    for s in range(0, len(test_lines), 50):
        ids, labels, pad_mask = to_batch(test_lines[s:s + 50])
        guess = model(ids, pad_mask).argmax(-1)
        real = labels != -100
        for t in range(len(TAGS)):
            here = real & (labels == t)
            present[t] += here.sum()
            correct[t] += (guess[here] == t).sum()
for name, c, p in zip(TAGS, correct.tolist(), present.tolist()):
    print(f"{name:8s} recall {c / p:.3f}  ({int(p)} words)")
print("word accuracy", (correct.sum() / present.sum()).item())
