-- $1: a JSON array of [id, words].
INSERT INTO calls_text (rowid, words) SELECT value ->> 0, value ->> 1 FROM json_each($1)
