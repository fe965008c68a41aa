"""Runs the tests of a submission over the API and prints which verdicts workers gave. The environment has its number
and a token."""

import collections
import json
import os
import time
import urllib.error
import urllib.request


def send(path, body=None):
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}", "Content-Type": "application/json"}
    data = json.dumps(body).encode() if body else None
    with urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:3000/api/v1" + path, data, headers)) as answer:
        return answer.read().decode()


deadline = time.monotonic() + 300


def wait_until(what, ready):
    while not ready():
        if time.monotonic() > deadline:
            raise SystemExit(f"{what}: not within five minutes; workers: {send('/workers')}")
        time.sleep(1)


def workers():
    return [worker["state"] for worker in json.loads(send("/workers"))["workers"]]


wait_until("two workers that get jobs", lambda: workers() == ["ready"] * 2)
run = json.loads(send("/runs", {"submission": int(os.environ["SUBMISSION"])}))["id"]
wait_until("the end of the run", lambda: json.loads(send(f"/runs/{run}"))["row"]["status"] == "finished")
results = [json.loads(line) for line in send(f"/runs/{run}/results.jsonl").splitlines()]
print(dict(collections.Counter(result["verdict"] for result in results if "verdict" in result)))
