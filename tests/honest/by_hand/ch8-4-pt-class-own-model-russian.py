# Домашнее задание, Иванова Мария. Всё переписала классом.
import warnings
warnings.filterwarnings("ignore")
import os
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ.setdefault("WANDB_DISABLED", "true")

import cloudpickle
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from datasets import load_dataset
from transformers import AutoModel, AutoTokenizer, Trainer, TrainingArguments
from transformers.modeling_outputs import SequenceClassifierOutput


class Классификатор(nn.Module):
    """Энкодер, среднее по токенам, два слоя сверху."""

    def __init__(self, имя, классов):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(имя)
        h = self.encoder.config.hidden_size
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Sequential(nn.Linear(h, h), nn.ReLU(), nn.Linear(h, классов))
        self.критерий = nn.CrossEntropyLoss()

    def forward(self, input_ids=None, attention_mask=None, labels=None, **kwargs):
        состояния = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        logits = self.head(self.dropout(состояния[:, 0]))
        loss = self.критерий(logits, labels) if labels is not None else None
        return SequenceClassifierOutput(loss=loss, logits=logits)


class Эксперимент:
    ИМЯ = "distilbert-base-uncased"

    def __init__(self):
        torch.manual_seed(7)
        self.токенизатор = AutoTokenizer.from_pretrained(self.ИМЯ)
        self.данные = load_dataset("glue", "mnli").map(self.кодировать, batched=True)
        self.модель = Классификатор(self.ИМЯ, 3)

    def кодировать(self, пары):
        return self.токенизатор(пары["premise"], пары["hypothesis"], truncation=True, max_length=64)

    def собрать(self, примеры):
        ids = pad_sequence([torch.tensor(p["input_ids"]) for p in примеры], batch_first=True,
                           padding_value=self.токенизатор.pad_token_id)
        маска = pad_sequence([torch.tensor(p["attention_mask"]) for p in примеры], batch_first=True)
        return {"input_ids": ids, "attention_mask": маска,
                "labels": torch.tensor([p["label"] for p in примеры])}

    @staticmethod
    def метрика(предсказание):
        верно = 0
        for строка, метка in zip(предсказание.predictions, предсказание.label_ids):
            лучший = max(range(len(строка)), key=lambda i: строка[i])
            if лучший == метка:
                верно += 1
        return {"точность": верно / len(предсказание.label_ids)}

    def учить(self):
        аргументы = TrainingArguments("out", learning_rate=5e-5, num_train_epochs=3,
                                      per_device_train_batch_size=32, eval_strategy="epoch",
                                      save_strategy="no", report_to="none",
                                      remove_unused_columns=False, warmup_steps=20,
                                      lr_scheduler_type="cosine", max_grad_norm=1.0)
        self.тренер = Trainer(self.модель, аргументы, train_dataset=self.данные["train"],
                              eval_dataset=self.данные["validation_matched"],
                              data_collator=self.собрать, compute_metrics=self.метрика)
        self.тренер.train()
        print(f"Итог: {self.тренер.evaluate()}")


опыт = Эксперимент()
опыт.учить()
with open("history.pkl", "wb") as f:
    cloudpickle.dump(опыт.тренер.state.log_history, f)
# breakpoint()
