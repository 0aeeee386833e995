# Matrix factorisation with biases and a small MLP on top, MovieLens-like ratings.
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.model_selection import train_test_split

np.random.seed(1)
torch.manual_seed(1)

N_USERS, N_MOVIES, DIM = 250, 150, 8

user_taste = np.random.normal(0, 1, (N_USERS, 3))
movie_style = np.random.normal(0, 1, (N_MOVIES, 3))
user_mood = np.random.normal(0, 0.4, N_USERS)
movie_quality = np.random.normal(0, 0.5, N_MOVIES)
records = []
for u in range(N_USERS):
    seen = np.random.choice(N_MOVIES, size=np.random.randint(40, 90), replace=False)
    for m in seen:
        value = 3.4 + user_mood[u] + movie_quality[m] + 0.45 * user_taste[u] @ movie_style[m]
        records.append((u, m, np.clip(np.round((value + np.random.normal(0, 0.45)) * 2) / 2, 0.5, 5.0)))
ratings = pd.DataFrame(records, columns=["user", "movie", "rating"])

train, test = train_test_split(ratings, test_size=0.2, random_state=1)
print(len(train), "train ratings,", len(test), "test ratings")


def as_tensors(frame):
    users = torch.tensor(frame["user"].to_numpy(), dtype=torch.long)
    movies = torch.tensor(frame["movie"].to_numpy(), dtype=torch.long)
    values = torch.tensor(frame["rating"].to_numpy(), dtype=torch.float32)
    return users, movies, values


train_u, train_m, train_r = as_tensors(train)
test_u, test_m, test_r = as_tensors(test)
global_mean = train_r.mean().item()


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(N_USERS, DIM)
        self.movie = nn.Embedding(N_MOVIES, DIM)
        self.user_bias = nn.Embedding(N_USERS, 1)
        self.movie_bias = nn.Embedding(N_MOVIES, 1)
        for table in (self.user, self.movie):
            nn.init.normal_(table.weight, std=0.1)
        for table in (self.user_bias, self.movie_bias):
            nn.init.zeros_(table.weight)

    def forward(self, u, m):
        dot = (self.user(u) * self.movie(m)).sum(dim=1)
        return global_mean + dot + self.user_bias(u).squeeze(1) + self.movie_bias(m).squeeze(1)


def rmse(model, u, m, r):
    model.eval()
    with torch.no_grad():
        return (model(u, m) - r).pow(2).mean().sqrt().item()


model = Recommender()
optimizer = torch.optim.Adam([
    {"params": [model.user.weight, model.movie.weight], "weight_decay": 2e-4},
    {"params": [model.user_bias.weight, model.movie_bias.weight], "weight_decay": 0.0},
], lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=8, gamma=0.3)
mse = nn.MSELoss()

baseline = (test_r - global_mean).pow(2).mean().sqrt().item()
print(f"baseline rmse (mean rating): {baseline:.4f}")
for epoch in range(1, 21):
    model.train()
    perm = torch.randperm(len(train_r))
    epoch_loss = 0.0
    for idx in perm.split(128):
        u, m, r = train_u[idx], train_m[idx], train_r[idx]
        optimizer.zero_grad()
        loss = mse(model(u, m), r)
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * len(idx)
    scheduler.step()
    if epoch % 4 == 0:
        print(f"epoch {epoch:2d} train mse {epoch_loss / len(train_r):.4f} "
              f"test rmse {rmse(model, test_u, test_m, test_r):.4f}")

final = rmse(model, test_u, test_m, test_r)
print(f"final test rmse {final:.4f} (baseline {baseline:.4f})")
