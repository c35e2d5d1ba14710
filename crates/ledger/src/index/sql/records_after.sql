-- Calls of one node that are over, in the order of their numbers. $1: the node, $2: the number before, $3: how many.
SELECT
    calls.id, calls.node, calls.seq, calls.ts, calls.kind, calls.call_id, calls.client, calls.session,
    calls.front, calls.toolbox, calls.server, calls.tool, calls.tool_schema, calls.arguments, calls.normalized,
    calls.changes, calls.stages, calls.error_code, calls.error_message, calls.error_parameters,
    calls.error_from_tool, calls.duration_us, calls.bytes_in, calls.bytes_out, 0 AS is_running
FROM calls
WHERE calls.node = $1 AND calls.seq > $2 AND calls.kind = 0
ORDER BY calls.seq
LIMIT $3
