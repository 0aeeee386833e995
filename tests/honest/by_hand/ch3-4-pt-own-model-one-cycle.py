# 数据集类 + 模型类
import torch
from datasets import load_dataset
from torch import nn
from torch.optim import AdamW
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm
from transformers import AutoModel, AutoTokenizer, set_seed

set_seed(42)
device = "cuda" if torch.cuda.is_available() else "cpu"
checkpoint = "bert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
raw = load_dataset("glue", "mrpc")


class 句对数据(Dataset):
    def __init__(self, split):
        df = raw[split].to_pandas()
        self.a, self.b, self.y = df["sentence1"].tolist(), df["sentence2"].tolist(), df["label"].tolist()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        enc = tokenizer(self.a[i], self.b[i], truncation=True, padding="max_length", max_length=64, return_tensors="pt")
        return {k: v.squeeze(0) for k, v in enc.items()}, torch.tensor(self.y[i])


class 模型(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = AutoModel.from_pretrained(checkpoint)
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(self.bert.config.hidden_size, 2)

    def forward(self, input_ids, attention_mask, token_type_ids):
        out = self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        return self.fc(self.drop(out.pooler_output))


train_loader = DataLoader(句对数据("train"), batch_size=8, shuffle=True)
eval_loader = DataLoader(句对数据("validation"), batch_size=32)
model = 模型().to(device)
loss_fn = nn.CrossEntropyLoss()
optimizer = AdamW(model.parameters(), lr=5e-5)
epochs = 2
scheduler = OneCycleLR(optimizer, max_lr=1e-4, epochs=epochs, steps_per_epoch=len(train_loader))

for epoch in range(epochs):
    model.train()
    总损失 = 0
    for x, y in tqdm(train_loader, desc=f"第 {epoch + 1} 轮"):
        x = {k: v.to(device) for k, v in x.items()}
        y = y.to(device)
        optimizer.zero_grad()
        loss = loss_fn(model(**x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
        总损失 += loss.item()
    print(f"平均损失 {总损失 / len(train_loader):.3f}")

model.eval()
对 = 0
with torch.no_grad():
    for x, y in eval_loader:
        x = {k: v.to(device) for k, v in x.items()}
        对 += (model(**x).argmax(dim=1).cpu() == y).sum().item()
print("准确率", 对 / len(eval_loader.dataset))
