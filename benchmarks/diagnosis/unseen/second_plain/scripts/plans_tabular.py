# My first neural network: which of 3 phone plans does a customer take?
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, StandardScaler

np.random.seed(3)
torch.manual_seed(3)

# ---- make the table ----
n = 2400
df = pd.DataFrame({
    "age": np.random.randint(18, 80, n),
    "income": np.random.lognormal(10.3, 0.5, n),
    "minutes": np.random.gamma(2.0, 300.0, n),
    "gigabytes": np.random.gamma(2.0, 8.0, n),
    "region": np.random.choice(["north", "south", "west"], n),
})
young = (45 - df.age) / 15
rich = (np.log(df.income) - 10.3) / 0.5
talk = (df.minutes - 600) / 420
data = (df.gigabytes - 16) / 11
south = (df.region == "south") * 1.5
scores = np.stack([0.8 - rich - 0.5 * data * young, 1.2 * talk - south + 0.2, 1.2 * data + young * rich + south - 0.5], axis=1)
names = np.array(["basic", "talker", "unlimited"])
df["plan"] = names[(scores + 0.2 * np.random.randn(n, 3)).argmax(axis=1)]
df = df.sort_values("plan").reset_index(drop=True)   # the file comes ordered by plan
print(df.head())
print(df["plan"].value_counts())

# ---- X and y ----
X = pd.get_dummies(df.drop(columns=["plan"]), columns=["region"]).astype("float32").values
encoder = LabelEncoder()
y = encoder.fit_transform(df["plan"])

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)

scaler = StandardScaler()
X_train = scaler.fit_transform(X_train)
X_test = scaler.transform(X_test)

X_train = torch.tensor(X_train, dtype=torch.float32)
X_test = torch.tensor(X_test, dtype=torch.float32)
y_train = torch.tensor(y_train, dtype=torch.long)
y_test = torch.tensor(y_test, dtype=torch.long)

# ---- the network ----
class PlanNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(7, 64)
        self.layer2 = nn.Linear(64, 32)
        self.layer3 = nn.Linear(32, 3)
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        x = torch.relu(self.layer1(x))
        x = self.drop(x)
        x = torch.relu(self.layer2(x))
        return self.layer3(x)


net = PlanNet()
loss_function = nn.CrossEntropyLoss()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)

# ---- training ----
batch_size = 50
for epoch in range(40):
    net.train()
    order = torch.randperm(len(X_train))
    total_loss = 0
    for start in range(0, len(X_train), batch_size):
        rows = order[start:start + batch_size]
        out = net(X_train[rows])
        loss = loss_function(out, y_train[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total_loss += loss.item() * len(rows)
    if (epoch + 1) % 10 == 0:
        print("epoch", epoch + 1, "loss", round(total_loss / len(X_train), 4))

# ---- how good is it? ----
net.eval()
with torch.no_grad():
    test_out = net(X_test)
    guess = test_out.argmax(dim=1)
print("accuracy", accuracy_score(y_test.numpy(), guess.numpy()))
print("macro f1", f1_score(y_test.numpy(), guess.numpy(), average="macro"))
print("first customers:", encoder.inverse_transform(guess[:5].numpy()))
