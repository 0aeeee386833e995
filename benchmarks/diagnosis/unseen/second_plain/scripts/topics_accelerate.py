"""Several topics per message, with Accelerate: bag of words, BCE over topics."""
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.metrics import f1_score
from torch import nn
from torch.utils.data import DataLoader, Dataset

N_TOPICS = 8
WORDS_PER_TOPIC = 30
N_COMMON = 60
VOCAB = N_TOPICS * WORDS_PER_TOPIC + N_COMMON


class Messages(Dataset):
    """Random messages: 1-3 topics, a few words of each, and common words."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.counts = torch.zeros(n, VOCAB)
        self.topics = torch.zeros(n, N_TOPICS)
        for i in range(n):
            k = int(torch.randint(1, 4, (1,), generator=g))
            chosen = torch.randperm(N_TOPICS, generator=g)[:k]
            self.topics[i, chosen] = 1.0
            for topic in chosen.tolist():
                words = torch.randint(0, WORDS_PER_TOPIC, (3,), generator=g) + topic * WORDS_PER_TOPIC
                self.counts[i, words] += 1
            stray = torch.randint(0, VOCAB, (6,), generator=g)
            self.counts[i, stray] += 1

    def __len__(self):
        return self.counts.shape[0]

    def __getitem__(self, i):
        return {"counts": self.counts[i], "topics": self.topics[i]}


class TopicNet(nn.Module):
    def __init__(self, vocab, topics, hidden=64, p=0.3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(vocab, hidden), nn.LayerNorm(hidden), nn.GELU(), nn.Dropout(p))
        self.topic_head = nn.Linear(hidden, topics)

    def forward(self, counts):
        return self.topic_head(self.body(counts))


def main():
    set_seed(13)
    accelerator = Accelerator(cpu=True)
    train_loader = DataLoader(Messages(2500, seed=1), batch_size=32, shuffle=True)
    eval_loader = DataLoader(Messages(700, seed=2), batch_size=64)
    model = TopicNet(VOCAB, N_TOPICS)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    n_epochs = 5
    scheduler = torch.optim.lr_scheduler.LinearLR(
        optimizer, start_factor=1.0, end_factor=0.1, total_iters=n_epochs * len(train_loader))
    model, optimizer, train_loader, eval_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, eval_loader, scheduler)
    criterion = nn.BCEWithLogitsLoss()

    for epoch in range(n_epochs):
        model.train()
        loss_sum = 0.0
        for batch in train_loader:
            logits = model(batch["counts"])
            loss = criterion(logits, batch["topics"])
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            loss_sum += loss.detach().item()

        model.eval()
        all_decisions, all_topics = [], []
        for batch in eval_loader:
            with torch.no_grad():
                logits = model(batch["counts"])
            decisions = (logits.sigmoid() > 0.5).int()
            decisions, topics = accelerator.gather_for_metrics((decisions, batch["topics"]))
            all_decisions.append(decisions.cpu())
            all_topics.append(topics.cpu().int())
        y_pred = torch.cat(all_decisions).numpy()
        y_true = torch.cat(all_topics).numpy()
        accelerator.print(
            f"epoch {epoch}: loss {loss_sum / len(train_loader):.4f} "
            f"micro-F1 {f1_score(y_true, y_pred, average='micro', zero_division=0):.4f} "
            f"exact {(y_pred == y_true).all(axis=1).mean():.4f} on {len(y_true)} messages")


if __name__ == "__main__":
    main()
