"""Runs a lane's call on every row of a work order and prints the percentiles."""

import json
import math
import signal
import sys
import time


class TakesTooLong(BaseException):
    """One call took longer than the work order allows."""


def run(version, make_call):
    """`make_call(schema)` gives a function from argument text to result text, or None for a refusal."""
    with open(sys.argv[1], encoding="utf-8") as file:
        order = json.load(file)
    with open(order["schema"], encoding="utf-8") as file:
        call = make_call(json.load(file))
    clock = percentile(sorted(timed(lambda _: None, "") for _ in range(20_000)), 0.5)
    rows = []
    for row in order["rows"]:
        with open(row["input"], encoding="utf-8", newline="") as file:
            text = file.read()
        try:
            result = within(order["limit_ms"], call, text)
        except TakesTooLong:
            rows.append({"id": row["id"], "over_ns": order["limit_ms"] * 1_000_000})
            continue
        if result is not None:
            with open(row["output"], "w", encoding="utf-8", newline="") as file:
                file.write(result)
        rows.append({"id": row["id"], **measure(order, call, text, clock)})
    print(json.dumps({"version": version, "rows": rows}))


def within(milliseconds, call, text):
    """One call that is given up when it takes too long."""

    def give_up(_signal, _frame):
        raise TakesTooLong

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, milliseconds / 1000)
    try:
        return call(text)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def measure(order, call, text, clock):
    """The percentiles of one row, less what reading the clock costs."""
    start = time.perf_counter_ns()

    def before(limit):
        return time.perf_counter_ns() < start + order[limit] * 1_000_000

    while before("warm_up_ms"):
        call(text)
    samples = []
    start = time.perf_counter_ns()
    while (
        not samples
        or (len(samples) < order["min_samples"] and before("limit_ms"))
        or (len(samples) < order["max_samples"] and before("measure_ms"))
    ):
        samples.append(max(timed(call, text) - clock, 0))
    samples.sort()
    return {"p50_ns": percentile(samples, 0.5), "p99_ns": percentile(samples, 0.99)}


def timed(call, text):
    """One call, in nanoseconds."""
    start = time.perf_counter_ns()
    result = call(text)
    end = time.perf_counter_ns()
    del result
    return end - start


def percentile(ordered, share):
    """The nearest rank."""
    return ordered[max(math.ceil(len(ordered) * share) - 1, 0)]
