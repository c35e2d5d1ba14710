-- $1: a JSON array of ids.
DELETE FROM calls_text WHERE rowid IN (SELECT value FROM json_each($1))
