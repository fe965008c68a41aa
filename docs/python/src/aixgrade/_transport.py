"""Requests to the server: tokens, attempts, errors. The standard library's urllib is enough for JSON and files."""

from __future__ import annotations

import http.client
import json
import os
import random
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from .errors import UnexpectedResponse, Unreachable, api_error

ROOT = "/api/v1/"
PROBLEM = "application/problem+json"

#: A file to send: its path, or its bytes.
Content: TypeAlias = "str | os.PathLike[str] | bytes"

Answer: TypeAlias = Literal["json", "text", "bytes", "none"]


def part(value: object) -> str:
    """A value as one part of a path."""
    return urllib.parse.quote(str(value), safe="")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """urllib would send the token to wherever a redirect points; `_attempted` follows those within the API."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Received(NamedTuple):
    status: int
    kind: str
    #: Seconds after which to try again.
    wait: float | None
    body: bytes
    location: str


class Transport:
    """The connection to one server with one token."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout: float = 120.0,
        attempts: int = 5,
        context: ssl.SSLContext | None = None,
    ) -> None:
        """
        timeout: Seconds that one response may take.
        attempts: How often a request is sent at most, where sending it again cannot do anything twice.
        context: Settings of TLS, for example for a certificate of one's own.
        """
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"{url!r} is not the address of a server, such as https://grade.example.org")
        if attempts < 1:
            raise ValueError("attempts must be at least 1")
        self.url = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._attempts = attempts
        self._sleep: Callable[[float], None] = time.sleep
        self._opener = urllib.request.build_opener(_NoRedirect, urllib.request.HTTPSHandler(context=context))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def _call(
        self,
        method: str,
        path: str,
        answer: Answer,
        *,
        query: Mapping[str, object] | None = None,
        body: object = None,
        content: Content | None = None,
        keyed: bool = False,
        key: str | None = None,
        repeatable: bool = False,
    ) -> Any:
        """Sends a request and reads its response.

        keyed: The operation accepts an idempotency key, so that the request can be sent again. Without `key`, a new one.
        repeatable: The request can be sent again without a key.
        """
        present = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        address = f"{self.url}{path}{'?' if present else ''}{urllib.parse.urlencode(present)}"
        headers = {"Accept": f"application/json, {PROBLEM}, */*;q=0.5", "User-Agent": "aixgrade-python"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = content
        if body is not None:
            data = json.dumps(body, allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        elif content is not None:
            headers["Content-Type"] = "application/octet-stream"
        if keyed:
            headers["Idempotency-Key"] = key or str(uuid.uuid4())
        may_repeat = method == "GET" or keyed or repeatable
        return self._attempted(method, address, headers, data, answer, may_repeat)

    def _attempted(
        self, method: str, address: str, headers: dict[str, str], data: Content | None, answer: Answer, may_repeat: bool
    ) -> Any:
        attempt, in_progress_since = 0, None
        while True:
            attempt += 1
            try:
                status, kind, wait, received, location = self._once(method, address, headers, data)
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
                    # The file that was to be sent.
                    raise
                if not may_repeat or attempt >= self._attempts:
                    raise Unreachable(f"no response from {self.url}: {_cause(error)}") from error
                self._sleep(_pause(attempt))
                continue
            if 200 <= status < 300:
                return _read(answer, kind, received)
            if status == 307 and method == "GET" and location.startswith(ROOT) and attempt < self._attempts:
                address = f"{self.url}{location}"
                continue
            if 300 <= status < 400:
                raise UnexpectedResponse(f"{self.url} redirects API requests. Use the address that it redirects to.")
            if may_repeat and status == 409 and wait is not None:
                # The first request with this key is in progress. It may take as long as any response.
                now = time.monotonic()
                in_progress_since = now if in_progress_since is None else in_progress_since
                if now - in_progress_since < self._timeout:
                    self._sleep(wait)
                    continue
            # The server says with these that it did nothing. A proxy's own 503 may hide that something was done.
            refused = kind == PROBLEM and wait is not None and status in (429, 503)
            unknown = may_repeat and status in (429, 502, 503, 504)
            if (refused or unknown) and attempt < self._attempts:
                self._sleep(_pause(attempt) if wait is None else wait)
                continue
            raise api_error(status, _problem(kind, received), wait)

    def _once(self, method: str, address: str, headers: dict[str, str], data: Content | None) -> _Received:
        if data is None or isinstance(data, bytes):
            return self._open(urllib.request.Request(address, data, headers, method=method))
        with Path(data).open("rb") as file:
            # Streamed from the disk, for which the length must be known; setting the data removes the header.
            request = urllib.request.Request(address, file, headers, method=method)
            request.add_header("Content-Length", str(os.fstat(file.fileno()).st_size))
            return self._open(request)

    def _open(self, request: urllib.request.Request) -> _Received:
        try:
            response = self._opener.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as refusal:
            response = refusal
        with response:
            sent = response.headers
            wait, location = _seconds(sent.get("Retry-After")), sent.get("Location", "")
            return _Received(response.status, sent.get_content_type(), wait, response.read(), location)

    def _rows(self, page: Any) -> Iterator[Any]:
        """The rows of a page and of those after it."""
        while True:
            yield from page["items"]
            following = page.get("next")
            if not following:
                return
            # The token goes to this server only, whatever the address says.
            if not following.startswith(ROOT):
                raise UnexpectedResponse(f"the next page has the address {following!r}")
            page = self._call("GET", following, "json")


def _read(answer: Answer, kind: str, received: bytes) -> Any:
    if answer == "none" or (answer == "json" and not received):
        return None
    if answer == "bytes":
        return received
    try:
        if answer == "text":
            return received.decode()
        if kind != "application/json":
            raise UnexpectedResponse(f"the response is {kind} and not JSON. Is this the address of an AixGrade server?")
        return json.loads(received)
    except ValueError as error:
        raise UnexpectedResponse(f"the response cannot be read: {error}") from error


def _problem(kind: str, received: bytes) -> Mapping[str, Any]:
    """What an error says; a proxy's errors have no problem details."""
    if kind == PROBLEM:
        try:
            problem = json.loads(received)
        except ValueError:
            problem = None
        if isinstance(problem, dict):
            return problem
    text = received[:500].decode(errors="replace").strip() if kind == "text/plain" else ""
    return {"detail": text}


def _seconds(header: str | None) -> float | None:
    """`Retry-After` in seconds, at most a minute; its form with a date is not one that the server uses."""
    try:
        return min(max(float(header or ""), 0.0), 60.0)
    except ValueError:
        return None


def _pause(attempt: int) -> float:
    """Seconds before the next attempt: twice as many each time, at most 10; a part of them at random, so that clients that
    failed together do not come back together."""
    return min(0.25 * 2.0**attempt, 10.0) * random.uniform(0.75, 1.25)


def _cause(error: Exception) -> str:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return str(reason) or type(reason).__name__
