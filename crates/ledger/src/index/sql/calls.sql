-- Calls. A call that has no end is running while its node is, and was cut otherwise.
SELECT
    calls.id, calls.node, calls.seq, calls.ts, calls.kind, calls.call_id, calls.client, calls.session,
    calls.front, calls.toolbox, calls.server, calls.tool, calls.tool_schema, calls.arguments, calls.normalized,
    calls.changes, calls.stages, calls.error_code, calls.error_message, calls.error_parameters,
    calls.error_from_tool, calls.duration_us, calls.bytes_in, calls.bytes_out, calls.principal,
    CASE WHEN calls.kind = 0 THEN 0 WHEN {running} THEN 1 ELSE 0 END AS is_running
FROM {from}
WHERE {filter}
ORDER BY {order}
LIMIT {limit}
