"""What a class is given: the roster, an exercise for each student, a page of instructions."""
