"""The client: every operation of the API, and the few steps for which most programs use it."""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

from . import _generated as api
from .errors import RunNotFinished, WaitTimeout

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import NotRequired, Unpack

#: Seconds between two questions: the first, the longest, and by how much they grow.
_FIRST, _LONGEST, _GROWTH = 0.2, 10.0, 1.5


class SelectionQuery(TypedDict):
    """What a comparison is about; what is absent is the default, and an empty list is nothing."""

    models: NotRequired[Iterable[int] | None]
    """IDs of the models, in display order; default: all."""
    studies: NotRequired[Iterable[int] | None]
    """IDs of the studies whose ratings count, all with one rubric."""
    runs: NotRequired[Iterable[int] | None]
    """IDs of the runs whose verdicts count, at most one per model."""
    raters: NotRequired[Iterable[int] | None]
    """Only ratings by the people with these IDs."""
    nl_lang: NotRequired[Literal["en", "zh"] | None]
    """Only tasks in this description language."""
    scores: NotRequired[Literal["raw", "final"] | None]
    """All ratings, or adjudicated scores where they exist."""


class _Query(TypedDict):
    """The same as the API takes it."""

    models: str | None
    studies: str | None
    runs: str | None
    raters: str | None
    nl_lang: Literal["en", "zh"] | None
    scores: Literal["raw", "final"] | None


def _query(selected: SelectionQuery) -> _Query:
    return _Query(
        models=_ids(selected.get("models")),
        studies=_ids(selected.get("studies")),
        runs=_ids(selected.get("runs")),
        raters=_ids(selected.get("raters")),
        nl_lang=selected.get("nl_lang"),
        scores=selected.get("scores"),
    )


def _ids(ids: Iterable[int] | None) -> str | None:
    if ids is None:
        return None
    return ",".join(str(int(one)) for one in ids) or "none"


def _pauses(timeout: float | None, what: str, clock: Callable[[], float] = time.monotonic) -> Iterator[float]:
    """The seconds to wait before each further question.

    Raises:
        WaitTimeout: `timeout` seconds are over.
    """
    end = None if timeout is None else clock() + timeout
    pause = _FIRST
    while True:
        left = _LONGEST if end is None else end - clock()
        if left <= 0:
            raise WaitTimeout(f"{what} after {timeout:g} seconds")
        yield min(pause, left)
        pause = min(pause * _GROWTH, _LONGEST)


