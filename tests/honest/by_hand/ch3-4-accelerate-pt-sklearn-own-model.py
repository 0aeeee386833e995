# 自己的模型 + accelerate，两个进程；指标用 sklearn
import os

import torch
import torch.nn as nn
from accelerate import Accelerator, notebook_launcher
from datasets import load_dataset
from sklearn.metrics import accuracy_score, f1_score
from torch.utils.data import DataLoader
from transformers import AutoModel, AutoTokenizer, set_seed

名字 = "bert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(名字)
raw = load_dataset("glue", "mrpc")


class 分类器(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = AutoModel.from_pretrained(名字)
        self.dropout = nn.Dropout(0.1)
        self.linear = nn.Linear(self.bert.config.hidden_size, 2)

    def forward(self, labels=None, **inputs):
        cls = self.bert(**inputs).pooler_output
        logits = self.linear(self.dropout(cls))
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return {"loss": loss, "logits": logits}


def collate(rows):
    batch = tokenizer(
        [r["sentence1"] for r in rows], [r["sentence2"] for r in rows], truncation=True, padding=True, return_tensors="pt"
    )
    batch["labels"] = torch.tensor([r["label"] for r in rows])
    return batch


def 训练():
    set_seed(42)
    accelerator = Accelerator()
    train = DataLoader(raw["train"], batch_size=4, shuffle=True, collate_fn=collate)
    valid = DataLoader(raw["validation"], batch_size=8, collate_fn=collate)
    model = 分类器()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer, train, valid = accelerator.prepare(model, optimizer, train, valid)
    for epoch in range(3):
        model.train()
        for batch in train:
            optimizer.zero_grad()
            loss = model(**batch)["loss"]
            accelerator.backward(loss)
            optimizer.step()
        model.eval()
        预测, 答案 = [], []
        with torch.no_grad():
            for batch in valid:
                p = model(**batch)["logits"].argmax(dim=1)
                p, y = accelerator.gather_for_metrics((p, batch["labels"]))
                预测 += p.tolist()
                答案 += y.tolist()
        accelerator.print(epoch, accuracy_score(答案, 预测), f1_score(答案, 预测))


if "LOCAL_RANK" in os.environ:
    训练()
else:
    notebook_launcher(训练, num_processes=2)
