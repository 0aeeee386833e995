"""Is right to the last line but one, and not one line of it runs."""
# leaves early

print("never said")


def late():
    nonlocal unknown
