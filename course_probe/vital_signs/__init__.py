"""What is measured of a training: `course/runs/vital_signs.py` says what each sign means.

Nothing here knows of hooks: the hooks say what happened, these count. No sign is guessed: what was
not measured is None.
"""
