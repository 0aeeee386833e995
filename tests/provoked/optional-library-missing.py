"""A class says which further library it needs."""

from transformers.utils import import_utils, requires_backends

import_utils.is_sentencepiece_available = lambda: False
import_utils.BACKENDS_MAPPING["sentencepiece"] = (
    import_utils.is_sentencepiece_available,
    import_utils.SENTENCEPIECE_IMPORT_ERROR,
)


class AlbertTokenizer:
    pass


requires_backends(AlbertTokenizer, ["sentencepiece"])
