# 所有张量在 collate 里就放到设备上
import pandas as pd
import torch
from datasets import Dataset, load_dataset
from sklearn.metrics import accuracy_score, f1_score
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_scheduler, set_seed

set_seed(42)
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
checkpoint = "bert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
raw = load_dataset("glue", "mrpc")


def prepare(split):
    df: pd.DataFrame = raw[split].to_pandas()
    df = df.rename(columns={"label": "labels"}).drop(columns=["idx"])
    ds = Dataset.from_pandas(df, preserve_index=False)
    return ds.map(
        lambda x: tokenizer(x["sentence1"], x["sentence2"], truncation=True),
        batched=True,
        remove_columns=["sentence1", "sentence2"],
    )


def collate(examples):
    return tokenizer.pad(examples, return_tensors="pt").to(DEVICE)


train_loader = DataLoader(prepare("train"), batch_size=8, shuffle=True, collate_fn=collate)
eval_loader = DataLoader(prepare("validation"), batch_size=8, collate_fn=collate)

model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2).to(DEVICE)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
epochs = 2
schedule = get_scheduler("linear", optimizer, num_warmup_steps=0, num_training_steps=epochs * len(train_loader))

for epoch in range(1, epochs + 1):
    model.train()
    for batch in train_loader:
        optimizer.zero_grad()
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        schedule.step()
    print(f"第 {epoch} 轮完成，损失 {loss.item():.3f}")

model.eval()
真, 猜 = [], []
with torch.no_grad():
    for batch in eval_loader:
        猜 += model(**batch).logits.argmax(-1).tolist()
        真 += batch["labels"].tolist()
print("准确率", accuracy_score(真, 猜), "F1", f1_score(真, 猜))
