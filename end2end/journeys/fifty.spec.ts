import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Page } from '@playwright/test';

import { logIn, open, rate } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');
const TASKS = 24;

/** How many screens of a laptop the page is long. */
async function screens(page: Page): Promise<number> {
  await page.setViewportSize({ width: 1440, height: 900 });
  return page.evaluate(() => document.documentElement.scrollHeight / 900);
}

test('three models take at most four screens, fifty at most ten', async ({ page }) => {
  await rate(server.url, demo.ada, 24, (n) => [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1]);
  await rate(server.url, demo.bo, 24, (n) => [((n + 1) % 4) + 1, ((n + 2) % 3) + 1, ((n + 1) % 5) + 1]);
  await logIn(page, demo.admin);
  await open(page, '/admin/compare/starter');
  await expect(page.locator('table.ranking').first().locator('tbody tr')).toHaveCount(3);
  await expect.poll(() => screens(page)).toBeLessThanOrEqual(4);

  // Forty-seven more models, each with an output and a rating for every task; three of them without ratings.
  const folder = await mkdtemp(path.join(tmpdir(), 'aixgrade-fifty-'));
  const command = (...args: string[]) => promisify(execFile)(process.env.AIXGRADE_BINARY ?? '', ['--data', server.data, ...args]);
  const task = (n: number) => `S${String(n + 1).padStart(2, '0')}`;
  const ratings = ['task_id,model,rater,correctness,code_quality,maintainability'];
  for (let model = 4; model <= 53; model += 1) {
    const name = `Model ${model}`;
    const lines = Array.from({ length: TASKS }, (_, n) => JSON.stringify({ task_id: task(n), code: `int m${model}_${n}() { return ${n}; }` }));
    const file = path.join(folder, `${model}.jsonl`);
    await writeFile(file, lines.join('\n'));
    await command('submissions', 'upload', file, '--dataset', 'starter', '--model', name);
    if (model <= 50) {
      for (let n = 0; n < TASKS; n += 1) {
        const level = Math.floor(model / 13);
        ratings.push(`${task(n)},${name},r,${1 + ((level + (n % 2)) % 4)},${1 + ((n + model) % 3)},${1 + ((n * model) % 5)}`);
      }
    }
  }
  const csv = path.join(folder, 'ratings.csv');
  await writeFile(csv, `${ratings.join('\n')}\n`);
  await command('import', 'ratings', csv, '--dataset', 'starter', '--title', 'Forty-seven more');
  await rm(folder, { recursive: true });

  await open(page, '/admin/compare/starter');
  await expect(page.locator('table.ranking').first().locator('tbody tr')).toHaveCount(50, { timeout: 900_000 });
  await expect(page.getByText(/^Models with neither ratings nor test results, left out: 3\./)).toBeVisible();
  await expect.poll(() => screens(page)).toBeLessThanOrEqual(10);
  // A matrix instead of 1,225 sentences.
  await page.getByText('Details: differences, scores').first().click();
  const matrix = page.locator('.matrix').first();
  await expect(matrix.locator('tbody tr')).toHaveCount(50);
  await expect(matrix.locator('tbody b').first()).toBeVisible();
  await expect(page.locator('#people .says li')).toHaveCount(0);

  await open(page, '/admin/results');
  await expect(page.getByRole('table', { name: 'Results' }).locator('tbody tr')).toHaveCount(50, { timeout: 900_000 });
  // Those without ratings and runs are folded away, in natural order.
  const empty = page.locator('.board-empty');
  await expect(empty.locator('summary')).toHaveText('3 models without results');
  await expect(empty.getByRole('link').first()).toBeHidden();
  await empty.locator('summary').click();
  await expect(empty.getByRole('link')).toHaveText(['Model 51', 'Model 52', 'Model 53']);
  await page.getByRole('table', { name: 'Results' }).getByRole('link', { name: 'Model', exact: true }).click();
  await expect(page.getByRole('table', { name: 'Results' }).locator('tbody th').nth(5)).toHaveText('Model 9');
  await expect(page.getByText(/: 3 models have no ratings yet\./)).toBeVisible({ timeout: 900_000 });
});
