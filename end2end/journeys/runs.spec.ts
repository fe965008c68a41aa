import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

import { hydrated, logIn, open, visitor } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

// One story: a run is started, inspected, run again and compared.
test.describe.configure({ mode: 'serial' });

/** The addresses of the demo's submissions. */
async function submissions(): Promise<string[]> {
  const admin = await visitor(server.url, demo.admin);
  const text = await (await admin.get('/admin/submissions')).text();
  await admin.dispose();
  return [...text.matchAll(/href="(\/admin\/submissions\/\d+)"/g)].map((found) => found[1]);
}

async function axe(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
}

/** Starts a run of a submission in the browser; leaves the page at it. */
async function start(page: Page, submission: string): Promise<void> {
  await open(page, submission);
  await page.getByRole('button', { name: 'Run tests' }).click();
  await page.waitForURL(/\/admin\/runs\/\d+$/);
  await hydrated(page);
  await expect(page.locator('.run-state')).toBeVisible();
}

/** Waits for the end, which the page must report without a reload. */
async function finished(page: Page): Promise<void> {
  await expect(page.locator('.run-state .badge')).toHaveText('Finished', { timeout: 600_000 });
}

test('a run is started, watched through a lost connection, and read', async ({ page, watch }) => {
  watch.expect(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_NETWORK|Failed to load resource/);
  await logIn(page, demo.admin);
  const [first] = await submissions();
  await start(page, first);
  await axe(page);
  // The server goes down in the middle and comes back: the page says so, and receives the rest.
  await expect(page.locator('.run-state .badge')).toHaveText('Running');
  await server.kill();
  await expect(page.getByText('The connection to the server is lost.')).toBeVisible();
  await server.restart();
  await expect(page.getByText('The connection to the server is lost.')).toBeHidden();
  await finished(page);
  await expect(page.getByText(/^24 of 24 \(100%\)$/)).toBeVisible();
  await expect(page.getByRole('table', { name: 'Verdicts' }).getByRole('row')).not.toHaveCount(1);
  await axe(page);
});

test('the table is filtered by the address, and an output shows its details', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/runs');
  await page.getByRole('table', { name: 'Test runs' }).locator('tbody').getByRole('link').first().click();
  const rows = page.getByRole('table', { name: 'Outputs' }).locator('tbody tr');
  await expect(rows).toHaveCount(24);
  const verdicts = page.getByLabel('Verdict', { exact: true });
  await verdicts.selectOption('failed');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(page).toHaveURL(/verdict=failed/);
  await expect.poll(async () => (await rows.count()) % 24).toBeGreaterThan(0);
  const left = await rows.count();
  for (const row of await rows.all()) {
    await expect(row).toContainText('failed');
  }
  // The address alone gives the same.
  await page.reload();
  await hydrated(page);
  await expect(rows).toHaveCount(left);
  await expect(verdicts).toHaveValue('failed');

  await rows.first().getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'Program that ran' })).toBeVisible();
  await expect(page.locator('.source-line').first()).toBeVisible();
  await expect(page.getByRole('link', { name: /^Submission / })).toHaveAttribute('href', /\/admin\/submissions\/\d+/);
  await axe(page);
  const here = page.url();
  await page.getByRole('button', { name: 'Re-run this output' }).click();
  // It is run, not cached, and the page stays and shows the result.
  await expect(page.getByText('At least one test case did not pass.')).toBeVisible();
  expect(page.url()).toBe(here);
  // The new result replaces the page's content, and a link that is replaced during a click is not followed.
  await expect(async () => {
    await page.getByRole('link', { name: /^Next / }).click();
    await expect(page).not.toHaveURL(here, { timeout: 5_000 });
  }).toPass();
  await expect(page.getByRole('link', { name: /^← Previous/ })).toBeVisible();
});

