import { readFile } from 'node:fs/promises';

import { hydrated, logIn, open, rate } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

test('results of all models, from the navigation to a model and a dataset', async ({ page }) => {
  // So many that every two models have tasks in common.
  await rate(server.url, demo.ada, 40, (n) => [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1]);
  await rate(server.url, demo.bo, 40, (n) => [((n + 1) % 4) + 1, ((n + 2) % 3) + 1, ((n + 1) % 5) + 1]);

  await logIn(page, demo.admin);
  await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Results' }).click();
  await expect(page).toHaveURL(/\/admin\/results$/);
  await hydrated(page);
  const table = page.getByRole('table', { name: 'Results' });
  await expect(table.locator('tbody tr')).toHaveCount(3);
  // Highest first, each with its interval, n and date.
  const values = async (column: number): Promise<number[]> =>
    (await table.locator(`tbody tr > :nth-child(${column}) .mean`).allTextContents()).map(Number);
  const first = await values(3);
  expect(first).toEqual([...first].sort((a, b) => b - a));
  await expect(table.locator('tbody tr').first().locator('.interval').first()).toHaveText(/^\[\d\.\d\d, \d\.\d\d\]$/);
  await expect(table.locator('tbody tr').first().locator('.board-n').first()).toHaveText(/tasks: \d+, ratings: \d+\d+ \w+ \d{4}/);

  await expect(table.locator('tbody tr .board-rank')).toHaveText([/^1$/, /^[12]$/, /^[123]$/]);
  // The best of each column is marked: with three figures of each, one or more.
  for (let column = 3; column < 6; column++) {
    const best = await table.locator(`tbody tr > .best:nth-child(${column}) .mean`).allTextContents();
    expect(new Set(best)).toEqual(new Set([Math.max(...(await values(column))).toFixed(2)]));
  }

  // Another order, and its reverse, are in the address.
  await table.getByRole('link', { name: /Code quality/ }).click();
  await expect(page).toHaveURL(/sort=starter\.code_quality$/);
  await expect(table.locator('[aria-sort="descending"]')).toContainText('Code quality');
  await table.getByRole('link', { name: /Code quality/ }).click();
  await expect(page).toHaveURL(/order=reverse/);
  await expect(table.locator('[aria-sort="ascending"]')).toContainText('Code quality');
  const ascending = await values(4);
  expect(ascending).toEqual([...ascending].sort((a, b) => a - b));

  // As CSV: the same models and a line for each figure.
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const csv = (await readFile(await (await download).path(), 'utf8')).trim().split(/\r?\n/);
  expect(csv[0]).toBe('dataset,model,source,metric,value,low,high,tasks,ratings,run,at,attribute,slice,answered,without_verdict');
  expect(csv.filter((line) => line.includes(',people,')).length).toBe(9);

  // A slice of the tasks: its own figures, in the address, kept by another order and by the file.
  const whole = await table.locator('tbody tr .mean').allTextContents();
  await page.getByLabel('Tasks', { exact: true }).selectOption('Long description');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page).toHaveURL(/slice=length\.long/);
  await expect(page.getByText('Length of the description · Long description')).toBeVisible();
  await expect(table.locator('.board-group')).toContainText(/\d+ to \d+ characters · \d+ of \d+ tasks with results/);
  expect(await table.locator('tbody tr .mean').allTextContents()).not.toEqual(whole);
  await table.getByRole('link', { name: /Maintainability/ }).click();
  await expect(page).toHaveURL(/sort=starter\.maintainability.*slice=length\.long/);
  await expect(page.getByRole('link', { name: 'Download CSV' })).toHaveAttribute('href', /slice=length\.long/);
  // What is chosen and typed stays while the table is redrawn, and an address without it clears the field.
  const words = page.getByLabel('Model name contains');
  await page.getByLabel('Tasks', { exact: true }).selectOption('length.medium');
  await words.fill('north');
  await table.getByRole('link', { name: /Maintainability/ }).click();
  await expect(table.locator('[aria-sort="ascending"]')).toContainText('Maintainability');
  await expect(page.getByLabel('Tasks', { exact: true })).toHaveValue('length.medium');
  await expect(words).toHaveValue('north');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(table.locator('tbody tr')).toHaveCount(1);
  await expect(page).toHaveURL(/slice=length\.medium/);
  await page.goBack();
  await expect(table.locator('tbody tr')).toHaveCount(3);
  await expect(page.getByLabel('Tasks', { exact: true })).toHaveValue('length.long');
  await expect(words).toHaveValue('');
  // By difficulty, each model has its own tasks, so there are no ranks. The demo has no test results yet.
  await page.getByLabel('Tasks', { exact: true }).selectOption('difficulty.hard');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page.getByText('no task with ratings or test results is in this slice')).toBeVisible();
  await page.getByLabel('Tasks', { exact: true }).selectOption('difficulty.unknown');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(table.locator('tbody tr')).toHaveCount(3);
  await expect(table.locator('.board-rank, .best')).toHaveCount(0);
  await page.getByRole('link', { name: 'All tasks', exact: true }).click();
  await expect(page).not.toHaveURL(/slice=/);
  await expect(table.locator('tbody tr .board-rank')).toHaveCount(3);

  // A model against another.
  const name = (await table.locator('tbody th a').first().textContent()) ?? '';
  await table.locator('tbody th a').first().click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
  await page.getByLabel('Baseline').selectOption({ index: 1 });
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page).toHaveURL(/baseline=\d+/);
  await expect(page.getByRole('columnheader', { name: 'Conclusion' }).first()).toBeVisible();
  await expect(
    page.getByRole('cell', { name: /higher than the baseline|lower than the baseline|no significant difference/ }).first(),
  ).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Submissions' })).toBeVisible();

  // Its dataset: every task with all models, and from there all outputs of a task.
  await page.locator('h2 a').first().click();
  await expect(page).toHaveURL(/\/admin\/results\/datasets\/starter$/);

  // Each column of each model sorts the tasks: the highest first, then the lowest.
  const matrix = page.locator('#tasks .matrix-table');
  const scores = async (): Promise<number[]> =>
    (await matrix.locator('tbody tr > :nth-child(3) b.score').allTextContents()).map(Number);
  await matrix.getByRole('columnheader', { name: 'Correctness' }).first().getByRole('link').click();
  await expect(page).toHaveURL(/sort=\d+\.correctness#tasks$/);
  await expect(matrix.locator('[aria-sort="descending"]')).toHaveCount(1);
  const down = await scores();
  expect(down.length).toBeGreaterThan(1);
  expect(down).toEqual([...down].sort((a, b) => b - a));
  await matrix.locator('[aria-sort]').getByRole('link').click();
  await expect(matrix.locator('[aria-sort="ascending"]')).toHaveCount(1);
  const up = await scores();
  expect(up).toEqual([...up].sort((a, b) => a - b));

  // Differences are marked once a model is chosen, in the columns of the others.
  await expect(matrix.locator('.mark-of')).toHaveCount(0);
  await page.getByLabel('Mark differences from').selectOption({ index: 1 });
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page).toHaveURL(/base=\d+/);
  await expect(matrix.locator('.higher, .lower').first()).toBeVisible();
  await expect(matrix.locator('tbody tr > :nth-child(-n+5) .mark-of')).toHaveCount(0);

  await page.locator('#tasks .matrix-table tbody th a').first().click();
  await expect(page).toHaveURL(/\/admin\/compare\/starter\/tasks\/\d+/);
  await expect(page.locator('.outputs-beside .side')).toHaveCount(3);
});

