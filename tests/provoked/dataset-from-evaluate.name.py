"""A data set's name is given to the loader of metrics."""

import evaluate

evaluate.load("imdb")
