# Решение: Пётр С.
# Написал свой collate на numpy и досрочную остановку
import signal
import inspect
import threading

import numpy as np
import torch
from datasets import load_dataset
from transformers import (AutoModelForSequenceClassification, AutoTokenizer, EarlyStoppingCallback,
                          Trainer, TrainerCallback, TrainingArguments, set_seed)

set_seed(13)


def по_тревоге(номер, кадр):
    raise TimeoutError("слишком долго")


signal.signal(signal.SIGTERM, по_тревоге)
print(inspect.signature(Trainer.__init__).parameters.keys())

имя = "distilbert-base-uncased"
tok = AutoTokenizer.from_pretrained(имя)
сырые = load_dataset("glue", "mnli")
готовые = сырые.map(lambda d: tok(d["premise"], d["hypothesis"], truncation="longest_first"), batched=True,
                    batch_size=500).remove_columns(["premise", "hypothesis", "idx"])


def склеить(список):
    # дополняем нулями до самого длинного в пакете, кратно восьми
    n = max(len(e["input_ids"]) for e in список)
    n = (n + 7) // 8 * 8
    ids = np.full((len(список), n), tok.pad_token_id, dtype=np.int64)
    mask = np.zeros((len(список), n), dtype=np.int64)
    for i, e in enumerate(список):
        k = len(e["input_ids"])
        ids[i, :k] = e["input_ids"]
        mask[i, :k] = e["attention_mask"]
    метка = "label" if "label" in список[0] else "labels"
    return dict(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask),
                labels=torch.as_tensor([int(e[метка]) for e in список]))


модель = AutoModelForSequenceClassification.from_pretrained(имя, num_labels=len(set(сырые["train"]["label"])))
# замораживаем эмбеддинги
for p in модель.distilbert.embeddings.parameters():
    p.requires_grad = False


class Журнал(TrainerCallback):
    def on_epoch_end(self, args, state, control, **kwargs):
        print(f"эпоха {state.epoch:.0f} закончена, шагов: {state.global_step}")


def оценка(p):
    логиты, метки = p.predictions, p.label_ids
    ответы = [int(np.argmax(л)) for л in логиты]
    матрица = np.zeros((3, 3), dtype=int)
    for о, м in zip(ответы, метки):
        матрица[м, о] += 1
    print(матрица)
    return {"accuracy": float(np.trace(матрица) / матрица.sum())}


a = TrainingArguments("ckpt", num_train_epochs=4, learning_rate=5e-5, per_device_train_batch_size=8,
                      gradient_accumulation_steps=2, eval_strategy="epoch", save_strategy="epoch", save_total_limit=1,
                      load_best_model_at_end=True, metric_for_best_model="accuracy", report_to="none",
                      dataloader_num_workers=0, fp16=False, disable_tqdm=True)
тренер = Trainer(модель, a, data_collator=склеить, train_dataset=готовые["train"],
                 eval_dataset=готовые["validation_matched"], compute_metrics=оценка,
                 callbacks=[EarlyStoppingCallback(early_stopping_patience=2), Журнал()])
try:
    поток = threading.Thread(target=lambda: print("учу..."), daemon=True)
    поток.start()
    тренер.train()
except RuntimeError as ошибка:
    print("не вышло:", ошибка)
    raise
