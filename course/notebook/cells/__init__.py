"""The notebook file as data: its cells, the script they make, and what IPython's own lines mean."""
