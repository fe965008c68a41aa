"""Tables as pandas frames. A missing value is NA, never 0 and never an empty text; whole numbers stay whole.

Other modules import this one where they make a frame, so that programs without frames need no pandas.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

try:
    import pandas as pd
except ImportError as error:
    raise ImportError("frames need pandas: pip install pandas") from error

from . import _generated as api

TEXT, WHOLE, NUMBER, FLAG, OBJECT = "string", "Int64", "Float64", "boolean", "object"
TIME = "datetime64[ms, UTC]"

#: The columns of each table of lines; those of the rubric's dimensions come from the lines.
_TABLES: dict[str, dict[str, str]] = {
    "ratings": {
        "study": WHOLE,
        "dataset_version": WHOLE,
        "rubric": TEXT,
        "task_id": TEXT,
        "nl_lang": TEXT,
        "model": TEXT,
        "submission": WHOLE,
        "sample": WHOLE,
        "rater": TEXT,
        "comment": TEXT,
        "flag": OBJECT,
        "notes": OBJECT,
        "shown_at": TIME,
        "rated_at": TIME,
        "replaced_at": TIME,
    },
    "verdicts": {
        "run": WHOLE,
        "dataset_version": WHOLE,
        "task_id": TEXT,
        "nl_lang": TEXT,
        "model": TEXT,
        "submission": WHOLE,
        "sample": WHOLE,
        "verdict": TEXT,
        "limit": TEXT,
        "passed": WHOLE,
        "total": WHOLE,
        "cpu_ms": WHOLE,
        "wall_ms": WHOLE,
        "cached": FLAG,
        "finished_at": TIME,
        "published": TEXT,
        "difference": TEXT,
        "their_verdict": TEXT,
        "their_words": TEXT,
    },
    "outputs": {
        "dataset_version": WHOLE,
        "task_id": TEXT,
        "nl_lang": TEXT,
        "code_lang": TEXT,
        "description": TEXT,
        "signature": TEXT,
        "model": TEXT,
        "submission": WHOLE,
        "sample": WHOLE,
        "turn": WHOLE,
        "code": TEXT,
        "run": WHOLE,
        "verdict": TEXT,
        "passed": WHOLE,
        "total": WHOLE,
        "published": TEXT,
        "ratings": WHOLE,
    },
}

#: Objects of a line whose fields are columns: what their names begin with, and their type.
_GROUPS = {"scores": ("", WHOLE), "means": ("mean_", NUMBER)}

#: What the lines of an output without a verdict have as 0, because nothing was counted or measured.
_OF_A_VERDICT = ("passed", "total", "cpu_ms", "wall_ms")


def table(name: Literal["ratings", "verdicts", "outputs"], lines: bytes, header: bytes = b"") -> pd.DataFrame:
    """A table of lines (JSON Lines); without a line, `header` is the table as CSV, of which only the names are read."""
    known = _TABLES[name]
    rows = [_flat(json.loads(line)) for line in lines.splitlines() if line]
    names = list(rows[0]) if rows else next(csv.reader(io.StringIO(header.decode("utf-8-sig"))), list(known))
    kinds = {column: known.get(column) or _other(column) for column in names}
    frame = _frame(kinds, rows)
    if "verdict" in frame:
        without = frame["verdict"].isna()
        for column in _OF_A_VERDICT:
            if column in frame:
                frame[column] = frame[column].mask(without)
    return frame


def _flat(line: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in line.items():
        if name in _GROUPS and isinstance(value, dict):
            flat.update({f"{_GROUPS[name][0]}{key}": one for key, one in value.items()})
        else:
            flat[name] = value
    return flat


def _other(column: str) -> str:
    """The type of a column that is not in every table: the answers about instructions, or a dimension's."""
    if column == "instructions":
        return TEXT
    return NUMBER if column.startswith("mean_") else WHOLE


