# Свой «torchmetrics» и свой оптимизатор
from collections import defaultdict
from contextlib import contextmanager
import time
import torch
from datasets import load_dataset
from transformers import (AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, Trainer,
                          TrainingArguments, get_linear_schedule_with_warmup)

torch.set_num_threads(2)  # оба ядра


class Accuracy:
    """Накапливает ответы, как в torchmetrics."""
    def __init__(self): self.reset()
    def reset(self): self.correct, self.total = torch.tensor(0), torch.tensor(0)
    def update(self, preds, target):
        if preds.ndim > target.ndim:
            preds = preds.argmax(dim=-1)
        self.correct += (preds == target).sum()
        self.total += target.numel()
    def compute(self): return self.correct.float() / self.total


@contextmanager
def таймер(что):
    t = time.perf_counter()
    yield
    print(f"{что}: {time.perf_counter() - t:.1f} с")


acc = Accuracy()


def compute_metrics(eval_preds):
    acc.reset()
    acc.update(torch.tensor(eval_preds.predictions), torch.tensor(eval_preds.label_ids))
    return {"acc": acc.compute().item()}


with таймер("данные"):
    T = AutoTokenizer.from_pretrained("distilbert-base-uncased")
    D = load_dataset("glue", "mnli").map(lambda r: T(r["premise"], r["hypothesis"], truncation=True), batched=True, num_proc=1)

M = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=3)
опт = torch.optim.RAdam(M.parameters(), lr=2e-4)
шаги = len(D["train"]) // 8 * 2
рас = get_linear_schedule_with_warmup(опт, 10, шаги)
тр = Trainer(M, TrainingArguments("r", num_train_epochs=2, eval_strategy="epoch", save_strategy="no", report_to="none"),
             train_dataset=D["train"], eval_dataset=D["validation_matched"], data_collator=DataCollatorWithPadding(T),
             optimizers=(опт, рас), compute_metrics=compute_metrics)
with таймер("обучение"):
    тр.train()
try:
    from torch.utils.tensorboard import SummaryWriter
    w = SummaryWriter("tb"); w.add_scalar("acc", acc.compute().item()); w.close()
except ImportError:
    pass
