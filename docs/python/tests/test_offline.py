"""How the client meets failures, against a server that fails as it is told; and frames of values that are missing."""

from __future__ import annotations

import json
import tempfile
import threading
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from aixgrade import (
    Busy,
    Client,
    Conflict,
    Invalid,
    RunNotFinished,
    ServerError,
    UnexpectedResponse,
    Unreachable,
    WaitTimeout,
    client as module,
    frames,
)

PROBLEM = "application/problem+json"


class Reply(NamedTuple):
    """What the server does with a request; status 0 closes the connection without a response."""

    status: int
    body: object = None
    kind: str = "application/json"
    headers: dict[str, str] = {}


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


DROPPED = Reply(0)
BUSY = Reply(503, {"title": "Service Unavailable", "detail": "the server is busy"}, PROBLEM, {"Retry-After": "7"})
IN_PROGRESS = Reply(409, {"title": "Conflict", "detail": "in progress"}, PROBLEM, {"Retry-After": "1"})


class Server(ThreadingHTTPServer):
    """Gives its replies in order and records what it is asked."""

    def __init__(self, replies: list[Reply]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies = replies
        self.requests: list[Request] = []


class Handler(BaseHTTPRequestHandler):
    server: Server

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append(Request(self.command, self.path, dict(self.headers.items()), body))
        reply = self.server.replies.pop(0)
        if reply.status == 0:
            self.close_connection = True
            return
        sent = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        sent = b"" if reply.body is None else sent
        self.send_response(reply.status)
        for name, value in {"Content-Type": reply.kind, "Content-Length": str(len(sent)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, format: str, *values: Any) -> None:
        """Nothing: the tests read the records."""


class Told(NamedTuple):
    client: Client
    server: Server
    #: The seconds that the client waited.
    waited: list[float]


@contextmanager
def told(*replies: Reply) -> Iterator[Told]:
    """A client of a server that gives these replies, all of which must be asked for."""
    server = Server(list(replies))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        client = Client(f"http://127.0.0.1:{server.server_port}", "axg_secret", attempts=3)
        waited: list[float] = []
        client._sleep = waited.append
        yield Told(client, server, waited)
        assert not server.replies, f"{len(server.replies)} replies were not asked for"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def keys(server: Server) -> list[str | None]:
    return [request.headers.get("Idempotency-Key") for request in server.requests]


class Attempts(unittest.TestCase):
    def test_reads_are_sent_again(self) -> None:
        page = Reply(200, {"items": []})
        with told(DROPPED, Reply(502), page) as (client, server, waited):
            self.assertEqual(client.list_runs(), {"items": []})
        self.assertEqual(len(server.requests), 3)
        self.assertTrue(0 < waited[0] < waited[1] < 10, waited)

    def test_changes_are_sent_again_with_their_key(self) -> None:
        with told(DROPPED, IN_PROGRESS, IN_PROGRESS, IN_PROGRESS, Reply(201, {"id": 4})) as (client, server, waited):
            self.assertEqual(client.run(1), 4)
        sent = keys(server)
        self.assertIsNotNone(sent[0])
        self.assertEqual(len(set(sent)), 1, "the same request")
        self.assertEqual(waited[1:], [1, 1, 1], "as long as the server says, more often than `attempts`")
        with told(Reply(201, {"id": 5}), Reply(201, {"id": 6})) as (client, server, _):
            client.run(1)
            client.start_run({"submission": 1}, idempotency_key="mine")
        self.assertNotEqual(keys(server)[0], sent[0], "another request has another key")
        self.assertEqual(keys(server)[1], "mine")

    def test_changes_without_a_key_are_not_sent_again(self) -> None:
        new = {"label": "t", "scopes": ["read"], "days": 1}
        for reply, error in [(DROPPED, Unreachable), (Reply(502, b"oops", "text/html"), ServerError)]:
            with told(reply) as (client, server, _), self.assertRaises(error):
                client.create_token(new)  # type: ignore[arg-type]
            self.assertEqual(keys(server), [None])
        # Of these the server did nothing.
        with told(BUSY, Reply(201, {"secret": "axg_x"})) as (client, server, waited):
            client.create_token(new)  # type: ignore[arg-type]
        self.assertEqual(waited, [7])

    def test_attempts_end(self) -> None:
        with told(BUSY, BUSY, BUSY) as (client, _, waited), self.assertRaises(Busy) as caught:
            client.me()
        self.assertEqual((caught.exception.status, caught.exception.retry_after, waited), (503, 7, [7, 7]))
        with told(DROPPED, DROPPED, DROPPED) as (client, _, _), self.assertRaises(Unreachable):
            client.me()

    def test_files_are_sent_again_from_their_beginning(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "outputs.jsonl"
            path.write_bytes(b"x" * 100_000)
            with told(DROPPED, Reply(201, {"upload": 3}), Reply(201, {"id": 9})) as (client, server, _):
                self.assertEqual(client.upload(path, dataset="d", model="M"), 9)
        self.assertEqual([len(request.body) for request in server.requests[:2]], [100_000] * 2)
        self.assertEqual(server.requests[0].path, "/api/v1/uploads?file=outputs.jsonl")
        with self.assertRaises(FileNotFoundError):
            client.upload(path, dataset="d", model="M")
        with told(DROPPED) as (client, _, _), self.assertRaises(Unreachable):
            client.import_ratings(b"task_id\n", dataset="d", file="r.csv", title="T")


class Errors(unittest.TestCase):
    def test_invalid_input_has_its_remedies(self) -> None:
        problems = [
            {"file": "outputs.jsonl", "line": 3, "what": "the line is not JSON", "remedy": "Remove the comma"},
            {"file": "", "line": None, "what": "no output is left", "remedy": "Add one"},
        ]
        problem = {"title": "Unprocessable Entity", "status": 422, "detail": "both", "problems": problems}
        with told(Reply(422, problem, PROBLEM)) as (client, _, _), self.assertRaises(Invalid) as caught:
            client.run(1)
        error = caught.exception
        self.assertEqual((error.status, error.title, error.detail), (422, "Unprocessable Entity", "both"))
        self.assertEqual(error.remedies, ["Remove the comma", "Add one"])
        self.assertIn("outputs.jsonl, line 3: the line is not JSON. Remove the comma.", str(error))

    def test_internal_errors_have_their_incident(self) -> None:
        problem = {"title": "Internal Server Error", "detail": "something went wrong", "incident": "a1b2"}
        with told(Reply(500, problem, PROBLEM)) as (client, _, _), self.assertRaises(ServerError) as caught:
            client.me()
        self.assertEqual(caught.exception.incident, "a1b2")

    def test_conflicts_without_a_time_are_final(self) -> None:
        reply = Reply(409, {"title": "Conflict", "detail": "imported already"}, PROBLEM)
        with told(reply) as (client, _, _), self.assertRaises(Conflict):
            client.run(1)

    def test_pages_of_others_are_no_responses(self) -> None:
        with told(Reply(200, b"<html>", "text/html")) as (client, _, _), self.assertRaises(UnexpectedResponse):
            client.me()
        with told(Reply(200, b"{", "application/json")) as (client, _, _), self.assertRaises(UnexpectedResponse):
            client.me()

    def test_the_token_stays_with_its_server(self) -> None:
        for location in ["http://127.0.0.1:9/api/v1/me", "//127.0.0.1:9/", "@127.0.0.1:9/api/v1/"]:
            reply = Reply(307, None, headers={"Location": location})
            with told(reply) as (client, _, _), self.assertRaises(UnexpectedResponse):
                client.me()
            with told(Reply(200, {"items": [1], "next": location})) as (client, _, _):
                rows = client.all_runs()
                self.assertEqual(next(rows), 1)
                with self.assertRaises(UnexpectedResponse):
                    next(rows)
        self.assertNotIn("axg_secret", repr(client))

    def test_a_study_leads_to_its_comparison(self) -> None:
        there = "/api/v1/comparisons/starter?studies=2"
        view = {"counting": False, "behind": False}
        with told(Reply(307, None, headers={"Location": there}), Reply(200, view)) as (client, server, _):
            self.assertEqual(client.compare_study(2).view, view)
        self.assertEqual([request.path for request in server.requests][1], there)

    def test_addresses_are_checked(self) -> None:
        for address in ["grade.example.org", "ftp://grade.example.org", "http://"]:
            with self.assertRaises(ValueError):
                Client(address, "t")


def progress(status: str, done: int, **more: object) -> Reply:
    return Reply(200, {"status": status, "items": 3, "done": done, "lacks_sources": False, **more})


class Waiting(unittest.TestCase):
    def test_questions_become_rarer(self) -> None:
        replies = [progress("running", min(at, 3)) for at in range(20)] + [progress("finished", 3)]
        seen: list[int] = []
        with told(*replies) as (client, _, waited):
            client.wait(1, progress=lambda found: seen.append(found["done"]))
        self.assertEqual(seen[:4], [0, 1, 2, 3])
        self.assertEqual(waited, sorted(waited))
        self.assertEqual((waited[0], waited[-1]), (0.2, 10.0))

    def test_a_run_without_its_results_is_an_error(self) -> None:
        for last in [progress("stopped", 1), progress("running", 1, lacks_sources=True)]:
            with told(progress("running", 0), last) as (client, _, _), self.assertRaises(RunNotFinished) as caught:
                client.wait(7)
            self.assertEqual((caught.exception.run, caught.exception.progress["done"]), (7, 1))
            self.assertIn("1 of 3 outputs", str(caught.exception))

    def test_waiting_ends(self) -> None:
        times = iter([0.0, 0.0, 1.5, 3.0])
        pauses = module._pauses(2.0, "it is not done", clock=lambda: next(times))
        self.assertEqual([round(next(pauses), 6), round(next(pauses), 6)], [0.2, 0.3])
        with self.assertRaisesRegex(WaitTimeout, "it is not done after 2 seconds"):
            next(pauses)

    def test_a_comparison_waits_for_the_newest_figures(self) -> None:
        def view(counting: bool, behind: bool) -> Reply:
            return Reply(200, {"counting": counting, "behind": behind})

        with told(view(True, True), view(False, True), view(False, False)) as (client, server, _):
            client.compare("starter", models=[2, 1], studies=[])
        self.assertEqual(server.requests[0].path, "/api/v1/comparisons/starter?models=2%2C1&studies=none")
        with told(view(True, True), view(False, True)) as (client, _, _):
            client.compare("starter", newest=False)


class Frames(unittest.TestCase):
    def test_what_was_not_counted_is_missing(self) -> None:
        line = {"run": 1, "task_id": "1", "verdict": None, "passed": 0, "total": 0, "cpu_ms": 0, "cached": False}
        passed = {**line, "verdict": "failed", "finished_at": "2026-11-28T23:50:09.250Z"}
        frame = frames.table("verdicts", "\n".join(map(json.dumps, [line, passed])).encode())
        self.assertTrue(frame.loc[0, ["verdict", "passed", "total", "cpu_ms"]].isna().all())
        self.assertEqual([frame["passed"][1], frame["total"][1]], [0, 0])
        self.assertEqual(frame["passed"].dtype, "Int64")

    def test_times_keep_their_milliseconds(self) -> None:
        line = {"rated_at": "2026-11-28T23:50:09.250Z", "replaced_at": None, "shown_at": "2026-11-28T23:50:09Z"}
        frame = frames.table("ratings", json.dumps(line).encode())
        self.assertEqual(frame["rated_at"][0], pd.Timestamp("2026-11-28T23:50:09.250", tz="UTC"))
        self.assertTrue(frame["replaced_at"].isna()[0])
        self.assertTrue(all(str(kind) == "datetime64[ms, UTC]" for kind in frame.dtypes))

    def test_texts_are_as_they_were_written(self) -> None:
        # U+2028 and U+0085 end a line for Python's `str.splitlines`, but not in JSON Lines.
        texts = ["=1+1", "", "NA", "a\u2028b\u0085c"]
        lines = "\n".join(json.dumps({"comment": text}, ensure_ascii=False) for text in texts).encode()
        self.assertEqual(frames.table("ratings", lines)["comment"].to_list(), texts)

    def test_a_table_without_lines_has_its_columns(self) -> None:
        header = "\ufefftask_id,correctness,rated_at\r\n".encode()
        frame = frames.table("ratings", b"", header)
        self.assertEqual(list(frame.dtypes.astype(str)), ["string", "Int64", "datetime64[ms, UTC]"])

    def test_figures_that_are_undefined_are_missing(self) -> None:
        scores = {"mean": None, "interval": None, "own_mean": None}
        models = [{"model": name, "tasks": 0, "dimensions": [scores]} for name in "AB"]
        rubric = {"dimensions": [{"key": "c", "name": {"en": "C"}}]}
        comparison = {
            "rubric": rubric,
            "models": models,
            "agreement": [{"pairs": 0}],
            "differences": [{"dimension": 0, "first": 0, "second": 1, "tasks": 0, "mean": None, "interval": None}],
        }
        no_pairs = {"undefined": "no_pairs"}
        human = {
            "comparison": comparison,
            "tests": [{"undefined": "too_few"}],
            "holm": [None],
            "reliability": [{"alpha": no_pairs, "pairs": 0}],
        }
        view: Any = {"figures": {"models": ["A", "B"], "human": human, "automated": {"models": [None, None], "pairs": []}}}
        self.assertTrue(frames.figures(view)[["value", "low", "high"]].isna().all(axis=None))
        self.assertTrue(frames.pairs(view)[["difference", "low", "test", "p", "p_holm"]].isna().all(axis=None))
        self.assertTrue(frames.agreement(view)[["alpha", "low", "exact"]].isna().all(axis=None))
        nothing: Any = {"figures": {"models": []}}
        for frame in [frames.figures(nothing), frames.pairs(nothing), frames.agreement(nothing)]:
            self.assertEqual(len(frame), 0)
            self.assertGreater(len(frame.columns), 5)


if __name__ == "__main__":
    unittest.main()
