# Цикл в классе
import torch
import evaluate
from datasets import load_dataset
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, get_linear_schedule_with_warmup, set_seed


class Обучение:
    def __init__(self, имя="bert-base-uncased", эпох=3, скорость=5e-5):
        set_seed(42)
        self.эпох = эпох
        self.устройство = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        ток = AutoTokenizer.from_pretrained(имя)
        сырые = load_dataset("glue", "mrpc")
        гот = сырые.map(lambda r: ток(r["sentence1"], r["sentence2"], truncation=True), batched=True, remove_columns=["sentence1", "sentence2", "idx"])
        собрать = DataCollatorWithPadding(ток)  # переименует label в labels
        self.обуч = DataLoader(гот["train"], batch_size=8, shuffle=True, collate_fn=собрать)
        self.вал = DataLoader(гот["validation"], batch_size=16, collate_fn=собрать)
        self.м = AutoModelForSequenceClassification.from_pretrained(имя, num_labels=2).to(self.устройство)
        self.о = torch.optim.AdamW(self.м.parameters(), lr=скорость)
        self.р = get_linear_schedule_with_warmup(self.о, 0, эпох * len(self.обуч))

    def шаг(self, b):
        b = b.to(self.устройство)
        self.о.zero_grad()
        потери = self.м(**b).loss
        потери.backward()
        self.о.step()
        self.р.step()
        return потери.item()

    def учить(self):
        self.м.train()
        for э in range(self.эпох):
            л = [self.шаг(b) for b in tqdm(self.обуч, desc=f"Эпоха {э + 1}")]
            print(f"средние потери: {sum(л) / len(л):.3f}")

    def проверить(self):
        self.м.eval()
        метрика = evaluate.load("glue", "mrpc")
        with torch.no_grad():
            for b in self.вал:
                b = b.to(self.устройство)
                метрика.add_batch(predictions=self.м(**b).logits.argmax(-1), references=b["labels"])
        return метрика.compute()


о = Обучение()
о.учить()
print(о.проверить())
