"""Two classes that are not 0 and 1."""

from sklearn.metrics import precision_score

precision_score(["ham", "spam", "ham"], ["ham", "ham", "spam"])
