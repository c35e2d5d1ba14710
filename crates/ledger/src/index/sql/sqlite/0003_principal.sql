-- The name of the token that a call came with.
ALTER TABLE calls ADD COLUMN principal TEXT;
