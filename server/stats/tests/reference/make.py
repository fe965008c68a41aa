#!/usr/bin/env python3
"""Figures of independent programs, for server/stats/tests/reference.rs.

    python3 -m venv venv
    venv/bin/pip install krippendorff==0.9.0 irrCAC==0.4.4 scikit-learn==1.9.1 scipy==1.12.0 \
        pingouin==0.6.1 statsmodels==0.15.0
    venv/bin/python make.py > reference.json

All of these could be had. Data are drawn from a seeded generator and written beside the figures, so that
the test needs nothing but the JSON. Monte-Carlo figures (key `near`) come with their standard error.
"""

import itertools
import json
import warnings

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import scipy.stats as st
import statsmodels.api as sm
import statsmodels.formula.api as smf
from irrCAC.raw import CAC
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

warnings.filterwarnings("ignore")
# pingouin rounds intervals to two digits unless told otherwise.
pingouin.options["round.column.CI95"] = 15
rng = np.random.default_rng(20260814)


def paired_cases():
    """Differences of many shapes; exact p-values by scipy where it has them, else by all sign flips."""
    shapes = {
        "small, no ties": rng.normal(0.3, 1, 9),
        "small, ties and zeros": rng.integers(-2, 4, 12).astype(float),
        "thirds": np.round(rng.integers(-4, 6, 14)) / 3.0,
        "fifty, no ties": rng.normal(0.2, 1, 50),
        "large, no ties": rng.normal(0.1, 1, 161),
        "large, ties and zeros": rng.integers(-3, 4, 161).astype(float),
        "large, halves": rng.integers(-5, 7, 120) / 2.0,
        "all one way": np.arange(1.0, 8.0),
    }
    for name, d in shapes.items():
        nonzero = d[d != 0]
        ties = len(np.unique(np.abs(nonzero.round(9)))) < len(nonzero)
        ranks = st.rankdata(np.abs(nonzero.round(9)))
        plus, minus = ranks[nonzero > 0].sum(), ranks[nonzero < 0].sum()
        if len(nonzero) > 50:
            test, how = st.wilcoxon(d.round(9), mode="approx"), "scipy approx"
            p, statistic = test.pvalue, test.statistic
        elif not ties and len(nonzero) == len(d):
            test, how = st.wilcoxon(d, mode="exact"), "scipy exact"
            p, statistic = test.pvalue, test.statistic
        else:
            # All assignments of signs to the mid-ranks, by scipy's permutation test.
            signed = np.sign(nonzero) * ranks
            found = st.permutation_test(
                (signed,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
            )
            p, statistic, how = found.pvalue, min(plus, minus), "scipy permutation_test of signed ranks"
        exact = None
        if len(nonzero) <= 20:
            exact = st.permutation_test(
                (d,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
            ).pvalue
        # Many more signs than ours, by another generator.
        signs = rng.choice([-1.0, 1.0], size=(200_000, len(d)))
        drawn = float(np.mean(np.abs(signs @ d) >= abs(d.sum()) - 1e-9))
        yield {
            "name": name,
            "how": how,
            "differences": d.tolist(),
            "statistic": statistic,
            "plus": plus,
            "minus": minus,
            "wilcoxon": p,
            "permutation": exact,
            "near": drawn,
            "rank_biserial": float(pingouin.wilcoxon(d.round(9))["RBC"].iloc[0]),
            "dz": float(np.mean(d) / np.std(d, ddof=1)),
        }


def cliff_cases():
    for n in (8, 40, 161):
        a, b = rng.integers(1, 5, n).astype(float), rng.integers(1, 5, n) / 2.0
        u = st.mannwhitneyu(a, b).statistic
        yield {"a": a.tolist(), "b": b.tolist(), "delta": 2 * u / (n * n) - 1}


def holm_cases():
    for n in (1, 3, 10, 30):
        p = rng.uniform(0, 0.2, n)
        yield {"p": p.tolist(), "adjusted": multipletests(p, method="holm")[1].tolist()}


def mcnemar_cases():
    for b, c in [(1, 7), (5, 5), (0, 3), (12, 30), (0, 0), (40, 55)]:
        exact = 1.0 if b + c == 0 else mcnemar([[3, b], [c, 9]], exact=True).pvalue
        # The mid-p from scipy's binomial: twice the mid-p of one side.
        n, k = b + c, min(b, c)
        mid = min(1.0, 2 * (st.binom.cdf(k, n, 0.5) - 0.5 * st.binom.pmf(k, n, 0.5)))
        yield {"b": b, "c": c, "exact": exact, "mid": mid}


def correlation_cases():
    for n, levels in [(6, 4), (40, 4), (161, 4), (300, 9)]:
        x = rng.integers(0, 5, n) / 4.0
        y = np.clip(np.round(x * levels + rng.normal(0, 1.5, n)), 1, levels)
        # Bootstrap of rho and tau over tasks, by another generator.
        draws = rng.integers(0, n, (2000, n))
        rhos = np.array([st.spearmanr(x[i], y[i])[0] for i in draws])
        taus = np.array([st.kendalltau(x[i], y[i])[0] for i in draws])
        yield {
            "x": x.tolist(),
            "y": y.tolist(),
            "spearman": st.spearmanr(x, y)[0],
            "kendall": st.kendalltau(x, y)[0],
            "near": None if n < 100 else {
                "spearman": np.quantile(rhos, [0.025, 0.975]).tolist(),
                "kendall": np.quantile(taus, [0.025, 0.975]).tolist(),
            },
        }


def panel(units, raters, levels, missing, noise):
    truth = rng.integers(1, levels + 1, units)
    lenient = rng.normal(0, 0.5, raters)
    scores = np.clip(np.round(truth[:, None] + lenient + rng.normal(0, noise, (units, raters))), 1, levels)
    scores[rng.uniform(size=scores.shape) < missing] = np.nan
    return scores


def agreement_cases():
    shapes = [(12, 4, 5, 0.2, 0.8), (60, 3, 4, 0.0, 0.7), (161, 3, 3, 0.1, 0.6), (200, 6, 5, 0.6, 1.0), (25, 2, 9, 0.0, 1.5)]
    for units, raters, levels, missing, noise in shapes:
        scores = panel(units, raters, levels, missing, noise)
        frame = pd.DataFrame(scores)
        alpha = krippendorff.alpha(
            reliability_data=scores.T, level_of_measurement="ordinal", value_domain=list(range(1, levels + 1))
        )
        categories = [float(v) for v in range(1, levels + 1)]
        # irrCAC rounds to `digits`.
        gwet = {
            w: CAC(frame, weights=w, categories=categories, digits=15).gwet()["est"]["coefficient_value"]
            for w in ("quadratic", "ordinal")
        }
        kappas = []
        for a, b in itertools.combinations(range(raters), 2):
            both = frame[[a, b]].dropna()
            value = cohen_kappa_score(both[a], both[b], labels=categories, weights="quadratic") if len(both) else None
            kappas.append({"first": a, "second": b, "outputs": len(both), "kappa": value})
        complete = frame.dropna()
        icc = None
        if len(complete) > 4:
            long = complete.reset_index().melt(id_vars="index", var_name="rater", value_name="score")
            table = pingouin.intraclass_corr(long, targets="index", raters="rater", ratings="score").set_index("Type")
            icc = {
                name: {"value": float(table.loc[row, "ICC"]), "interval": [float(v) for v in table.loc[row, "CI95"]]}
                for name, row in (("icc1", "ICC(1,1)"), ("icc2", "ICC(A,1)"), ("icc2k", "ICC(A,k)"))
            }
        # One-way analysis of variance of what is there, by statsmodels; k0 as Donner 1986 has it.
        long = frame.reset_index().melt(id_vars="index", var_name="rater", value_name="score").dropna()
        size = long.groupby("index")["score"].transform("size")
        long = long[size > 1]
        table = sm.stats.anova_lm(smf.ols("score ~ C(index)", long).fit())
        msb, msw = table["mean_sq"]
        sizes = long.groupby("index").size()
        k0 = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(sizes) - 1)
        unequal = (msb - msw) / (msb + (k0 - 1) * msw)
        pairs = [
            (row[i], row[j])
            for row in scores
            for i, j in itertools.combinations(range(raters), 2)
            if not np.isnan(row[i]) and not np.isnan(row[j])
        ]
        # Bootstrap of alpha over units, by another generator.
        near = None
        if units >= 100:
            values = [
                krippendorff.alpha(
                    reliability_data=scores[rng.integers(0, units, units)].T,
                    level_of_measurement="ordinal",
                    value_domain=list(range(1, levels + 1)),
                )
                for _ in range(1000)
            ]
            near = np.quantile(values, [0.025, 0.975]).tolist()
        yield {
            "levels": levels,
            "scores": [[None if np.isnan(v) else int(v) for v in row] for row in scores],
            "alpha": alpha,
            "alpha_near": near,
            "ac2": gwet,
            "kappas": kappas,
            "complete_icc": icc,
            "complete": len(complete),
            "icc1": unequal,
            "exact": float(np.mean([a == b for a, b in pairs])),
            "within_one": float(np.mean([abs(a - b) <= 1 for a, b in pairs])),
        }


def severity_cases():
    """Output + rater by ordinary least squares, dummies for outputs, sum contrasts for raters."""
    for models, tasks, raters, missing in [(2, 10, 3, 0.3), (3, 30, 5, 0.5), (5, 40, 4, 0.0)]:
        scores = panel(models * tasks, raters, 5, missing, 0.6)
        rows = [
            {"output": o, "model": o // tasks, "task": o % tasks, "rater": r, "score": scores[o, r]}
            for o in range(models * tasks)
            for r in range(raters)
            if not np.isnan(scores[o, r])
        ]
        frame = pd.DataFrame(rows)
        fit = smf.ols("score ~ 0 + C(output) + C(rater, Sum)", frame).fit()
        lenient = [fit.params[f"C(rater, Sum)[S.{r}]"] for r in range(raters - 1)]
        lenient.append(-sum(lenient))
        outputs = {o: fit.params[f"C(output)[{o}]"] for o in frame["output"].unique()}
        means = [float(np.mean([v for o, v in outputs.items() if o // tasks == m])) for m in range(models)]
        yield {
            "tasks": tasks,
            "models": models,
            "ratings": [[int(r["model"]), int(r["task"]), int(r["rater"]), int(r["score"])] for r in rows],
            "leniency": [float(v) for v in lenient],
            "means": means,
        }


def bootstrap_cases():
    """The two-stage bootstrap of means and of a paired difference, many more resamples, another generator."""
    for n, most in [(161, 3), (60, 1)]:
        counts = rng.integers(1, most + 1, (2, n))
        hard = rng.normal(0, 0.6, n)
        cells = [
            [np.clip(np.round(3 + 0.1 * m + hard[i] + rng.normal(0, 0.7, counts[m, i])), 1, 4) for i in range(n)]
            for m in range(2)
        ]
        means = np.zeros((40_000, 2))
        for b in range(len(means)):
            drawn = rng.integers(0, n, n)
            for m in range(2):
                means[b, m] = np.mean([c[rng.integers(0, len(c), len(c))].mean() for c in (cells[m][i] for i in drawn)])
        yield {
            "cells": [[c.tolist() for c in model] for model in cells],
            "near": [np.quantile(means[:, m], [0.025, 0.975]).tolist() for m in range(2)],
            "difference": np.quantile(means[:, 0] - means[:, 1], [0.025, 0.975]).tolist(),
        }


def task_adjusted_cases():
    """Adjusted means by statsmodels' least squares, and their bootstrap over tasks by numpy's. Every model has a third
    of the tasks and more, so that resamples keep a chain of common tasks."""
    own = np.random.default_rng(20261128)
    for n, models in [(40, 3), (90, 5)]:
        hard = own.normal(0, 0.6, n)
        has = own.random((models, n)) < 0.6
        scores = [[float(np.clip(np.round(2.5 + 0.2 * m + hard[i] + own.normal(0, 0.5)), 1, 4)) for i in range(n)] for m in range(models)]
        frame = pd.DataFrame([(f"m{m}", f"t{i}", scores[m][i]) for m in range(models) for i in range(n) if has[m, i]], columns=["model", "task", "score"])
        fit = smf.ols("score ~ C(model) + C(task)", frame).fit()
        known = frame.task.unique()
        means = [fit.predict(pd.DataFrame({"model": f"m{m}", "task": known})).mean() for m in range(models)]
        places = np.array([i for i in range(n) if has[:, i].any()])
        draws = np.zeros((10_000, models))
        for b in range(len(draws)):
            drawn = own.choice(places, len(places))
            rows = [(m, t, scores[m][i]) for m in range(models) for t, i in enumerate(drawn) if has[m, i]]
            design = np.zeros((len(rows), models + len(drawn)))
            for r, (m, t, _) in enumerate(rows):
                design[r, m] = design[r, models + t] = 1
            effects = np.linalg.lstsq(design, np.array([score for *_, score in rows]), rcond=None)[0]
            draws[b] = effects[:models] + effects[models:].mean()
        yield {
            "cells": [[[scores[m][i]] if has[m, i] else [] for i in range(n)] for m in range(models)],
            "means": means,
            "near": [np.quantile(draws[:, m], [0.025, 0.975]).tolist() for m in range(models)],
        }


def alt_test_cases():
    """The alternative annotator test by scipy's t-test and statsmodels' procedure of Benjamini and Yekutieli."""
    shapes = [(120, 4, 0.6, 0.7), (60, 3, 0.6, 0.5), (45, 6, 0.8, 0.3), (200, 5, 0.5, 0.65), (150, 3, 0.3, 1.6), (40, 5, 0.0, 0.0)]
    for outputs, raters, noise, judge_noise in shapes:
        truth = rng.integers(1, 6, outputs).astype(float)
        level = lambda spread: np.clip(np.round(truth + rng.normal(0, spread, outputs)), 1, 5) if spread else truth
        judge, people = level(judge_noise), np.array([level(noise) for _ in range(raters)])
        rated = rng.random((raters, outputs)) < 0.85
        case = {"judge": judge.tolist(), "winning": {}, "advantages": []}
        case["ratings"] = [
            [[r, people[r, o]] for r in range(raters) if rated[r, o]] for o in range(outputs)
        ]
        differences = []
        for r in range(raters):
            own = []
            for o in range(outputs):
                others = [people[k, o] for k in range(raters) if k != r and rated[k, o]]
                if rated[r, o] and others:
                    far = [np.sqrt(np.mean([(score - k) ** 2 for k in others])) for score in (judge[o], people[r, o])]
                    own.append((far[0] <= far[1], far[1] <= far[0]))
            if len(own) >= 30:
                differences.append([int(rater) - int(judged) for judged, rater in own])
                case["advantages"].append(np.mean([judged for judged, _ in own]))
        for epsilon in (0.1, 0.15, 0.2):
            p = [st.ttest_1samp(each, epsilon, alternative="less").pvalue for each in differences]
            case["winning"][str(epsilon)] = int(multipletests(p, alpha=0.05, method="fdr_by")[0].sum())
        yield case


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


cases = {
    "paired": list(paired_cases()),
    "cliff": list(cliff_cases()),
    "holm": list(holm_cases()),
    "mcnemar": list(mcnemar_cases()),
    "correlation": list(correlation_cases()),
    "agreement": list(agreement_cases()),
    "severity": list(severity_cases()),
    "bootstrap": list(bootstrap_cases()),
    "task_adjusted": list(task_adjusted_cases()),
    "alt_test": list(alt_test_cases()),
}
print(json.dumps(plain(cases)))
