import { readFile } from 'node:fs/promises';

import type { Download, Page } from '@playwright/test';

import { logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

const good = { task_id: 'S01', code: 'public String clip ( String text , int max ) { return text ; }' };
const unknown = '{"task_id": "nowhere", "code": "int a ;"}';
const cut = '{"task_id": "S02", "code": "int';

function file(name: string, lines: (object | string)[], mimeType = 'application/jsonl') {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return { name, mimeType, buffer: Buffer.from(`${text}\n`) };
}

async function text(download: Promise<Download>): Promise<string> {
  return readFile(await (await download).path(), 'utf8');
}

/** The ID of a task of the starter dataset. */
async function task(page: Page): Promise<string> {
  await open(page, '/admin/datasets/starter');
  return (await page.locator('.task-id').first().innerText()).trim();
}

test('a wrong upload is undone: the message names the page that accepts the file', async ({ page, watch }) => {
  watch.expect(/422/);
  await logIn(page, demo.admin);
  await open(page, '/admin/upload?dataset=starter');
  await page.getByLabel('Outputs').setInputFiles(file('r.csv', ['task_id,model,rater,correctness', '1,A,ada,4'], 'text/csv'));
  await page.getByRole('button', { name: 'Upload and preview' }).click();
  const message = page.getByText('the file contains ratings, not model outputs');
  await expect(message).toHaveCount(1);
  await expect(page.getByRole('cell', { name: 'r.csv' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Go to the page for this file' }).click();
  await expect(page).toHaveURL(/\/admin\/upload\/ratings$/);
});

test('valid lines are imported by choice, the others downloaded, the original kept', async ({ page }) => {
  await logIn(page, demo.admin);
  const id = await task(page);
  const lines = [{ ...good, task_id: id }, cut, unknown];
  const original = file('mixed.jsonl', lines);
  await open(page, '/admin/upload?dataset=starter');

  // Dropped on the field, as from a folder.
  await expect(page.getByText('Or drop the file here.')).toBeVisible();
  const dropped = await page.evaluateHandle(
    ([name, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], name));
      return data;
    },
    [original.name, original.buffer.toString()],
  );
  const field = page.locator('.drop');
  await field.dispatchEvent('dragover', { dataTransfer: dropped });
  await expect(field).toHaveClass(/over/);
  await field.dispatchEvent('drop', { dataTransfer: dropped });
  await expect(page.getByText('Chosen: mixed.jsonl')).toBeVisible();
  await expect(field).not.toHaveClass(/over/);
  await page.getByRole('button', { name: 'Upload and preview' }).click();

  // The first output, as raters see it: formatted and highlighted.
  const first = page.getByRole('article').first();
  await expect(first.getByRole('heading', { name: `Line 1: task ${id}` })).toBeVisible();
  await expect(first.locator('.laid-out .tok-keyword').first()).toBeVisible();

  const waiting = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download these lines (JSON Lines)' }).click();
  expect(await text(waiting)).toBe(`${cut}\n${unknown}\n`);
  const list = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download list of problems (CSV)' }).click();
  expect(await text(list)).toContain('mixed.jsonl,3,"the dataset has no task ""nowhere"""');

  await page.getByLabel('Model').fill('Journeyman 2');
  const choice = page.getByRole('checkbox', { name: 'Import only the valid lines and leave out 1 invalid line' });
  await expect(choice).toHaveAccessibleDescription(/counts as failed: 0 in AvgPassRatio/);
  await expect(page.getByRole('button', { name: 'Import 1 output' })).toBeDisabled();
  await choice.check();
  await page.getByRole('button', { name: 'Import 1 output' }).click();
  await expect(page).toHaveURL(/\/admin\/submissions\/\d+$/);
  await expect(page.getByText(/1 invalid line of the file was left out/)).toBeVisible();
  const kept = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download original file' }).click();
  expect((await kept).suggestedFilename()).toBe('mixed.jsonl');
  expect(await text(kept)).toBe(original.buffer.toString());

  await open(page, '/admin/upload');
  const row = page.getByRole('row').filter({ hasText: 'mixed.jsonl' });
  await expect(row.getByRole('link', { name: 'Journeyman 2' })).toBeVisible();
});

test('valid lines are imported with scripts switched off', { tag: '@scriptless' }, async ({ page }) => {
  await logIn(page, demo.admin);
  await page.goto('/admin/datasets/starter');
  const id = (await page.locator('.task-id').first().innerText()).trim();
  await page.goto('/admin/upload?dataset=starter');
  await expect(page.getByText('Or drop the file here.')).toBeHidden();
  await page.getByLabel('Outputs').setInputFiles(file('plain.jsonl', [{ ...good, task_id: id }, cut]));
  await page.getByRole('button', { name: 'Upload and preview' }).click();
  await page.getByLabel('Model').fill('Journeyman 3');
  await page.getByRole('checkbox', { name: /^Import only the valid lines/ }).check();
  await page.getByRole('button', { name: 'Import 1 output' }).click();
  await expect(page).toHaveURL(/\/admin\/submissions\/\d+$/);
  await expect(page.getByText(/1 invalid line of the file was left out/)).toBeVisible();
});
