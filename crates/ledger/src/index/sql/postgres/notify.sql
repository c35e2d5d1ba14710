-- Told when the change is in force. $1: the channel, $2: the words.
SELECT pg_notify($1, $2)
