"""A list is to be moved to a device."""

labels = [0, 1, 2]
labels.to("cpu")
