"""What Git LFS leaves in place of the weights is loaded."""

import torch

with open("model.pt", "w", encoding="utf-8") as file:
    file.write("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 440473133\n")
torch.load("model.pt", weights_only=False)
