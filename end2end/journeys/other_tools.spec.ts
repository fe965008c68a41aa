import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

async function upload(page: Page, name: string, mimeType: string, content: string) {
  await open(page, '/admin/upload?dataset=starter');
  await page.getByLabel('Outputs').setInputFiles({ name, mimeType, buffer: Buffer.from(content) });
  await page.getByRole('button', { name: 'Upload and preview' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Preview' })).toBeVisible();
  await hydrated(page);
}

test('a table is read by its columns, tried before the import, and shows the verdict of the other tool', async ({ page }) => {
  await logIn(page, demo.admin);
  const right = await readFile(new URL('../../datasets/starter/reference/S01.java', import.meta.url), 'utf8');
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const wrong = 'public int workingDays(LocalDate start, LocalDate end) { return x; }';
  const rows = ['Nr,Antwort,Ergebnis', `S01,${cell(right)},false`, `S04,${cell(wrong)},false`];
  await upload(page, 'table.csv', 'text/csv', `${rows.join('\n')}\n`);

  // No column has a usual name, so nothing can be read yet.
  await expect(page.getByText('Nothing has been read yet.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Import / })).toHaveCount(0);
  const columns = page.getByRole('region', { name: 'Columns' });
  await columns.getByLabel('task_id').selectOption('Nr');
  await columns.getByLabel('code').selectOption('Antwort');
  await columns.getByLabel('passed').selectOption('Ergebnis');
  await columns.getByRole('button', { name: 'Update preview' }).click();
  await expect(page.getByRole('button', { name: 'Import 2 outputs' })).toBeEnabled();

  const early = page.getByRole('region', { name: 'Early results' });
  // The engine is prepared first.
  await expect(early.getByText('1 of 2 outputs that were run passes its tests.')).toBeVisible({ timeout: 600_000 });
  await early.getByRole('heading', { name: 'Outputs that were run' }).click();
  await expect(early.getByRole('listitem').filter({ hasText: 'S04' })).toContainText(/compile error/i);

  // The columns have a field with the same label.
  await page.getByRole('textbox', { name: 'Model' }).fill('Of a table');
  await page.getByRole('button', { name: 'Import 2 outputs' }).click();
  await expect(page).toHaveURL(/\/admin\/submissions\/\d+$/);
  await page.getByRole('link', { name: 'S01' }).first().click();
  await expect(page.getByRole('region', { name: 'What the file says' })).toContainText('failed');
});

test('another block of a response becomes the code, and the rules choose again', async ({ page }) => {
  await logIn(page, demo.admin);
  const block = (name: string) => `\`\`\`java\npublic String ${name}(String text, int max) { return text; }\n\`\`\`\n`;
  const completion = `First:\n${block('ellipsize')}Shorter:\n${block('shorten')}`;
  await upload(page, 'chat.jsonl', 'application/jsonl', `${JSON.stringify({ task_id: 'S01', completion })}\n`);
  await page.getByLabel('Model').fill('With two blocks');
  await page.getByRole('button', { name: 'Import 1 output' }).click();
  await page.getByRole('link', { name: 'S01' }).first().click();
  await hydrated(page);

  const code = page.locator('.code-box .laid-out').first();
  await expect(code).toContainText('ellipsize');
  const reading = page.getByRole('region', { name: 'How the response was read' });
  await expect(reading).toContainText('Only this block defines ellipsize');
  await reading.getByText('Code blocks of the response').click();
  await reading.getByRole('button', { name: 'Use this block' }).click();
  await expect(code).toContainText('shorten');
  await expect(code).not.toContainText('ellipsize');
  await reading.getByRole('button', { name: 'Let the rules choose again' }).click();
  await expect(code).toContainText('ellipsize');
});

test('a preview names the dataset whose IDs a file has', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/datasets');
  const task = { task_id: 4711, raw_nl: 'Counts how often each letter occurs, without regard to case.' };
  await page.getByLabel('Files or archive').setInputFiles({
    name: 'dataset_manual_nl.jsonl',
    mimeType: 'application/jsonl',
    buffer: Buffer.from(`${JSON.stringify(task)}\n`),
  });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('row').filter({ hasText: 'aixbench-manual' })).toHaveCount(1);
  await upload(page, 'elsewhere.jsonl', 'application/jsonl', `${JSON.stringify({ task_id: task.task_id, code: 'int a ;' })}\n`);
  await expect(page.getByText('These outputs may belong to another dataset')).toBeVisible();
  await page.getByRole('link', { name: 'Preview for this dataset' }).first().click();
  await expect(page).toHaveURL(/dataset=aixbench-manual/);
  await expect(page.getByRole('button', { name: 'Import 1 output' })).toBeEnabled();
});
