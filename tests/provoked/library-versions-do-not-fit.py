"""A library asks for a version of another one that is not the one installed."""

from transformers.utils.versions import require_version_core

require_version_core("tokenizers<0.1")
