import path from 'node:path';

import { hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

// One story: data are imported first and graded last.
test.describe.configure({ mode: 'serial' });

/** A file that exists only in the form. */
function file(name: string, lines: (object | string)[]) {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return { name, mimeType: 'application/jsonl', buffer: Buffer.from(`${text}\n`) };
}

const tasks = [
  { task_id: 0, raw_nl: 'Returns the longest word of a sentence; the first of several.' },
  { task_id: 1, raw_nl: '把列表里的重复元素去掉，保持原来的顺序' },
  { task_id: 2, raw_nl: 'Counts how often each letter occurs, without regard to case.' },
];

const good = [
  { task_id: 0, code: 'public String longest ( String s ) { return s . split ( " " ) [ 0 ] ; }' },
  { task_id: 1, code: 'List < String > once ( List < String > l ) { return new ArrayList < > ( new LinkedHashSet < > ( l ) ) ; }' },
  { task_id: 2, code: 'Map < Character , Integer > count ( String s ) { return null ; }' },
];

test('a dataset is imported, and importing it again changes nothing', async ({ page }) => {
  await logIn(page, demo.admin);
  const row = page.getByRole('row').filter({ hasText: 'aixbench-manual' });
  for (const again of [false, true]) {
    await open(page, '/admin/datasets');
    await expect(row).toHaveCount(again ? 1 : 0);
    await page.getByLabel('Files or archive').setInputFiles(file('dataset_manual_nl.jsonl', tasks));
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    // The list looks the same before the answer to the second import, which would still replace the page.
    if (again) {
      await expect(page.getByText('aixbench-manual is unchanged')).toBeVisible();
    }
    await expect(row).toHaveCount(1);
    await expect(row.getByRole('cell').nth(0)).toHaveText('1');
    await expect(row.getByRole('cell').nth(1)).toHaveText('3');
  }
  await row.getByRole('link').first().click();
  await expect(page.getByText('把列表里的重复元素去掉，保持原来的顺序')).toBeVisible();
});

test('an upload with an invalid line is rejected and imported after it is fixed', async ({ page }) => {
  await logIn(page, demo.admin);
  const send = async (lines: (object | string)[]) => {
    await open(page, '/admin/upload?dataset=aixbench-manual');
    await expect(page.getByLabel('Dataset')).toHaveValue('aixbench-manual');
    await page.getByLabel('Outputs').setInputFiles(file('outputs.jsonl', lines));
    await page.getByRole('button', { name: 'Upload and preview' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Preview' })).toBeVisible();
  };

  await send([good[0], '{"task_id": 1, "code": "List < String', good[2]]);
  await expect(page.getByText('1 line is invalid.').first()).toBeVisible();
  const bad = page.getByRole('table', { name: 'Invalid lines' }).getByRole('row').nth(1);
  await expect(bad.getByRole('rowheader')).toHaveText('2');
  await expect(bad.getByRole('cell').nth(1)).not.toBeEmpty();
  // Without the choice to leave the line out, the form cannot be sent.
  await hydrated(page);
  await expect(page.getByRole('button', { name: /^Import / })).toBeDisabled();
  await page.goto('/admin/submissions?dataset=aixbench-manual');
  await expect(page.getByText('outputs.jsonl')).toHaveCount(0);

  await send(good);
  await expect(page.getByText('Matched 3 outputs. 3 of 3 tasks have an output.')).toBeVisible();
  await hydrated(page);
  await page.getByLabel('Model').fill('Journeyman 1');
  await page.getByRole('button', { name: 'Import 3 outputs' }).click();
  await expect(page).toHaveURL(/\/admin\/submissions\/\d+$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Journeyman 1');

  // The same file is recognized.
  await send(good);
  await expect(page.getByText('This file has already been imported.')).toBeVisible();
});

test('a study over the new outputs reaches its raters', async ({ page, browser, baseURL }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/new?dataset=aixbench-manual');
  await page.getByLabel('Title').fill('Three words');
  await page.getByRole('checkbox', { name: /Journeyman 1/ }).check();
  await page.getByRole('checkbox', { name: 'chen' }).check();
  await page.getByRole('button', { name: 'Preview plan' }).click();
  await page.getByRole('button', { name: 'Start study' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  await page.getByRole('navigation', { name: 'Pages of this study' }).getByRole('link', { name: 'Overview' }).click();
  await expect(page).toHaveURL(/\/admin\/studies\/\d+$/);

  const context = await browser.newContext({ baseURL });
  const theirs = await context.newPage();
  await logIn(theirs, demo.chen);
  const card = theirs.getByRole('listitem').filter({ hasText: 'Three words' });
  await card.getByRole('link', { name: 'Start rating' }).click();
  await hydrated(theirs);
  await expect(theirs.getByText('0 rated, 3 left').first()).toBeVisible();
  // Nothing on the rater's side reveals the model.
  const html = await theirs.content();
  expect(html).not.toContain('Journeyman');
  expect(html).not.toContain('outputs.jsonl');
  await context.close();
});

test('the published files are imported in the same way', async ({ page }) => {
  const real = process.env.AIXGRADE_TEST_DATA ?? '';
  test.skip(real === '', 'needs the published data files of AixBench, named in AIXGRADE_TEST_DATA');
  await logIn(page, demo.admin);
  await open(page, '/admin/datasets');
  const published = ['dataset_autotest_nl.jsonl', 'dataset_manual_nl.jsonl'].map((name) => path.join(real, name));
  await page.getByLabel('Files or archive').setInputFiles(published);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const row = (slug: string) => page.getByRole('row').filter({ hasText: slug });
  await expect(row('aixbench-manual').getByRole('cell').nth(1)).toHaveText('161');
  await expect(page.getByRole('cell', { name: '175', exact: true }).first()).toBeVisible();

  await open(page, '/admin/upload?dataset=aixbench-manual');
  await page.getByLabel('Outputs').setInputFiles(path.join(real, 'manual_outputs_aixcoder.jsonl'));
  await page.getByRole('button', { name: 'Upload and preview' }).click();
  await expect(page.getByText('Matched 82 outputs. 82 of 161 tasks have an output.')).toBeVisible();
});
