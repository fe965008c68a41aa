"""A client for AixGrade's REST API.

    import aixgrade

    client = aixgrade.Client("https://grade.example.org", "axg_…")
    run = client.run(client.upload("outputs.jsonl", dataset="starter", model="My model"))
    client.wait(run)
    client.compare("starter").figures()
"""

from .client import Client, Comparison
from .errors import (
    AixGradeError,
    ApiError,
    BadRequest,
    Busy,
    Conflict,
    Forbidden,
    InputProblem,
    Invalid,
    NotFound,
    RunNotFinished,
    ServerError,
    Unauthenticated,
    UnexpectedResponse,
    Unreachable,
    WaitTimeout,
)

__all__ = [
    "AixGradeError",
    "ApiError",
    "BadRequest",
    "Busy",
    "Client",
    "Comparison",
    "Conflict",
    "Forbidden",
    "InputProblem",
    "Invalid",
    "NotFound",
    "RunNotFinished",
    "ServerError",
    "Unauthenticated",
    "UnexpectedResponse",
    "Unreachable",
    "WaitTimeout",
]