test('a stopped run is resumed, and re-running outdated results asks first', async ({ page }) => {
  await logIn(page, demo.admin);
  const [, second] = await submissions();
  await start(page, second);
  await page.getByRole('button', { name: 'Stop this run' }).click();
  await expect(page.locator('.run-state .badge')).toHaveText('Stopped');
  await page.getByRole('button', { name: 'Resume this run' }).click();
  await finished(page);
  const again = page.getByRole('button', { name: 'Re-run outdated results' });
  await expect(again).toBeHidden();
  await page.locator('.run-again summary').click();
  await again.click();
  await finished(page);
  await expect(page.getByText(/^24 of 24 \(100%\)$/)).toBeVisible();
});

test('two runs are compared, down to one task', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/runs/compare');
  await axe(page);
  await page.getByLabel('First run').selectOption({ index: 1 });
  await page.getByLabel('Second run').selectOption({ index: 0 });
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Metrics of both runs' })).toBeVisible();
  await axe(page);
  const rows = page.getByRole('table', { name: 'Tasks', exact: true }).locator('tbody tr');
  await expect(rows).toHaveCount(24);
  await page.getByLabel('Show').selectOption('differ');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(page).toHaveURL(/show=differ/);
  await expect(rows).not.toHaveCount(24);
  for (const row of await rows.all()) {
    await expect(row).toContainText('differs');
  }
  await rows.first().getByRole('rowheader').getByRole('link').click();
  await expect(page.locator('.outputs-beside article')).toHaveCount(2);
  await axe(page);
  await page.getByRole('link', { name: /^Next difference/ }).click();
  await expect(page.getByRole('link', { name: /^← Previous difference/ })).toBeVisible();
});

test('a run with options: shared JVMs, and no cached results', async ({ page }) => {
  await logIn(page, demo.admin);
  const [first] = await submissions();
  await open(page, first);
  const how = page.locator('.start-how');
  await how.getByText('Run with options').click();
  await how.getByRole('checkbox', { name: 'Fast mode' }).check();
  await how.getByRole('checkbox', { name: 'Ignore cached results' }).check();
  await axe(page);
  await how.getByRole('button', { name: 'Start run' }).click();
  await page.waitForURL(/\/admin\/runs\/\d+$/);
  await hydrated(page);
  await finished(page);
  await expect(page.getByText(/^24 of 24 \(100%\)$/)).toBeVisible();
  await page.getByText('Environment', { exact: true }).click();
  await expect(page.locator('dl.facts div').filter({ has: page.getByText('Toolchain', { exact: true }) })).toHaveText(/^Toolchain1\d|^Toolchain2\d/);
  await expect(page.getByText('fast: outputs without side effects share a process')).toBeVisible();
  await expect(page.getByText('CPU time limit')).toBeVisible();
});

test('runs are readable without scripts', { tag: '@scriptless' }, async ({ page, watch }) => {
  // The client is not prefetched here, however long the page stays open.
  watch.expect(/preloaded using link preload/);
  await logIn(page, demo.admin);
  const [first] = await submissions();
  await page.goto(first);
  await page.getByRole('button', { name: 'Run tests' }).click();
  await page.waitForURL(/\/admin\/runs\/\d+$/);
  await expect(page.getByText('Reload this page to update the progress.')).toBeVisible();
  await expect(page.getByRole('table', { name: 'Outputs' }).locator('tbody tr')).toHaveCount(24);
  await expect(async () => {
    await page.reload();
    await expect(page.locator('.run-state .badge')).toHaveText('Finished', { timeout: 1_000 });
  }).toPass({ timeout: 600_000 });
  await page.getByRole('table', { name: 'Outputs' }).locator('tbody').getByRole('link').first().click();
  await expect(page.getByRole('heading', { name: 'Program that ran' })).toBeVisible();
  await page.getByRole('button', { name: 'Re-run this output' }).click();
  await page.waitForURL(/\/outputs\/\d+$/);
  await page.goto('/admin/runs/compare');
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Metrics of both runs' })).toBeVisible();
});
