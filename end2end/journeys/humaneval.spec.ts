import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';

import type { Page } from '@playwright/test';

import { atScales, hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serveIn, test } from '../support/test.ts';

const data = process.env.AIXGRADE_TEST_HUMANEVAL_X ?? '';
const { AIXGRADE_TOOLCHAINS } = process.env;

test.skip(data === '', 'needs the published files of HumanEval-X, named in AIXGRADE_TEST_HUMANEVAL_X');

const server = serveIn(AIXGRADE_TOOLCHAINS ? { AIXGRADE_TOOLCHAINS } : {}, '--demo');

// One story: datasets are imported, outputs uploaded and run, results compared, and an output is graded.
test.describe.configure({ mode: 'serial' });

/** The benchmark's languages here: the name in files, the language's own, and the canonical solutions that pass. */
const languages = [
  { short: 'python', name: 'Python', passed: 164 },
  { short: 'js', name: 'JavaScript', passed: 162 },
];

/** The published file of a language. */
const published = (short: string) => path.join(data, `humaneval_${short}.jsonl.gz`);

interface Output {
  task_id: string;
  generation: string;
}

/** The canonical solutions of a language as a model's outputs. */
async function canonical(short: string): Promise<Output[]> {
  const text = gunzipSync(await readFile(published(short))).toString();
  const tasks = text.trim().split('\n').map((line) => JSON.parse(line));
  return tasks.map(({ task_id, canonical_solution }) => ({ task_id, generation: canonical_solution }));
}

/** What a model with a short context writes: half of each solution. In JavaScript, its first output ends the program. */
async function cut(short: string): Promise<Output[]> {
  const halves = (await canonical(short)).map(({ task_id, generation }) => ({
    task_id,
    generation: generation.slice(0, generation.length / 2),
  }));
  return short === 'js' ? [{ ...halves[0], generation: '  process.exit(0)\n}\n' }, ...halves.slice(1)] : halves;
}

/** Uploads outputs in the browser and runs them; leaves the page at the finished run. */
async function run(page: Page, short: string, model: string, outputs: Output[]): Promise<void> {
  await open(page, `/admin/upload?dataset=humaneval-x-${short}`);
  const buffer = Buffer.from(outputs.map((output) => `${JSON.stringify(output)}\n`).join(''));
  await page.getByLabel('Outputs').setInputFiles({ name: `${model}.jsonl`, mimeType: 'application/jsonl', buffer });
  await page.getByRole('button', { name: 'Upload and preview' }).click();
  await expect(page.getByText('Matched 164 outputs. 164 of 164 tasks have an output.')).toBeVisible();
  await hydrated(page);
  await page.getByLabel('Model').fill(model);
  await page.getByRole('button', { name: 'Import 164 outputs' }).click();
  await page.waitForURL(/\/admin\/submissions\/\d+$/);
  await hydrated(page);
  await page.getByRole('button', { name: 'Run tests' }).click();
  await page.waitForURL(/\/admin\/runs\/\d+$/);
  await expect(page.locator('.run-state .badge')).toHaveText('Finished', { timeout: 1_200_000 });
  await expect(page.getByText(/^164 of 164 \(100%\)$/)).toBeVisible();
}

test('the published files of two languages are imported', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/datasets');
  await page.getByLabel('Files or archive').setInputFiles(languages.map(({ short }) => published(short)));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  for (const { short, name } of languages) {
    const row = page.getByRole('row').filter({ hasText: `humaneval-x-${short}` });
    await expect(row).toHaveCount(1);
    await expect(row.getByRole('cell').nth(1)).toHaveText('164');
    await expect(row).toContainText(name);
  }
});

for (const { short, name, passed } of languages) {
  test(`canonical solutions in ${name} get the published verdicts`, async ({ page }) => {
    await logIn(page, demo.admin);
    await run(page, short, 'Canonical', await canonical(short));
    const shown = page.getByRole('region', { name: 'As published' });
    await expect(shown).toContainText(`${((100 * passed) / 164).toFixed(1)}%`);
    await expect(shown).toContainText('No output passes only as published.');
    const verdicts = page.getByRole('table', { name: 'Verdicts' });
    await expect(verdicts.getByRole('row').filter({ hasText: 'passed' }).first()).toContainText(`${passed}`);
  });

  test(`cut-off solutions in ${name} fail, and differing verdicts are explained`, async ({ page }) => {
    await logIn(page, demo.admin);
    await run(page, short, 'Short context', await cut(short));
    const shown = page.getByRole('region', { name: 'As published' });
    if (short !== 'js') {
      await expect(shown).toContainText('No output passes only as published.');
      return;
    }
    await expect(shown).toContainText('1 output passes only as published.');
    const reason = 'Its process ends before it answers the tests.';
    await expect(shown).toContainText(`1 output: ${reason}`);
    await shown.getByRole('link', { name: 'Show these outputs' }).click();
    const rows = page.getByRole('table', { name: 'Outputs' }).locator('tbody tr');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText('JavaScript/0');
    await expect(rows).toContainText(reason);
    await rows.getByRole('link').first().click();
    await expect(page.getByText(reason).first()).toBeVisible();
  });
}

test('the page of languages compares both models', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/languages');
  const table = page.getByRole('region', { name: 'pass@1, code generation' }).getByRole('table');
  const cells = (model: string) => table.getByRole('row').filter({ hasText: model }).getByRole('cell');
  for (const [at, { name, passed }] of languages.entries()) {
    await expect(table.getByRole('columnheader').nth(at + 1)).toHaveText(name);
    await expect(cells('Canonical').nth(at)).toContainText(`${((100 * passed) / 164).toFixed(1)}%`);
    const share = Number.parseFloat((await cells('Short context').nth(at).innerText()).trim());
    expect(share).toBeLessThan(50);
    const chart = page.locator('figure.picture').filter({ hasText: `${name}, pass@1` });
    await expect(chart.locator('svg').first()).toBeVisible();
    await expect(chart).toContainText('Short context');
  }
  // The published verdict of the output that ends the program stands below the guarded figure.
  await expect(cells('Short context').nth(1)).toContainText('as published');
  const failures = page.locator('figure.picture').filter({ hasText: 'Failures in JavaScript' });
  await expect(failures).toContainText('syntax error');
});

test('a rater grades an output in Python', async ({ page, browser, baseURL }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/submissions?dataset=humaneval-x-python');
  await page.getByRole('row').filter({ hasText: 'Canonical' }).getByRole('link').first().click();
  await page.waitForURL(/\/admin\/submissions\/\d+$/);
  const submission = path.basename(new URL(page.url()).pathname);
  const study = ['--title', 'Published tasks', '--dataset', 'humaneval-x-python', '--submission', submission, '--rater', 'chen'];
  await promisify(execFile)(process.env.AIXGRADE_BINARY ?? '', ['--data', server.data, 'studies', 'create', ...study]);

  const context = await browser.newContext({ baseURL });
  const theirs = await context.newPage();
  await logIn(theirs, demo.chen);
  await theirs.getByRole('listitem').filter({ hasText: 'Published tasks' }).getByRole('link', { name: 'Start rating' }).click();
  await hydrated(theirs);
  await expect(theirs.locator('.code.raw .tok-keyword').first()).toBeVisible();
  const first = await theirs.locator('.code.raw').innerText();
  await atScales(theirs);
  for (const key of ['4', '3', '5', 'Enter']) {
    await theirs.keyboard.press(key);
  }
  await expect(theirs.locator('.code.raw')).not.toHaveText(first);
  expect(await theirs.content()).not.toContain('Canonical');
  await context.close();
});