class Client(api.Operations):
    """A server and a token. Methods are named as the API's operations; those below need several of them."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 120.0,
        attempts: int = 5,
        context: ssl.SSLContext | None = None,
    ) -> None:
        """
        url: The address of the server; default: the environment variable AIXGRADE.
        token: An access token; default: the environment variable TOKEN.
        timeout: Seconds that one response may take.
        attempts: How often a request is sent at most, where sending it again cannot do anything twice.
        context: Settings of TLS, for example for a certificate of one's own.
        """
        url = url or os.environ.get("AIXGRADE")
        if not url:
            raise ValueError("the address of the server is missing: pass it, or set AIXGRADE")
        token = token or os.environ.get("TOKEN")
        super().__init__(url, token, timeout=timeout, attempts=attempts, context=context)

    def upload(
        self,
        file: str | os.PathLike[str] | bytes,
        *,
        dataset: str,
        model: str,
        name: str | None = None,
        matching: api.Matching = "auto",
        columns: Mapping[str, str] | None = None,
        good_lines_only: bool = False,
    ) -> int:
        """Uploads a file of model outputs and imports it. Returns the ID of the submission.

        file: The path of a file, or its bytes, in any format of docs/formats.md.
        dataset: Short name of the dataset.
        model: Name of the model, as shown in tables.
        name: Name of the file in messages; default: that of the path.
        matching: How lines are matched to tasks.
        columns: For tables whose columns have other names: our names to those in the file.
        good_lines_only: Leave out invalid lines, instead of refusing the file.
        """
        if name is None:
            name = "outputs.jsonl" if isinstance(file, bytes) else Path(file).name
        upload = self.send_outputs(file, file=name)["upload"]
        if columns is not None:
            self.choose_columns(upload, {"columns": dict(columns)})
        new: api.NewSubmission = {
            "upload": upload,
            "dataset": dataset,
            "model": model,
            "matching": matching,
            "good_lines_only": good_lines_only,
        }
        return self.import_submission(new)["id"]

    def run(self, submission: int, *, fresh: bool = False, like: int | None = None) -> int:
        """Starts a run of a submission's tests. Returns its ID; `start_run` has all options.

        fresh: Run everything, without results of earlier runs.
        like: ID of a run whose options to copy.
        """
        new: api.NewRun = {"submission": submission, "fresh": fresh}
        if like is not None:
            new["like"] = like
        return self.start_run(new)["id"]

    def wait(
        self,
        run: int,
        *,
        timeout: float | None = None,
        progress: Callable[[api.RunProgress], object] | None = None,
    ) -> api.RunProgress:
        """Waits until a run is finished.

        timeout: Seconds after which to give up; default: never. The run goes on.
        progress: Called with every progress, for example `print`.

        Raises:
            RunNotFinished: The run was stopped, or no process of the server can work on it.
            WaitTimeout: `timeout` is over.
        """
        pauses = _pauses(timeout, f"run {run} is not finished")
        while True:
            found = self.get_run_progress(run)
            if progress is not None:
                progress(found)
            if found["status"] == "finished":
                return found
            done = f"{found['done']} of {found['items']} outputs are done"
            if found["status"] == "stopped":
                raise RunNotFinished(f"run {run} was stopped: {done}", run, found)
            if found["lacks_sources"]:
                why = "the server has no sources of the projects that its tests need"
                raise RunNotFinished(f"run {run} cannot go on: {why}; {done}", run, found)
            self._sleep(next(pauses))

    def compare(
        self, dataset: str, *, timeout: float | None = 600.0, newest: bool = True, **selected: Unpack[SelectionQuery]
    ) -> Comparison:
        """Compares a dataset's models, and waits until the figures are computed.

        dataset: Short name of the dataset.
        timeout: Seconds after which to give up.
        newest: Wait until the figures contain every rating and verdict; otherwise, earlier figures are enough.

        Raises:
            WaitTimeout: `timeout` is over.
        """
        query = _query(selected)
        return self._computed(lambda: self.compare_models(dataset, **query), f"of {dataset}", timeout, newest)

    def compare_study(self, study: int, *, timeout: float | None = 600.0, newest: bool = True) -> Comparison:
        """Compares a study's models by its ratings, and waits as `compare` does."""
        return self._computed(lambda: self.get_comparison(study), f"of study {study}", timeout, newest)

    def _computed(
        self, ask: Callable[[], api.ComparisonView], of: str, timeout: float | None, newest: bool
    ) -> Comparison:
        pauses = _pauses(timeout, f"the comparison {of} is not computed")
        while True:
            view = ask()
            if not view["counting"] and not (newest and view["behind"]):
                return Comparison(self, view)
            self._sleep(next(pauses))

    def comparison(self, dataset: str, **selected: Unpack[SelectionQuery]) -> pd.DataFrame:
        """The figures of a comparison: `compare(…).figures()`."""
        return self.compare(dataset, **selected).figures()

    def ratings(self, dataset: str, **selected: Unpack[SelectionQuery]) -> pd.DataFrame:
        """One row for each rating, replaced ones included: those that count have no `replaced_at`."""
        return self._table(dataset, "ratings", _query(selected))

    def verdicts(self, dataset: str, **selected: Unpack[SelectionQuery]) -> pd.DataFrame:
        """One row for each output of the runs."""
        return self._table(dataset, "verdicts", _query(selected))

    def outputs(self, dataset: str, **selected: Unpack[SelectionQuery]) -> pd.DataFrame:
        """One row for each output, with its task, its code, its verdict and its mean scores."""
        return self._table(dataset, "outputs", _query(selected))

    def languages(self) -> pd.DataFrame:
        """pass@k of every model's newest run in each language of HumanEval-X: one row for each k."""
        from . import frames

        return frames.languages(self.get_languages())

    def language_outcomes(self) -> pd.DataFrame:
        """How the outputs of the same runs ended: one row for each verdict that occurs."""
        from . import frames

        return frames.language_outcomes(self.get_languages())

    def _table(self, dataset: str, table: Literal["ratings", "verdicts", "outputs"], query: _Query) -> pd.DataFrame:
        from . import frames

        lines = self.comparison_file(dataset, f"{table}.jsonl", **query)
        # Without a line, only the header of the CSV file names the columns of the rubric.
        header = b"" if lines.strip() else self.comparison_file(dataset, f"{table}.csv", **query)
        return frames.table(table, lines, header)


