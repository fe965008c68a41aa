"""What can go wrong, each as an exception of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._generated import RunProgress


class AixGradeError(Exception):
    """Any failure that this package reports."""


class Unreachable(AixGradeError):
    """No response arrived: no connection, a connection that ended, or a time limit."""


class UnexpectedResponse(AixGradeError):
    """A response that the API does not give, such as the page of a proxy or a redirect."""


class RunNotFinished(AixGradeError):
    """A run ended without all of its results, or cannot go on."""

    def __init__(self, message: str, run: int, progress: RunProgress) -> None:
        super().__init__(message)
        self.run = run
        self.progress = progress


class WaitTimeout(AixGradeError, TimeoutError):
    """The time for waiting is over. What was waited for goes on; waiting again continues."""


@dataclass(frozen=True)
class InputProblem:
    """One problem of the input."""

    #: The file or field; empty if there is only one.
    file: str
    #: The line, from 1; None for a problem with the whole file.
    line: int | None
    #: The problem.
    what: str
    #: How to fix it.
    remedy: str
    #: Address of the page that accepts the file, if another one does.
    page: str | None = None

    def __str__(self) -> str:
        place = [self.file] if self.file else []
        place += [f"line {self.line}"] if self.line is not None else []
        return f"{', '.join(place)}{': ' if place else ''}{self.what}. {self.remedy}."


class ApiError(AixGradeError):
    """The server refused the request or failed. A subclass for each kind of status."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        #: The HTTP status, the code of the error.
        self.status = status
        #: The status in words.
        self.title = str(problem.get("title") or "")
        #: The problem and, if known, how to fix it.
        self.detail = str(problem.get("detail") or "")
        #: Each problem of the input, with its remedy.
        self.problems = [
            InputProblem(
                file=str(one.get("file") or ""),
                line=one.get("line"),
                what=str(one.get("what") or ""),
                remedy=str(one.get("remedy") or ""),
                page=one.get("page"),
            )
            for one in problem.get("problems") or []
        ]
        #: The ID of an internal error in the server's log.
        self.incident: str | None = problem.get("incident")
        #: Seconds after which to try again, if the server said so.
        self.retry_after = retry_after
        # `detail` of invalid input is the problems in one text.
        text = "\n".join(map(str, self.problems)) if self.problems else self.detail
        super().__init__(f"{status} {self.title}: {text}" if text else f"{status} {self.title}")

    @property
    def remedies(self) -> list[str]:
        """How to fix each problem of the input."""
        return [problem.remedy for problem in self.problems]


class BadRequest(ApiError):
    """400, 405, 413, 415: the request itself is malformed."""


class Unauthenticated(ApiError):
    """401: no token, or an invalid one."""


class Forbidden(ApiError):
    """403: the token's scopes or its owner's role do not allow it."""


class NotFound(ApiError):
    """404: the object or the address does not exist."""


class Conflict(ApiError):
    """409: it conflicts with the present state."""


class Invalid(ApiError):
    """422: the content is invalid; `problems` says where and how to fix it."""


class Busy(ApiError):
    """429, 503: nothing of the request was done, also after several attempts."""


class ServerError(ApiError):
    """Any other 5xx: the server failed; `incident` names the entry in its log."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    422: Invalid,
    429: Busy,
    503: Busy,
}


def api_error(status: int, problem: Mapping[str, Any], retry_after: float | None) -> ApiError:
    """The exception for a response."""
    usual = ServerError if status >= 500 else BadRequest
    return _BY_STATUS.get(status, usual)(status, problem, retry_after)
