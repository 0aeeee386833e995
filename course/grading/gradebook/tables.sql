-- `team` is empty for who works alone.
CREATE TABLE student (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    lang TEXT NOT NULL,
    aliases TEXT NOT NULL,
    team TEXT NOT NULL
);

-- A seed is text: an integer of SQLite's ends at 64 bits.
CREATE TABLE assignment (
    number INTEGER PRIMARY KEY,
    student TEXT NOT NULL REFERENCES student (id),
    lesson TEXT NOT NULL,
    framework TEXT NOT NULL,
    bugs TEXT NOT NULL,
    lang TEXT NOT NULL,
    seed TEXT NOT NULL,
    digest TEXT NOT NULL,
    form TEXT NOT NULL,
    exam INTEGER NOT NULL,
    given TEXT NOT NULL,
    UNIQUE (student, lesson, framework)
);

CREATE TABLE content (digest TEXT NOT NULL PRIMARY KEY, bytes BLOB NOT NULL);

-- `submitted` is empty where it is not known: each NULL would be unlike all others.
CREATE TABLE submission (
    number INTEGER PRIMARY KEY,
    assignment INTEGER NOT NULL REFERENCES assignment (number),
    digest TEXT NOT NULL,
    content TEXT REFERENCES content (digest),
    refused TEXT,
    source TEXT NOT NULL,
    submitted TEXT NOT NULL,
    late INTEGER NOT NULL,
    UNIQUE (assignment, digest, submitted)
);

-- What came back from a student and could not be taken for an exercise, and why.
CREATE TABLE unread (
    number INTEGER PRIMARY KEY,
    student TEXT NOT NULL REFERENCES student (id),
    source TEXT NOT NULL UNIQUE,
    reason TEXT NOT NULL,
    figures TEXT NOT NULL
);

CREATE TABLE session (
    number INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    ended TEXT,
    "values" TEXT NOT NULL
);

CREATE TABLE result (
    number INTEGER PRIMARY KEY,
    assignment INTEGER NOT NULL REFERENCES assignment (number),
    submission TEXT NOT NULL,
    exercise TEXT NOT NULL,
    rubric TEXT NOT NULL,
    runtime TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    session INTEGER NOT NULL REFERENCES session (number),
    graded TEXT NOT NULL,
    status TEXT NOT NULL,
    score REAL NOT NULL,
    max_score REAL NOT NULL,
    grade TEXT NOT NULL,
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    UNIQUE (assignment, submission, exercise, rubric, runtime, attempt)
);

-- Which submission counts, and by which rubric and runtime it is to be told.
CREATE TABLE counted (
    assignment INTEGER PRIMARY KEY REFERENCES assignment (number),
    submission TEXT NOT NULL,
    exercise TEXT NOT NULL,
    rubric TEXT NOT NULL,
    runtime TEXT NOT NULL,
    submitted TEXT NOT NULL,
    FOREIGN KEY (assignment, submission, submitted)
        REFERENCES submission (assignment, digest, submitted)
);

-- A row without a score takes the one before it back.
CREATE TABLE override (
    number INTEGER PRIMARY KEY,
    assignment INTEGER NOT NULL REFERENCES assignment (number),
    score REAL,
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    at TEXT NOT NULL
);

-- What a student asks about a mark.
CREATE TABLE question (
    number INTEGER PRIMARY KEY,
    assignment INTEGER NOT NULL REFERENCES assignment (number),
    text TEXT NOT NULL,
    at TEXT NOT NULL,
    UNIQUE (assignment, text)
);

-- What a teacher says of one mark (`about` is empty) or of all in an exercise that share a
-- reason, and the points that it adds. A row without a text takes those before it back.
CREATE TABLE comment (
    number INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    lesson TEXT NOT NULL,
    framework TEXT NOT NULL,
    about TEXT NOT NULL,
    text TEXT,
    points REAL NOT NULL,
    who TEXT NOT NULL,
    at TEXT NOT NULL
);
