import numpy as np
import torch
from transformers import (DistilBertConfig, DistilBertForSequenceClassification, Trainer,
                          TrainingArguments, set_seed)

set_seed(8)
gen = torch.Generator().manual_seed(8)


class Reviews(torch.utils.data.Dataset):
    """toy reviews: more 'good' tokens (10-19) than 'bad' ones (20-29) means positive"""

    def __init__(self, n):
        self.ids = torch.randint(10, 40, (n, 13), generator=gen)
        good = ((self.ids >= 10) & (self.ids < 20)).sum(1)
        bad = ((self.ids >= 20) & (self.ids < 30)).sum(1)
        self.y = (good > bad).float()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "attention_mask": torch.ones(13, dtype=torch.long), "labels": self.y[i]}


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    preds = (logits[:, 0] > 0.5).astype(int)
    return {"accuracy": float((preds == labels).mean())}


config = DistilBertConfig(vocab_size=40, dim=32, n_layers=1, n_heads=2, hidden_dim=64,
                          max_position_embeddings=16, num_labels=1)
model = DistilBertForSequenceClassification(config)
args = TrainingArguments(output_dir="reviews-out", per_device_train_batch_size=32, per_device_eval_batch_size=100,
                         num_train_epochs=5, learning_rate=2e-3, eval_strategy="epoch", save_strategy="no",
                         logging_strategy="epoch", report_to="none", use_cpu=True, disable_tqdm=True)
trainer = Trainer(model=model, args=args, train_dataset=Reviews(1500), eval_dataset=Reviews(500),
                  compute_metrics=compute_metrics)
trainer.train()
accs = [h["eval_accuracy"] for h in trainer.state.log_history if "eval_accuracy" in h]
print("accuracy by epoch:", accs)
print(f"FINAL eval_loss={trainer.evaluate()['eval_loss']:.4f} acc={accs[-1]:.4f}")
