"""json_repair's lane: json.loads, and a repair when that fails. The schema plays no part in it."""

import json
from importlib.metadata import version

import json_repair

import stopwatch


def make_call(_schema):
    def call(text):
        try:
            json.loads(text)
            return text
        except ValueError:
            return json.dumps(json_repair.loads(text, skip_json_loads=True))

    return call


stopwatch.run(version("json_repair"), make_call)