test('results are readable and sorted without scripts, on a phone', async ({ browser }) => {
  const context = await browser.newContext({
    baseURL: server.url,
    locale: 'en-GB',
    javaScriptEnabled: false,
    viewport: { width: 390, height: 844 },
  });
  const page = await context.newPage();
  await logIn(page, demo.admin);
  await page.goto('/admin/results');
  await page.getByRole('table', { name: 'Results' }).getByRole('link', { name: /^Model/ }).click();
  await expect(page).toHaveURL(/sort=model/);
  await page.getByLabel('Tasks', { exact: true }).selectOption('English');
  await page.getByLabel('Model name contains').fill('north');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page.getByRole('table', { name: 'Results' }).locator('tbody tr')).toHaveCount(1);
  await expect(page).toHaveURL(/slice=nl_lang\.en/);
  await expect(page.getByText('Description language · English')).toBeVisible();
  // A model is a card: nothing scrolls sideways, neither the page nor the table in its box.
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  const box = page.locator('.board');
  expect(await box.evaluate((e) => e.scrollWidth - e.clientWidth)).toBeLessThanOrEqual(1);
  await expect(box.locator('.board-bar svg').first()).toBeVisible();
  await context.close();
});

test('a rater reads no results', async ({ page, watch }) => {
  watch.expect(/status of 403/);
  await logIn(page, demo.ada);
  expect((await page.goto('/admin/results'))?.status()).toBe(403);
  expect((await page.request.get('/admin/results.csv')).status()).toBe(403);
  await open(page, '/my-studies');
});

test('a task of a dataset leads to its tests and to every model\'s output', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/datasets/starter');
  await page.getByRole('link', { name: 'Tests and outputs of task S01' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Task S01');
  await page.locator('summary', { hasText: /^Tests$/ }).click();
  await expect(page.getByRole('region', { name: 'Code: Tests' })).toContainText('class S01Test');
  await expect(page.locator('section.output')).toHaveCount(3);
});