class Comparison:
    """A comparison whose figures are computed. Its tables are about the same selection."""

    def __init__(self, client: Client, view: api.ComparisonView) -> None:
        self._client = client
        #: Everything that the API returns.
        self.view = view

    def __repr__(self) -> str:
        return f"Comparison({self.dataset!r}, {self.models!r})"

    @property
    def dataset(self) -> str:
        """Short name of the dataset."""
        return self.view["selection"]["dataset"]

    @property
    def models(self) -> list[str]:
        """The names of the models, in display order."""
        return self.view["figures"]["models"]

    @property
    def selection(self) -> SelectionQuery:
        """What was selected, with every default resolved: it selects the same data later."""
        found = self.view["selection"]
        return SelectionQuery(
            models=found.get("models"),
            studies=found.get("studies"),
            runs=found.get("runs"),
            raters=found.get("raters"),
            nl_lang=found.get("nl_lang"),
            scores=found.get("scores"),
        )

    def figures(self) -> pd.DataFrame:
        """Mean scores, pass@k and AvgPassRatio of each model with their 95 % intervals."""
        from . import frames

        return frames.figures(self.view)

    def pairs(self) -> pd.DataFrame:
        """Differences of each pair of models with their intervals and p-values."""
        from . import frames

        return frames.pairs(self.view)

    def slices(self, by: Literal["difficulty", "length", "code_lang", "nl_lang"] = "difficulty") -> pd.DataFrame:
        """Mean scores and pass@1 of each model over the tasks that have an attribute in common."""
        from . import frames

        return frames.slices(self._client.slice_comparison(self.dataset, by=by, **_query(self.selection)))

    def tokens(self) -> pd.DataFrame:
        """Tokens of each model's outputs, as far as files and endpoints report them."""
        from . import frames

        return frames.tokens(self.view)

    def agreement(self) -> pd.DataFrame:
        """Agreement of raters on each dimension."""
        from . import frames

        return frames.agreement(self.view)

    def ratings(self) -> pd.DataFrame:
        """As `Client.ratings`."""
        return self._client.ratings(self.dataset, **self.selection)

    def verdicts(self) -> pd.DataFrame:
        """As `Client.verdicts`."""
        return self._client.verdicts(self.dataset, **self.selection)

    def outputs(self) -> pd.DataFrame:
        """As `Client.outputs`."""
        return self._client.outputs(self.dataset, **self.selection)

    def file(self, name: str) -> bytes:
        """One of the files of the comparison, such as `bundle.zip` or `tables.tex`."""
        return self._client.comparison_file(self.dataset, name, **_query(self.selection))

    def picture(self, name: str, *, width: Literal["column", "page"] = "column") -> bytes:
        """One of the figures as the server draws it, such as `correctness-means.svg`."""
        return self._client.comparison_figure(self.dataset, name, width=width, **_query(self.selection))
