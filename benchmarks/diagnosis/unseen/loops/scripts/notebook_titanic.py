# %% [markdown]
# Survival on a made-up ship

# %%
import numpy as np
import pandas as pd
import torch
import torch.nn as nn

np.random.seed(123)
torch.manual_seed(123)

# %%
n = 1200
df = pd.DataFrame({
    "Pclass": np.random.choice([1, 2, 3], n, p=[0.25, 0.25, 0.5]),
    "Sex": np.random.choice(["male", "female"], n, p=[0.6, 0.4]),
    "Age": np.random.normal(32, 13, n).clip(1, 80),
    "Fare": np.random.exponential(32, n),
})
chance = 1.2 * (df.Sex == "female") * 2 - 0.9 * (df.Pclass - 2) - 0.03 * (df.Age - 30) - 0.9
df["Survived"] = (1 / (1 + np.exp(-2.5 * chance)) > np.random.rand(n)).astype(int)
df.loc[df.sample(120).index, "Age"] = np.nan
df.head()

# %%
df["Age"] = df["Age"].fillna(df["Age"].median())
df["Sex"] = df["Sex"].map({"male": 0, "female": 1})
df = pd.get_dummies(df, columns=["Pclass"], dtype=float)
features = ["Sex", "Age", "Fare", "Pclass_1", "Pclass_2", "Pclass_3"]

# %%
train_df = df.sample(frac=0.8, random_state=0)
test_df = df.drop(train_df.index)
mean, std = train_df[features].mean(), train_df[features].std()
X_train = torch.tensor(((train_df[features] - mean) / std).values, dtype=torch.float32)
X_test = torch.tensor(((test_df[features] - mean) / std).values, dtype=torch.float32)
y_train = torch.tensor(train_df["Survived"].values, dtype=torch.float32)
y_test = torch.tensor(test_df["Survived"].values, dtype=torch.float32)

# %%
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
loss_function = nn.BCEWithLogitsLoss()
optimizer = torch.optim.RMSprop(net.parameters(), lr=0.005)

# %%
losses = []
for epoch in range(30):
    for i in range(0, len(X_train), 32):
        xb, yb = X_train[i:i+32], y_train[i:i+32]
        y_hat = net(xb).squeeze()
        loss = loss_function(y_hat, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    losses.append(loss.item())
print("last losses", losses[-3:])

# %%
with torch.no_grad():
    train_acc = ((net(X_train).squeeze() > 0) == y_train.bool()).float().mean()
    test_acc = ((net(X_test).squeeze() > 0) == y_test.bool()).float().mean()
print(f"train accuracy {train_acc:.3f}, test accuracy {test_acc:.3f}")
print("RESULT", test_acc.item())
