import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';

import type { Page } from '@playwright/test';

import { atScales, hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serveIn, test } from '../support/test.ts';

const data = process.env.AIXGRADE_TEST_HUMANEVAL_X ?? '';
const { AIXGRADE_TOOLCHAINS } = process.env;

test.skip(data === '', 'needs the published files of HumanEval-X, named in AIXGRADE_TEST_HUMANEVAL_X');

const server = serveIn(AIXGRADE_TOOLCHAINS ? { AIXGRADE_TOOLCHAINS } : {}, '--demo');

// One story: datasets are imported, outputs uploaded and run, results compared, and an output is graded.
test.describe.configure({ mode: 'serial' });

/** How many of each language's first tasks are imported. Rust tests run all tasks, in every language. */
const TASKS = 24;

/** A task whose canonical solution fails in JavaScript; imported, too. */
const FAILING = 'JavaScript/112';

/** The benchmark's languages here: the name in files, the language's own, and the canonical solutions that pass. */
const languages = [
  { short: 'python', name: 'Python', tasks: TASKS, passed: TASKS },
  { short: 'js', name: 'JavaScript', tasks: TASKS + 1, passed: TASKS },
];

type Language = (typeof languages)[number];

/** The tasks of a language, each as its line of the published file. */
async function published({ short }: Language): Promise<string[]> {
  const text = gunzipSync(await readFile(path.join(data, `humaneval_${short}.jsonl.gz`))).toString();
  const lines = text.trim().split('\n');
  return lines.filter((line, at) => at < TASKS || JSON.parse(line).task_id === FAILING);
}

interface Output {
  task_id: string;
  generation: string;
}

/** The canonical solutions of a language as a model's outputs. */
async function canonical(language: Language): Promise<Output[]> {
  const tasks = (await published(language)).map((line) => JSON.parse(line));
  return tasks.map(({ task_id, canonical_solution }) => ({ task_id, generation: canonical_solution }));
}

/** What a model with a short context writes: one line of each solution. In JavaScript, its first output ends the program. */
async function cut(language: Language): Promise<Output[]> {
  const lines = (await canonical(language)).map(({ task_id, generation }) => ({
    task_id,
    generation: /^\s*[^\n]*/.exec(generation)?.[0] ?? '',
  }));
  const ends = { ...lines[0], generation: '  process.exit(0)\n}\n' };
  return language.short === 'js' ? [ends, ...lines.slice(1)] : lines;
}

/** Uploads outputs in the browser and runs them; leaves the page at the finished run. */
async function run(page: Page, { short, tasks }: Language, model: string, outputs: Output[]): Promise<void> {
  await open(page, `/admin/upload?dataset=humaneval-x-${short}`);
  const buffer = Buffer.from(outputs.map((output) => `${JSON.stringify(output)}\n`).join(''));
  await page.getByLabel('Outputs').setInputFiles({ name: `${model}.jsonl`, mimeType: 'application/jsonl', buffer });
  await page.getByRole('button', { name: 'Upload and preview' }).click();
  await expect(page.getByText(`Matched ${tasks} outputs. ${tasks} of ${tasks} tasks have an output.`)).toBeVisible();
  await hydrated(page);
  await page.getByLabel('Model').fill(model);
  await page.getByRole('button', { name: `Import ${tasks} outputs` }).click();
  await page.waitForURL(/\/admin\/submissions\/\d+$/);
  await hydrated(page);
  await page.getByRole('button', { name: 'Run tests' }).click();
  await page.waitForURL(/\/admin\/runs\/\d+$/);
  await expect(page.locator('.run-state .badge')).toHaveText('Finished', { timeout: 1_200_000 });
  await expect(page.getByText(`${tasks} of ${tasks} (100%)`, { exact: true })).toBeVisible();
}

test('tasks of two languages are imported from files as published', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/datasets');
  const files = languages.map(async (language) => ({
    name: `humaneval_${language.short}.jsonl.gz`,
    mimeType: 'application/gzip',
    buffer: gzipSync((await published(language)).join('\n')),
  }));
  await page.getByLabel('Files or archive').setInputFiles(await Promise.all(files));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  for (const { short, name, tasks } of languages) {
    const row = page.getByRole('row').filter({ hasText: `humaneval-x-${short}` });
    await expect(row).toHaveCount(1);
    await expect(row.getByRole('cell').nth(1)).toHaveText(`${tasks}`);
    await expect(row).toContainText(name);
  }
});

for (const language of languages) {
  const { short, name, tasks, passed } = language;
  test(`canonical solutions in ${name} get the published verdicts`, async ({ page }) => {
    await logIn(page, demo.admin);
    await run(page, language, 'Canonical', await canonical(language));
    const shown = page.getByRole('region', { name: 'As published' });
    await expect(shown).toContainText(`${((100 * passed) / tasks).toFixed(1)}%`);
    await expect(shown).toContainText('No output passes only as published.');
    const verdicts = page.getByRole('table', { name: 'Verdicts' });
    await expect(verdicts.getByRole('row').filter({ hasText: 'passed' }).first()).toContainText(`${passed}`);
  });

  test(`cut-off solutions in ${name} fail, and differing verdicts are explained`, async ({ page }) => {
    await logIn(page, demo.admin);
    await run(page, language, 'Short context', await cut(language));
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
  for (const [at, { name, tasks, passed }] of languages.entries()) {
    await expect(table.getByRole('columnheader').nth(at + 1)).toHaveText(name);
    await expect(cells('Canonical').nth(at)).toContainText(`${((100 * passed) / tasks).toFixed(1)}%`);
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
