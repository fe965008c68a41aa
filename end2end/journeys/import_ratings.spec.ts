import { hydrated, logIn, open, openMenu, rate, visitor } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

test('imported ratings become a closed study, and a judge model is compared with people', async ({ page }) => {
  await rate(server.url, demo.ada, 12, (n) => [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1]);
  await rate(server.url, demo.bo, 12, (n) => [4 - (n % 4), 3 - (n % 3), 5 - (n % 5)]);
  // The export is imported again as if it came from another tool, with another header.
  const admin = await visitor(server.url, demo.admin);
  const csv = await (await admin.get('/admin/compare/starter/export/ratings.csv')).text();
  await admin.dispose();
  const [head, ...lines] = csv.trim().split(/\r?\n/);
  expect(lines.length).toBe(24);
  const columns = head.split(',');
  const task = columns.indexOf('task_id');
  expect(task).toBeGreaterThanOrEqual(0);

  await logIn(page, demo.admin);
  const send = async (whose: 'People' | 'A judge model', text: string[]) => {
    await open(page, '/admin/studies');
    await openMenu(page);
    await page.getByRole('link', { name: 'Import ratings' }).click();
    await hydrated(page);
    await page.getByLabel(whose).check();
    await page
      .getByLabel('CSV file')
      .setInputFiles({ name: 'ratings.csv', mimeType: 'text/csv', buffer: Buffer.from(`${text.join('\n')}\n`) });
    await page.getByRole('button', { name: 'Upload and preview' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Preview' })).toBeVisible();
    await hydrated(page);
  };

  // A column with another name, and a missing task: both are reported, nothing can be imported.
  const renamed = columns.map((name) => (name === 'task_id' ? 'Nr' : name)).join(',');
  const strange = lines[3].split(',');
  strange[task] = '4711';
  await send('People', [renamed, ...lines.slice(0, 3), strange.join(','), ...lines.slice(4)]);
  await expect(page.getByText('the column "task_id" for task_id is missing')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Import / })).toBeDisabled();
  await page.getByLabel('task_id').selectOption('Nr');
  await page.getByRole('button', { name: 'Update preview' }).click();
  await expect(page).toHaveURL(/column\.task_id=Nr/);
  const wrong = page.getByRole('table', { name: 'Invalid lines' }).getByRole('row').nth(1);
  await expect(wrong.getByRole('rowheader')).toHaveText('5');
  await expect(wrong).toContainText('no output for task 4711');
  await expect(page.getByRole('button', { name: /^Import / })).toBeDisabled();

  // The whole file, with its column mapped.
  await send('People', [renamed, ...lines]);
  await page.getByLabel('task_id').selectOption('Nr');
  await page.getByRole('button', { name: 'Update preview' }).click();
  await expect(page.getByText(/^24 ratings of \d+ outputs can be imported/)).toBeVisible();
  await page.getByLabel('Title of the study').fill('From elsewhere');
  await page.getByRole('button', { name: 'Import 24 ratings' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'From elsewhere' })).toBeVisible();
  await expect(page.locator('#comparison')).toContainText('ratings: 24');
  // It is closed: nothing there says that it still runs.
  await expect(page.locator('#leases')).toHaveCount(0);

  // A judge model's scores: one for each output, without a rater column.
  const seen = new Set<string>();
  const keys = ['task_id', 'model', 'sample', 'correctness', 'code_quality', 'maintainability'];
  const places = keys.map((key) => columns.indexOf(key));
  const judged = lines
    .map((line) => line.split(','))
    .filter((cells) => {
      const output = places.slice(0, 3).map((at) => cells[at]).join(',');
      return !seen.has(output) && seen.add(output);
    })
    .map((cells) => places.map((at) => cells[at]).join(','));
  await send('A judge model', [keys.join(','), ...judged]);
  await page.getByLabel('Name of the judge model').fill('Judge 1');
  await page.getByRole('button', { name: `Import ${judged.length} ratings` }).click();
  await expect(page).toHaveURL(/\/admin\/compare\/starter/);
  await expect(page.locator('#judges')).toContainText('Judge 1');
});
