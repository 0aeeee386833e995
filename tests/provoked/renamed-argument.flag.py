"""A flag that today's arguments of a training do not have."""

from transformers import HfArgumentParser, TrainingArguments

flags = ["--output_dir", "out", "--overwrite_output_dir"]
HfArgumentParser(TrainingArguments).parse_args_into_dataclasses(flags)
