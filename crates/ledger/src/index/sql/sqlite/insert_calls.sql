-- The values of rows in the order of the columns, and what is done with those that are there already.
INSERT INTO calls (
    id, node, seq, ts, kind, call_id, client, session, front, toolbox, server, tool, tool_schema, arguments,
    normalized, changes, stages, error_code, error_message, error_parameters, error_from_tool, duration_us,
    bytes_in, bytes_out, changed, ok, size, principal
)
VALUES {rows}
{conflict}
