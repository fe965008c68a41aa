import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { hydrated, logIn, open, openMenu, rate } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

/** Downloads a file by a link of the page and returns its content. */
async function taken(page: Page, press: () => Promise<void>): Promise<Buffer> {
  const download = page.waitForEvent('download');
  await press();
  return readFile(await (await download).path());
}

test('two models are compared, from the dataset to a task, and exported', async ({ page, browser }) => {
  await rate(server.url, demo.ada, 24, (n) => [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1]);
  await rate(server.url, demo.bo, 24, (n) => [((n + 1) % 4) + 1, ((n + 2) % 3) + 1, ((n + 1) % 5) + 1]);
  await rate(server.url, demo.chen, 16, () => [4, 3, 5]);

  await logIn(page, demo.admin);
  await open(page, '/admin/datasets/starter');
  await openMenu(page);
  await page.getByRole('link', { name: 'Compare models' }).click();
  await hydrated(page);

  // Two of the three.
  await page.getByText('Selection', { exact: true }).click();
  const models = page.getByRole('group', { name: 'Models' }).getByRole('checkbox');
  await expect(models).toHaveCount(3);
  await models.nth(2).uncheck();
  await page.getByRole('button', { name: 'Compare selection' }).click();
  await expect(page).toHaveURL(/models=\d+(,|%2C)\d+(&|$)/);
  // Until the new figures arrive, the old ones are shown.
  await expect(page.locator('.comparison-facts')).toContainText('Models: 2');
  // A row for each dimension.
  const short = page.getByRole('table', { name: 'Summary' });
  for (const dimension of ['Correctness', 'Code Quality', 'Maintainability']) {
    await expect(short.getByRole('row').filter({ hasText: dimension })).toHaveText(
      /scores higher than|no significant difference|difference is not statistically significant|is significant/,
    );
  }
  // A chart's values can be reached and read by the keyboard, and link to their tasks.
  await page.getByText('Details: differences, scores').first().click();
  const distribution = page.locator('figure').filter({ hasText: 'Correctness: distribution of scores' });
  await distribution.locator('svg.chart [tabindex="0"]').focus();
  await expect(distribution.locator('.chart-says')).toHaveText(/score \d given \d+ of \d+ times/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/model=\d+&score=correctness\.\d#tasks$/);
  await hydrated(page);
  const filtered = page.locator('#tasks .filter-count');
  await expect(filtered).toHaveText(/^\d+ of \d+ tasks$/);

  // More filters: disagreement and text, also in the address.
  await page.getByLabel('Spread').selectOption('1');
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page).toHaveURL(/spread=1/);

  // The link reproduces the selection.
  const context = await browser.newContext({ baseURL: server.url, locale: 'en-GB' });
  const colleague = await context.newPage();
  await logIn(colleague, demo.admin);
  await open(colleague, page.url());
  const rows = await colleague.locator('#tasks .matrix-table tbody tr').allTextContents();
  const count = await colleague.locator('#tasks .filter-count').textContent();
  await expect(filtered).toHaveText(count ?? '');
  await expect(page.locator('#tasks .matrix-table tbody tr')).toHaveText(rows);
  await context.close();

  // A task has both models' code side by side.
  await page.locator('#tasks .matrix-table tbody th a').first().click();
  await expect(page).toHaveURL(/\/admin\/compare\/starter\/tasks\/\d+\?/);
  await expect(page.locator('.outputs-beside .side')).toHaveCount(2);
  await expect(page.locator('.outputs-beside').getByText(/ada|bo|chen/).first()).toBeVisible();
  await page.goBack();
  await expect(filtered).toHaveText(count ?? '');

  // Chinese words are found in the description.
  const slug = page.url().replace(/\?.*/, '');
  await open(page, `${slug}?task_nl_lang=zh`);
  await expect(page.locator('#tasks > details.fold')).toHaveAttribute('open');
  const text = await page.locator('#tasks .matrix-text[lang]').first().textContent();
  const words = (text ?? '').slice(2, 6);
  expect(words).toMatch(/[\u4e00-\u9fff]/);
  await page.locator('#task-q').fill(words);
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page).toHaveURL(/q=/);
  await expect(page.locator('#tasks .matrix-table tbody tr').first()).toContainText(words);

  // Every file.
  await open(page, slug);
  const file = (name: string) =>
    taken(page, async () => {
      await page.getByText('Export', { exact: true }).click();
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByText('Export', { exact: true }).click();
    });
  const csv = (await file('CSV: Ratings')).toString('utf8').trim().split(/\r?\n/);
  expect(csv[0]).toContain('task_id,nl_lang,model,submission,sample,rater,correctness,code_quality,maintainability');
  expect(csv.length).toBe(1 + 64);
  expect(csv.slice(1).every((line) => /,R[123],/.test(line))).toBe(true);
  const lines = (await file('JSON Lines: Ratings')).toString('utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).scores.correctness).every((score) => score >= 1 && score <= 4)).toBe(true);
  expect(lines.length).toBe(64);
  const marked = await file('CSV for Excel: Ratings');
  expect(marked.toString('utf8').trimEnd().split(/\r?\n/)).toEqual(['\ufeff' + csv[0], ...csv.slice(1)]);
  expect((await file('Parquet: Outputs')).subarray(0, 4).toString('latin1')).toBe('PAR1');
  const tables = async (format: string, decimals: string) => {
    const bytes = await taken(page, async () => {
      await page.getByText('Export', { exact: true }).click();
      await page.locator('#print-file').selectOption(format);
      await page.getByLabel('Decimals of scores').selectOption(decimals);
      await page.getByRole('button', { name: 'Download tables' }).click();
    });
    await page.getByText('Export', { exact: true }).click();
    return bytes.toString('utf8');
  };
  expect(await tables('Markdown', '2')).toMatch(/\| \*\*\d\.\d\d\*\* \|/);
  expect(await tables('LaTeX', '3')).toContain('S[table-format=1.3]');
  expect(await tables('CSV: mean scores', '0')).toMatch(/^Model,/);
  const zip = await file('Reproducible bundle (zip)');
  expect(zip.subarray(0, 2).toString('latin1')).toBe('PK');
  for (const name of ['manifest.json', 'ratings.jsonl', 'figures.json', 'figures/correctness-means.svg', 'statistics.md']) {
    expect(zip.includes(name), name).toBe(true);
  }
  const means = page.locator('.figure-head').filter({ hasText: 'Correctness 1–4' });
  await means.getByText('Export figure').click();
  const svg = await taken(page, () => means.getByRole('link', { name: 'SVG' }).first().click());
  expect(svg.toString('utf8')).toMatch(/^<svg[^]*<title>Correctness: means<\/title>/);
  const png = await taken(page, () => means.getByRole('link', { name: 'PNG' }).first().click());
  expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');

  // Slices of the tasks, with the number of tasks of each.
  await page.getByText('Results by difficulty, length or language').click();
  await page.getByLabel('Slice by').selectOption('Length of the description');
  await page.locator('#slices').getByRole('button', { name: 'Show' }).click();
  await expect(page).toHaveURL(/slice_by=length/);
  const slices = page.locator('#slices tbody tr');
  await expect(slices).toHaveCount(3);
  await expect(slices.first()).toContainText(/n = \d+/);
  await page.locator('#slices').getByLabel('Metric').selectOption('Maintainability (1–5)');
  await expect(page).toHaveURL(/slice_metric=maintainability/);
  await expect(page.locator('#slices caption')).toHaveText('Maintainability (1–5)');

  // The paper's layout is one click away.
  await page.getByRole('link', { name: 'AixBench paper layout' }).click();
  await expect(page.getByText('Manual comparison (layout of AixBench, table 3)')).toBeVisible();
  await expect(page.locator('figure').filter({ hasText: 'Manual comparison' }).locator('svg.chart')).toBeVisible();
});

test('a comparison is readable without scripts', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: server.url, locale: 'en-GB', javaScriptEnabled: false });
  const page = await context.newPage();
  await logIn(page, demo.admin);
  await page.goto('/admin/compare/starter');
  await expect(page.getByRole('table', { name: 'Summary' }).locator('tbody tr')).toHaveCount(3);
  await expect(page.getByRole('table', { name: 'Correctness', exact: true }).locator('tbody tr')).toHaveCount(3);
  await page.getByText('Selection', { exact: true }).click();
  await page.getByRole('group', { name: 'Models' }).getByRole('checkbox').first().uncheck();
  await page.getByRole('button', { name: 'Compare selection' }).click();
  await expect(page.getByText(/^Models: 2 /)).toBeVisible();
  await context.close();
});

test('figures follow new ratings', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/compare/starter');
  const facts = page.locator('.comparison-facts');
  const before = Number(/ratings: ([\d,]+)/.exec((await facts.textContent()) ?? '')?.[1]);
  expect(await rate(server.url, demo.chen, 2, () => [1, 1, 1])).toBe(2);
  await expect(facts).toContainText(`ratings: ${before + 2}`);
});
