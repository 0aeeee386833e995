"""A metric says which further library it needs."""

import tempfile
from pathlib import Path

import evaluate

METRIC = """
import a_library_that_is_not_there
import evaluate
import datasets


class Tags(evaluate.Metric):
    def _info(self):
        features = datasets.Features({"predictions": datasets.Value("int64")})
        return evaluate.MetricInfo(description="", citation="", features=features)

    def _compute(self, predictions):
        return {}
"""
folder = Path(tempfile.mkdtemp(), "tags")
folder.mkdir()
(folder / "tags.py").write_text(METRIC)
evaluate.load(str(folder / "tags.py"))
