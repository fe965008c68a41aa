"""The client against a server with the demo's data, which AIXGRADE names. TOKEN has all scopes, READ_TOKEN the scope `read`.

Runs must be worked on: by the engine, or by what stands for it.
"""

from __future__ import annotations

import json
import os
import sys
import unittest
import uuid
from pathlib import Path

import aixgrade
from aixgrade import Client

sys.path.insert(0, str(Path(__file__).parents[1]))
import generate  # noqa: E402 (it is no part of the package)

OUTPUTS = b"".join(
    json.dumps({"task_id": f"S{number:02}", "generation": f"int f() {{ return {number}; }}"}).encode() + b"\n"
    for number in range(1, 6)
)


class OnServer(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client()

    def test_generated_file_is_what_the_document_describes(self) -> None:
        text = generate.generated(generate.read(os.environ["AIXGRADE"]))
        same = generate.TARGET.read_text(encoding="utf-8") == text
        self.assertTrue(same, "run: python docs/python/generate.py ADDRESS")

    def test_outputs_become_verdicts_and_figures(self) -> None:
        client = self.client
        # The same outputs of the same model are imported once.
        model = f"From Python {uuid.uuid4().hex[:8]}"
        submission = client.upload(OUTPUTS, dataset="starter", model=model, name="five.jsonl")
        row = client.get_submission(submission)
        self.assertEqual((row["model_name"], row["outputs"]), (model, 5))
        with self.assertRaises(aixgrade.Conflict):
            client.upload(OUTPUTS, dataset="starter", model=model)
        run = client.run(submission)
        done: list[int] = []
        finished = client.wait(run, timeout=120, progress=lambda found: done.append(found["done"]))
        self.assertEqual((finished["status"], finished["items"], done[-1]), ("finished", 5, 5))

        verdicts = client.verdicts("starter", runs=[run])
        self.assertEqual(list(verdicts["task_id"]), [f"S{number:02}" for number in range(1, 6)])
        self.assertEqual(set(verdicts["model"]), {model})
        self.assertTrue(verdicts["verdict"].notna().all())
        kinds = {name: str(kind) for name, kind in verdicts.dtypes.items()}
        self.assertEqual((kinds["passed"], kinds["cached"], kinds["limit"]), ("Int64", "boolean", "string"))
        self.assertEqual(kinds["finished_at"], "datetime64[ms, UTC]")

        own = client.get_run(run)["row"]["metrics"]
        figures = client.comparison("starter", runs=[run], studies=[])
        self.assertEqual(set(figures["kind"]), {"tests"})
        value = figures.set_index("figure")["value"]
        self.assertAlmostEqual(value["pass@1"], own["pass_at_1"], places=12)
        self.assertAlmostEqual(value["AvgPassRatio"], own["ratio_mean"], places=12)

    def test_ratings_have_their_columns(self) -> None:
        comparison = self.client.compare("starter")
        ratings = comparison.ratings()
        self.assertGreater(len(ratings), 50)
        for name, kind in {"correctness": "Int64", "comment": "string", "rated_at": "datetime64[ms, UTC]"}.items():
            self.assertEqual(str(ratings[name].dtype), kind)
        self.assertTrue(ratings["rated_at"].notna().all())
        means = comparison.figures().query("kind == 'ratings'")
        self.assertEqual(len(means), len(comparison.models) * 3)
        # A model without ratings has no mean.
        self.assertTrue((means["value"].dropna() >= 1).all())
        pairs = comparison.pairs()
        self.assertEqual(set(pairs["kind"]), {"ratings", "tests"})
        self.assertTrue(pairs["p"].dropna().between(0, 1).all())
        agreement = comparison.agreement()
        self.assertEqual(list(agreement["figure"]), ["correctness", "code_quality", "maintainability"])
        slices = comparison.slices("length")
        self.assertEqual(set(slices["figure"]), {"correctness", "code_quality", "maintainability", "pass@1"})
        self.assertTrue(slices.loc[slices["tasks"] < 5, "low"].isna().all())
        self.assertTrue(slices["slice"].str.fullmatch(r"\d+-\d+").all())
        # No output of the demo has a number of tokens.
        self.assertEqual((len(comparison.tokens()), str(comparison.tokens()["generated"].dtype)), (0, "Float64"))
        self.assertIn(b"Correctness", comparison.file("tables.md"))
        self.assertIn(b"<svg", comparison.picture("correctness-means.svg"))

    def test_outputs_have_their_means(self) -> None:
        outputs = self.client.outputs("starter")
        rated = outputs[outputs["ratings"] > 0]
        self.assertTrue(rated["mean_correctness"].notna().all())
        self.assertTrue(outputs.loc[outputs["ratings"] == 0, "mean_correctness"].isna().all())

    def test_a_table_without_lines_has_its_columns(self) -> None:
        verdicts = self.client.verdicts("starter", runs=[])
        self.assertEqual((len(verdicts), str(verdicts["passed"].dtype)), (0, "Int64"))
        self.assertIn("rater", self.client.ratings("starter", studies=[]))

    def test_a_selection_is_what_was_asked_for(self) -> None:
        chinese = self.client.ratings("starter", nl_lang="zh")
        self.assertEqual(set(chinese["nl_lang"]), {"zh"})
        comparison = self.client.compare("starter", nl_lang="zh", scores="final")
        self.assertEqual((comparison.selection.get("nl_lang"), comparison.selection.get("scores")), ("zh", "final"))
        study = self.client.compare_study(self.client.list_studies()["items"][0]["id"])
        self.assertEqual(study.selection.get("runs"), [])

    def test_pages_are_followed(self) -> None:
        first = self.client.list_submissions(limit=1)
        self.assertEqual(len(first["items"]), 1)
        self.assertIsNotNone(first.get("next"))
        every = [row["id"] for row in self.client.all_submissions()]
        one_by_one = [row["id"] for row in self.client._rows(first)]
        self.assertEqual(one_by_one, every)
        self.assertGreaterEqual(len(every), 3)

    def test_a_key_makes_a_change_once(self) -> None:
        submission = self.client.list_submissions()["items"][-1]["id"]
        runs = {self.client.start_run({"submission": submission}, idempotency_key="once")["id"] for _ in range(2)}
        self.assertEqual(len(runs), 1)

    def test_errors_have_types(self) -> None:
        with self.assertRaises(aixgrade.NotFound) as missing:
            self.client.get_run(4711)
        self.assertEqual((missing.exception.status, missing.exception.title), (404, "Not Found"))
        with self.assertRaises(aixgrade.Invalid) as invalid:
            self.client.upload(b"no JSON\n", dataset="starter", model="M")
        self.assertTrue(invalid.exception.remedies)
        self.assertTrue(all(invalid.exception.remedies))
        with self.assertRaises(aixgrade.Forbidden):
            Client(token=os.environ["READ_TOKEN"]).run(1)
        with self.assertRaises(aixgrade.Unauthenticated):
            Client(token="axg_unknown").me()
        with self.assertRaises(aixgrade.BadRequest):
            self.client.list_runs(limit=0)


if __name__ == "__main__":
    unittest.main()
