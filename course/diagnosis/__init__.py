"""The examination of anybody's training script, part by part: what it reads, runs and measures."""
