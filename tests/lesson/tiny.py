"""A lesson and a fault as small as they can be; both have their `id` filled in."""

LESSON = """
format = 1
id = "{id}"
title = "Names in {id}"
summary = "Find the names."

[pt]
script = "pt/exercise.py"
requires = []
outcome = {{ metric = "accuracy", margin = 0.2, labels = 2, examples = 9, eval_examples = 9 }}
online = {{ note = "Real.", outcome = {{ margin = 0.1 }}, edits = [] }}

[[pt.bug]]
fault = "names-cut"
reason = "It reads one word."
edits = [{{ buggy = "words = 1", healthy = "words = 9" }}]

[[pt.step]]
id = "names-cut"
intro = "Run it."

[[pt.step]]
id = "healthy"
intro = "Now it learns."
"""
FAULT = """
format = 1
id = "{id}"
stage = "data"
title = "A name is cut"
means = "Only its first word is read."
where = "Where words are split."
fix = "Read all of them."

[[signature]]
wording = "later"
exception = "builtins.ValueError"
message = "half a name"
example = "half a name"
seen = "none"
"""
