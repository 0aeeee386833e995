"""Commands for any training script: of no lesson, and in nobody's exercise."""
