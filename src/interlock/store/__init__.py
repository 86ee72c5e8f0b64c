"""Where state lives: one SQLite file, its spool and its key, in one private folder."""
