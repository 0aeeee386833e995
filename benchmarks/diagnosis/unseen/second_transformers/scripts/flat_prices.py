"""Guess the rent of a flat from its advert: encoder + mean pooling + one output, loop by hand."""
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, get_scheduler

random.seed(41)
np.random.seed(41)
torch.manual_seed(41)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

VALUES = {"garden": 150, "balcony": 90, "damp": -170, "noisy": -120, "renovated": 200, "central": 180,
          "remote": -140, "furnished": 110, "lift": 60, "cellar": 40, "dark": -90, "view": 130}
ROOMS = {"one": 400, "two": 600, "three": 800, "four": 1000}
CHATTER = "nice flat to let with and in a very call now for quiet couple available soon".split()


def make_advert():
    room = random.choice(list(ROOMS))
    extras = random.sample(list(VALUES), random.randint(0, 4))
    words = [random.choice(CHATTER) for _ in range(random.randint(3, 14))] + extras
    random.shuffle(words)
    rent = ROOMS[room] + sum(VALUES[e] for e in extras) + random.gauss(0, 15)
    return f"{room} rooms " + " ".join(words), rent


class Adverts(Dataset):
    def __init__(self, texts, targets):
        self.texts, self.targets = texts, targets

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return {"text": self.texts[i], "target": float(self.targets[i])}


class RentModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.encoder = BertModel(config, add_pooling_layer=False)
        self.head = nn.Sequential(nn.Linear(config.hidden_size, 32), nn.GELU(), nn.Linear(32, 1))

    def forward(self, input_ids, attention_mask):
        hidden = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).float()
        pooled = (hidden * mask).sum(1) / mask.sum(1)
        return self.head(pooled).squeeze(-1)


def predict(model, loader, mean, std):
    model.eval()
    guesses, truths = [], []
    with torch.no_grad():
        for batch in loader:
            out = model(batch["input_ids"].to(device), batch["attention_mask"].to(device))
            guesses.append(out.cpu().numpy())
            truths.append(batch["target"].numpy())
    return np.concatenate(guesses) * std + mean, np.concatenate(truths) * std + mean


words = ["[PAD]", "[UNK]", "rooms"] + list(VALUES) + list(ROOMS) + sorted(set(CHATTER))
core = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="[PAD]", unk_token="[UNK]")


def collate(items):
    batch = tokenizer([it["text"] for it in items], padding=True, return_tensors="pt")
    batch["target"] = torch.tensor([it["target"] for it in items], dtype=torch.float32)
    return batch


adverts = [make_advert() for _ in range(2000)]
texts = [t for t, _ in adverts]
rents = np.array([r for _, r in adverts])
n_train = 1600
mean, std = rents[:n_train].mean(), rents[:n_train].std()
scaled = (rents - mean) / std

train_loader = DataLoader(Adverts(texts[:n_train], scaled[:n_train]), batch_size=32, shuffle=True, collate_fn=collate)
test_loader = DataLoader(Adverts(texts[n_train:], scaled[n_train:]), batch_size=100, collate_fn=collate)

config = BertConfig(vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=1, num_attention_heads=4,
                    intermediate_size=128, max_position_embeddings=32)
model = RentModel(config).to(device)
criterion = nn.MSELoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
num_epochs = 8
lr_scheduler = get_scheduler("linear", optimizer, num_warmup_steps=0, num_training_steps=num_epochs * len(train_loader))

for epoch in range(num_epochs):
    model.train()
    losses = []
    for batch in train_loader:
        batch = {k: v.to(device) for k, v in batch.items()}
        output = model(batch["input_ids"], batch["attention_mask"])
        loss = criterion(output, batch["target"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        lr_scheduler.step()
        losses.append(loss.item())
    guesses, truths = predict(model, test_loader, mean, std)
    mae = np.abs(guesses - truths).mean()
    print(f"epoch {epoch + 1}: mse {np.mean(losses):.4f}  held-out error {mae:.1f}")

r2 = 1 - ((guesses - truths) ** 2).sum() / ((truths - truths.mean()) ** 2).sum()
print(f"mean error {mae:.1f} (always guessing the mean: {np.abs(truths - mean).mean():.1f})  r2 {r2:.3f}")
