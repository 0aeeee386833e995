"""Sentiment with an EmbeddingBag; own vocabulary and collate function."""
import random
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader

random.seed(9)
torch.manual_seed(9)

GOOD = "great lovely wonderful funny brilliant warm moving superb fresh clever".split()
BAD = "boring awful dull stupid terrible flat lazy cheap slow messy".split()
NEUTRAL = "the a film movie plot actor scene was is and with of story it this that".split()


def review():
    label = random.choice(["pos", "neg"])
    words = random.choices(NEUTRAL, k=random.randint(5, 14))
    main, other = (GOOD, BAD) if label == "pos" else (BAD, GOOD)
    words += random.choices(main, k=3) + random.choices(other, k=1)
    random.shuffle(words)
    return " ".join(words), label


def tokenizer(text):
    return text.lower().split()


train_data = [review() for _ in range(1500)]
test_data = [review() for _ in range(300)]

counter = Counter()
for text, _ in train_data:
    counter.update(tokenizer(text))
vocab = {"<unk>": 0}
for word, _ in counter.most_common():
    vocab[word] = len(vocab)
label_to_id = {"neg": 0, "pos": 1}


def collate_batch(batch):
    label_list, text_list, offsets = [], [], [0]
    for text, label in batch:
        label_list.append(label_to_id[label])
        ids = torch.tensor([vocab.get(w, 0) for w in tokenizer(text)], dtype=torch.int64)
        text_list.append(ids)
        offsets.append(ids.size(0))
    labels = torch.tensor(label_list, dtype=torch.int64)
    offsets = torch.tensor(offsets[:-1]).cumsum(dim=0)
    return labels, torch.cat(text_list), offsets


class TextClassificationModel(nn.Module):
    def __init__(self, vocab_size, embed_dim, num_class):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocab_size, embed_dim, mode="mean")
        self.fc = nn.Linear(embed_dim, num_class)

    def forward(self, text, offsets):
        return self.fc(self.embedding(text, offsets))


model = TextClassificationModel(len(vocab), 32, 2)
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
train_dataloader = DataLoader(train_data, batch_size=16, shuffle=True, collate_fn=collate_batch)
test_dataloader = DataLoader(test_data, batch_size=16, collate_fn=collate_batch)


def evaluate(dataloader):
    model.eval()
    total_acc, total_count = 0, 0
    with torch.no_grad():
        for label, text, offsets in dataloader:
            predicted = model(text, offsets)
            total_acc += (predicted.argmax(1) == label).sum().item()
            total_count += label.size(0)
    return total_acc / total_count


for epoch in range(1, 9):
    model.train()
    for idx, (label, text, offsets) in enumerate(train_dataloader):
        optimizer.zero_grad()
        predicted_label = model(text, offsets)
        loss = criterion(predicted_label, label)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    scheduler.step()
    print("| end of epoch {:3d} | valid accuracy {:8.3f}".format(epoch, evaluate(test_dataloader)))
print("RESULT", evaluate(test_dataloader))
