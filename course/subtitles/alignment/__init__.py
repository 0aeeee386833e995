"""Which cues are about which step of a lesson, or heading of a document, and how sure that is."""