def _frame(kinds: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    columns: dict[str, pd.Series[Any]] = {}
    for name, kind in kinds.items():
        values = [row.get(name) for row in rows]
        columns[name] = pd.Series(values, dtype=kind)
    return pd.DataFrame(columns)


def _known(figure: Any) -> Any:
    """A figure that can be undefined, or None."""
    return figure.get("known") if figure else None


def _ends(interval: api.Interval | None) -> dict[str, float | None]:
    return {"low": interval["low"], "high": interval["high"]} if interval else {"low": None, "high": None}


_FIGURES = {
    "model": TEXT,
    "kind": TEXT,
    "figure": TEXT,
    "name": TEXT,
    "value": NUMBER,
    "low": NUMBER,
    "high": NUMBER,
    "own_value": NUMBER,
    "tasks": WHOLE,
}


def figures(view: api.ComparisonView) -> pd.DataFrame:
    """One row for each model and figure, by figure in the order of the rubric."""
    found = view["figures"]
    rows: list[dict[str, Any]] = []
    human = found.get("human")
    if human:
        for at, dimension in enumerate(human["comparison"]["rubric"]["dimensions"]):
            for model in human["comparison"]["models"]:
                scores = model["dimensions"][at]
                rows.append(
                    {
                        "model": model["model"],
                        "kind": "ratings",
                        "figure": dimension["key"],
                        "name": dimension["name"]["en"],
                        "value": scores.get("mean"),
                        **_ends(scores.get("interval")),
                        "own_value": scores.get("own_mean"),
                        "tasks": model["tasks"],
                    }
                )
    automated = found.get("automated")
    if automated:
        rows += _tested(found["models"], automated["models"])
    return _frame(_FIGURES, rows)


def _tested(models: Sequence[str], runs: Sequence[api.Checked | None]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for model, run in zip(models, runs, strict=True):
        if not run:
            continue
        values = [("pass@1", run["metrics"]["pass_at_1"], run.get("pass_interval"))]
        values += [(f"pass@{at['k']}", at["value"], at.get("interval")) for at in run["pass_at"] if at["k"] != 1]
        values += [("AvgPassRatio", run["metrics"]["ratio_mean"], run.get("ratio_interval"))]
        for figure, value, interval in values:
            rows.append(
                {
                    "model": model,
                    "kind": "tests",
                    "figure": figure,
                    "name": figure,
                    "value": value,
                    **_ends(interval),
                    "own_value": value,
                    "tasks": run["metrics"]["tasks"],
                }
            )
    # By figure, as the ratings are: `sorted` keeps the models' order.
    order = list(dict.fromkeys(row["figure"] for row in rows))
    return sorted(rows, key=lambda row: order.index(row["figure"]))


_PAIRS = {
    "kind": TEXT,
    "figure": TEXT,
    "first": TEXT,
    "second": TEXT,
    "tasks": WHOLE,
    "difference": NUMBER,
    "low": NUMBER,
    "high": NUMBER,
    "test": TEXT,
    "p": NUMBER,
    "p_holm": NUMBER,
}


def pairs(view: api.ComparisonView) -> pd.DataFrame:
    """One row for each pair of models and figure: first minus second."""
    found = view["figures"]
    rows: list[dict[str, Any]] = []
    human = found.get("human")
    if human:
        comparison = human["comparison"]
        for difference, test, holm in zip(comparison["differences"], human["tests"], human["holm"], strict=True):
            known = _known(test)
            rows.append(
                {
                    "kind": "ratings",
                    "figure": comparison["rubric"]["dimensions"][difference["dimension"]]["key"],
                    "first": comparison["models"][difference["first"]]["model"],
                    "second": comparison["models"][difference["second"]]["model"],
                    "tasks": difference["tasks"],
                    "difference": difference.get("mean"),
                    **_ends(difference.get("interval")),
                    "test": "wilcoxon" if known else None,
                    "p": known["wilcoxon"]["p"] if known else None,
                    "p_holm": holm,
                }
            )
    automated = found.get("automated")
    for pair in automated["pairs"] if automated else []:
        both = {"kind": "tests", "first": found["models"][pair["first"]], "second": found["models"][pair["second"]]}
        rows.append(
            {
                **both,
                "figure": "pass@1",
                "tasks": pair["tasks"],
                "difference": pair["pass"],
                **_ends(pair.get("pass_interval")),
                "test": pair.get("test"),
                "p": pair.get("p"),
                "p_holm": pair.get("holm"),
            }
        )
        interval = _ends(pair.get("ratio_interval"))
        rows.append({**both, "figure": "AvgPassRatio", "tasks": pair["tasks"], "difference": pair["ratio"], **interval})
    return _frame(_PAIRS, rows)


_AGREEMENT = {
    "figure": TEXT,
    "name": TEXT,
    "alpha": NUMBER,
    "low": NUMBER,
    "high": NUMBER,
    "exact": NUMBER,
    "within_one": NUMBER,
    "pairs": WHOLE,
}


_SLICES = {
    "slice": TEXT,
    "figure": TEXT,
    "model": TEXT,
    "tasks": WHOLE,
    "value": NUMBER,
    "low": NUMBER,
    "high": NUMBER,
    "adjusted": FLAG,
}


def slices(found: api.Slices) -> pd.DataFrame:
    """One row for each slice, figure and model; a figure over fewer than five tasks has no interval."""
    rows: list[dict[str, Any]] = []
    for metric in found["metrics"]:
        dimension = metric.get("dimension")
        for at, (part, figures) in enumerate(zip(found["slices"], metric["slices"], strict=True)):
            for (_, model), figure in zip(found["models"], figures, strict=True):
                rows.append(
                    {
                        "slice": _slice_name(part["of"]),
                        "figure": dimension["key"] if dimension else "pass@1",
                        "model": model,
                        "tasks": figure["tasks"],
                        "value": figure.get("value"),
                        **_ends(figure.get("interval")),
                        # The first is that of all tasks.
                        "adjusted": metric["adjusted"][at + 1],
                    }
                )
    return _frame(_SLICES, rows)


def _slice_name(of: Any) -> str:
    """As in `slices.csv`."""
    (value,) = of.values()
    return f"{value['shortest']}-{value['longest']}" if isinstance(value, dict) else str(value)


_TOKENS = {
    "model": TEXT,
    "outputs": WHOLE,
    "reported": WHOLE,
    "generated": NUMBER,
    "prompt": NUMBER,
}


def tokens(view: api.ComparisonView) -> pd.DataFrame:
    """One row for each model, with mean numbers of tokens over the outputs that have them; none if no output has."""
    found = view["figures"]
    rows = [
        {
            "model": model,
            "outputs": of["outputs"],
            "reported": of["reported"],
            "generated": of.get("generated"),
            "prompt": of.get("prompt"),
        }
        for model, of in zip(found["models"], found.get("tokens") or [])
    ]
    return _frame(_TOKENS, rows)


def agreement(view: api.ComparisonView) -> pd.DataFrame:
    """One row for each dimension: Krippendorff's ordinal alpha, and the shares of equal and nearly equal pairs."""
    human = view["figures"].get("human")
    rows: list[dict[str, Any]] = []
    if human:
        dimensions = human["comparison"]["rubric"]["dimensions"]
        every = zip(dimensions, human["reliability"], human["comparison"]["agreement"], strict=True)
        for dimension, reliability, shares in every:
            alpha = _known(reliability["alpha"])
            rows.append(
                {
                    "figure": dimension["key"],
                    "name": dimension["name"]["en"],
                    "alpha": alpha["value"] if alpha else None,
                    **_ends(_known(alpha["interval"]) if alpha else None),
                    "exact": shares.get("exact"),
                    "within_one": shares.get("within_one"),
                    "pairs": reliability["pairs"],
                }
            )
    return _frame(_AGREEMENT, rows)


_LANGUAGE = {"model": TEXT, "dataset": TEXT, "source": TEXT, "language": TEXT, "run": WHOLE}

_LANGUAGES = {
    **_LANGUAGE,
    "tasks": WHOLE,
    "answered": WHOLE,
    "outputs": WHOLE,
    "k": WHOLE,
    "value": NUMBER,
    "low": NUMBER,
    "high": NUMBER,
    "published": NUMBER,
}


def languages(results: api.LanguageResults) -> pd.DataFrame:
    """One row for each model, dataset of HumanEval-X and k."""

    def of(cell: api.LanguageCell) -> Iterable[dict[str, Any]]:
        published = {at["k"]: at["value"] for at in cell["published_pass_at"]}
        for at in cell["pass_at"]:
            yield {
                **{name: cell[name] for name in ("tasks", "answered", "outputs")},
                "k": at["k"],
                "value": at["value"],
                **_ends(at.get("interval")),
                "published": published.get(at["k"]),
            }

    return _frame(_LANGUAGES, _cells(results, of))


def language_outcomes(results: api.LanguageResults) -> pd.DataFrame:
    """One row for each model, dataset of HumanEval-X and verdict that occurs."""

    def of(cell: api.LanguageCell) -> Iterable[dict[str, Any]]:
        for verdict, outputs in cell["verdicts"]:
            yield {"verdict": verdict, "outputs": outputs}

    return _frame({**_LANGUAGE, "verdict": TEXT, "outputs": WHOLE}, _cells(results, of))


def _cells(
    results: api.LanguageResults, of: Callable[[api.LanguageCell], Iterable[dict[str, Any]]]
) -> list[dict[str, Any]]:
    rows = []
    for model in results["models"]:
        for dataset, cell in zip(results["datasets"], model["cells"], strict=True):
            if cell:
                where = {
                    "model": model["name"],
                    "dataset": dataset["slug"],
                    "source": dataset.get("source"),
                    "language": dataset["lang"],
                    "run": cell["run"],
                }
                rows += [{**where, **row} for row in of(cell)]
    return rows
