"""Estimators of scikit-learn and a gradient by numpy: split, scaled, fitted, scored."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

rows, labels = make_classification(300, 6, random_state=0)
first, second, known, wanted = train_test_split(rows, labels, test_size=0.3, random_state=1)
scaled = StandardScaler().fit(first)
model = LogisticRegression().fit(scaled.transform(first), known)
answers = model.predict(scaled.transform(second))
print(accuracy_score(wanted, answers), f1_score(wanted, answers), model.coef_)
line = make_pipeline(StandardScaler(), SGDClassifier(random_state=2))
print(cross_val_score(line, rows, labels, cv=StratifiedKFold(4)))
weights = np.zeros(6)
for _ in range(50):
    shares = 1 / (1 + np.exp(-first @ weights))
    weights -= 0.1 * first.T @ (shares - known) / len(first)
    chosen = np.random.permutation(len(first))[:32]
print(
    weights, chosen[:4], np.argmax(first, axis=1)[:5], np.mean(known), np.concatenate([known])[:3]
)
print(type(np.argmax).__name__, np.mean.__module__, np.random.get_state()[2])
