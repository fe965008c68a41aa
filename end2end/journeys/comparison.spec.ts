import { readFile } from 'node:fs/promises';

import { logIn, open, openMenu, rate } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

test('an admin reads the comparison', async ({ page }) => {
  const given = [
    await rate(server.url, demo.ada, 15, (n) => [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1]),
    await rate(server.url, demo.bo, 15, (n) => [((n + 1) % 4) + 1, ((n + 2) % 3) + 1, ((n + 1) % 5) + 1]),
    await rate(server.url, demo.chen, 10, () => [4, 3, 5]),
  ];
  expect(given).toEqual([15, 15, 10]);

  await logIn(page, demo.admin);
  await page.getByRole('link', { name: 'Studies' }).first().click();
  await page.getByRole('main').getByRole('link', { name: /starter|demo|pilot/i }).first().click();

  // Progress per rater.
  for (const name of ['ada', 'bo', 'chen']) {
    await expect(page.locator('.live-raters').getByRole('rowheader', { name })).toBeVisible();
  }
  // The comparison has a page of its own: a ranking with intervals for each dimension, and what they allow to say.
  await page.locator('#comparison').getByRole('link', { name: 'Compare models' }).click();
  await expect(page).toHaveURL(/\/admin\/compare\/starter\?.*studies=\d+&runs=none/);
  for (const dimension of ['Correctness', 'Code quality', 'Maintainability']) {
    const ranking = page.getByRole('table', { name: dimension, exact: true });
    await expect(ranking.locator('td.mean')).toHaveText([/[1-5]\.\d\d/, /[1-5]\.\d\d/, /[1-5]\.\d\d/]);
    await expect(ranking.locator('td.plot svg.chart')).toHaveCount(4);
  }
  const summary = page.getByRole('table', { name: 'Summary' });
  await expect(summary.getByRole('row').filter({ hasText: /scores higher than|significant/ }).first()).toBeVisible();
  await expect(page.locator('.comparison-facts')).toContainText('ratings: 40');
  // Short enough to be read, also with every detail.
  await page.setViewportSize({ width: 1440, height: 900 });
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  expect(await height()).toBeLessThanOrEqual(3000);
  await page.locator('details:not(.export-menu)').evaluateAll((all) => {
    for (const one of all) {
      (one as HTMLDetailsElement).open = true;
    }
  });
  await expect(page.locator('.matrix-table')).toBeVisible();
  expect(await height()).toBeLessThanOrEqual(9000);
  // New ratings arrive while somebody reads and chooses: what is unfolded and chosen stays.
  await page.getByLabel('Scores', { exact: true }).selectOption('final');
  await rate(server.url, demo.bo, 1, () => [2, 2, 2]);
  await expect(page.locator('.comparison-facts')).toContainText('ratings: 41');
  for (const fold of ['.comparison-selection', '#slices > details', '#tasks > details']) {
    await expect(page.locator(fold)).toHaveJSProperty('open', true);
  }
  await expect(page.getByLabel('Scores', { exact: true })).toHaveValue('final');
  // On a phone, each model has two lines: no ranking scrolls sideways.
  await page.setViewportSize({ width: 390, height: 844 });
  for (const box of await page.locator('.table-box:has(.ranking), .matrix-box').all()) {
    expect(await box.evaluate((e) => e.scrollWidth - e.clientWidth)).toBeLessThanOrEqual(1);
  }
  await page.goBack();

  // Each task's ratings are one click away.
  await page.locator('#tasks tbody a').first().click();
  await expect(page).toHaveURL(/\/admin\/studies\/\d+\/tasks\/\d+$/);
  await page.goBack();

  // The tables as files.
  const sheet = async (name: string): Promise<string> => {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name }).click();
    return readFile(await (await download).path(), 'utf8');
  };
  await openMenu(page);
  const ratings = (await sheet('Export ratings (CSV)')).trim().split(/\r?\n/);
  expect(ratings.length - 1).toBe(41);
  const comparison = (await sheet('Export comparison (CSV)')).trim().split(/\r?\n/);
  expect(comparison.length).toBeGreaterThan(3);
});

test('a rater reads no results', async ({ page, watch }) => {
  watch.expect(/status of 403/);
  await logIn(page, demo.ada);
  const answer = await page.goto('/admin/studies/1');
  expect(answer?.status()).toBe(403);
  expect((await page.request.get('/admin/studies/1/ratings.csv')).status()).toBe(403);
  await open(page, '/my-studies');
});
