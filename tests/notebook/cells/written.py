"""Notebooks as editors write them, for tests."""

import json
from typing import Any

PYTHON = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def code(source: str | list[str], **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source,
        **more,
    }


def markdown(source: str | list[str], **more: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source, **more}


def notebook(*cells: Any, metadata: Any = PYTHON, **more: Any) -> str:
    """As Jupyter writes it."""
    document = {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps({**document, **more}, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
