import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { atScales, hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

/** Runs a command on the server's data folder; what it says. */
async function aixgrade(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.env.AIXGRADE_BINARY ?? '', ['--data', server.data, ...args]);
  return stdout;
}

test('a Python task is imported, and its output graded, highlighted and without its model', async ({ page, browser, baseURL }, info) => {
  const task = {
    task_id: 'Python/0',
    prompt: 'def total(xs):\n    """ Returns the sum.\n    >>> total([1, 2])\n    3\n    """\n',
    declaration: 'def total(xs):\n',
    canonical_solution: '    return sum(xs)\n',
    test: 'assert total([1, 2]) == 3\n',
    example_test: '',
  };
  const output = { task_id: 'Python/0', generation: '    for x in xs:  # CodeGeeX wrote this\n        return x\n' };
  const lines = { 'humaneval_python.jsonl': task, 'outputs.jsonl': output };
  for (const [name, line] of Object.entries(lines)) {
    await writeFile(info.outputPath(name), `${JSON.stringify(line)}\n`);
  }
  const dataset = 'humaneval-x-python';
  expect(await aixgrade('import', 'humaneval-x', info.outputPath('humaneval_python.jsonl'))).toContain(`${dataset}: version 1, 1 tasks`);
  const upload = ['submissions', 'upload', info.outputPath('outputs.jsonl'), '--dataset', dataset, '--model', 'CodeGeeX 13B'];
  await aixgrade(...upload);

  await logIn(page, demo.admin);
  await open(page, `/admin/datasets/${dataset}`);
  await expect(page.getByText('Programming language').locator('..')).toContainText('Python');
  await expect(page.getByText('Returns the sum.')).toBeVisible();
  await open(page, '/admin/submissions');
  await page.getByRole('row').filter({ hasText: 'CodeGeeX 13B' }).getByRole('link').first().click();
  await page.waitForURL(/\/admin\/submissions\/\d+$/);
  const submission = path.basename(new URL(page.url()).pathname);
  await page.getByRole('button', { name: 'Hide model names from raters' }).click();
  await expect(page.getByRole('button', { name: 'Show model names to raters' })).toBeVisible();

  await aixgrade('studies', 'create', '--title', 'Snakes', '--dataset', dataset, '--submission', submission, '--rater', 'chen');
  const context = await browser.newContext({ baseURL });
  const theirs = await context.newPage();
  await logIn(theirs, demo.chen);
  await theirs.getByRole('listitem').filter({ hasText: 'Snakes' }).getByRole('link', { name: 'Start rating' }).click();
  await hydrated(theirs);
  await expect(theirs.locator('.code.raw .tok-keyword').first()).toHaveText('for');
  await expect(theirs.locator('.code.raw .tok-comment')).toHaveText('# MASKED wrote this');
  expect(await theirs.content()).not.toContain('CodeGeeX');
  await atScales(theirs);
  for (const key of ['4', '3', '5', 'Enter']) {
    await theirs.keyboard.press(key);
  }
  await expect(theirs.getByRole('heading', { name: 'You have rated all your outputs' })).toBeVisible();
  await context.close();
});
