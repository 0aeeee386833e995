"""A function that has moved to another library."""

from datasets import load_metric
