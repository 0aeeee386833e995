"""A submission as a notebook, one cell for each `# %%` of the script."""

from collections.abc import Mapping
from typing import Any

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def code(source: str, metadata: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Make a code cell; `name` is its id."""
    lines = source.strip("\n").splitlines(keepends=True)
    return {
        "cell_type": "code", "id": name, "metadata": dict(metadata),
        "execution_count": None, "outputs": [], "source": lines,
    }  # fmt: skip


def cells(script: str) -> list[dict[str, Any]]:
    """Return the code cells of a script; its prose is left out."""
    parts = [p.split("\n", 1) for p in f"\n{script}".split("\n# %%")]
    sources = [rest[0] for mark, *rest in parts if rest and "[markdown]" not in mark]
    return [code(s, {}, f"cell-{i}") for i, s in enumerate(sources) if s.strip()]


def whole(inside: list[dict[str, Any]]) -> dict[str, Any]:
    """Make a notebook of these cells."""
    return {
        "cells": inside, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
