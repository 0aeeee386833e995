"""The code in a report: the submission beside the exercise, with what was found at its lines."""
