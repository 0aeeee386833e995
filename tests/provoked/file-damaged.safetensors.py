"""A page that says "not found", saved as weights."""

from safetensors.torch import load_file

with open("model.safetensors", "w", encoding="utf-8") as file:
    file.write("<html><body>Entry not found</body></html>")
load_file("model.safetensors")
