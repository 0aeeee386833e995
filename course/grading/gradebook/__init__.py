"""The gradebook: one SQLite file that no crash can lose anything of. `book.Gradebook` opens it."""
