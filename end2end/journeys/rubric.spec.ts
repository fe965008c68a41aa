import { hydrated, logIn, open, openMenu, visitor } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

// One story: the rubric that is written first is used, compared and exported.
test.describe.configure({ mode: 'serial' });

test('a rubric is duplicated, edited by keyboard and mouse, and saved as a new version', async ({ page, watch }) => {
  watch.expect(/status of 422/);
  await logIn(page, demo.admin);
  await open(page, '/admin/rubrics');
  await page.getByRole('link', { name: 'aixbench' }).click();
  await expect(page.getByRole('radio')).toHaveCount(12);
  await openMenu(page);
  await page.getByRole('link', { name: 'Duplicate' }).click();
  await page.getByLabel('Short name').fill('security');
  // Only the first dimension stays, with two levels instead of four.
  await page.getByRole('button', { name: 'Remove: dimension 3' }).click();
  await page.getByRole('button', { name: 'Remove: dimension 2' }).click();
  await page.getByRole('button', { name: 'Remove: score 4 of dimension 1' }).click();
  await page.getByRole('button', { name: 'Remove: score 3 of dimension 1' }).click();
  await page.getByLabel('Name in exports: dimension 1').fill('Safety first');
  await page.getByLabel('Name (English): dimension 1').fill('Safety');
  await page.getByLabel('Name (中文): dimension 1').fill('');
  const top = page.getByLabel('Description (English): score 2 of dimension 1');
  await top.fill('No attacker can misuse it.');
  await top.blur();
  // The preview shows what raters will see.
  const preview = page.getByRole('region', { name: 'As raters see it' });
  await expect(preview.getByRole('group', { name: 'Safety' })).toBeVisible();
  await expect(preview.getByRole('radio', { name: 'No attacker can misuse it.' })).toBeVisible();

  await page.getByRole('button', { name: 'Save version' }).click();
  await expect(page.getByText('dimensions[0].key')).toBeVisible();
  await page.getByLabel('Name in exports: dimension 1').fill('safety');
  // A dimension more, whose levels change places.
  await page.getByRole('button', { name: 'Add a dimension' }).click();
  const key = page.getByLabel('Name in exports: dimension 2');
  await expect(key).toBeFocused();
  await key.fill('exposure');
  await page.getByLabel('Name (English): dimension 2').fill('Exposure');
  for (const [score, text] of [[3, 'Medium'], [2, 'High'], [1, 'Low']] as const) {
    await page.getByLabel(`Description (English): score ${score} of dimension 2`).fill(text);
  }
  await page.getByRole('button', { name: 'Move up: score 2 of dimension 2' }).click();
  await expect(page.getByLabel('Description (English): score 3 of dimension 2')).toHaveValue('High');
  await expect(page.getByLabel('Description (English): score 2 of dimension 2')).toHaveValue('Medium');
  await page.getByRole('button', { name: 'Save version' }).click();
  await expect(page.getByText('Saved as version 1.')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'security 1' })).toBeVisible();

  await openMenu(page);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export JSON' }).click()]);
  expect(download.suggestedFilename()).toBe('security-1.json');
  await open(page, '/admin/rubrics');
  await page.getByLabel('File').setInputFiles(await download.path());
  await page.getByRole('button', { name: 'Import' }).click();
  await expect(page.getByText('Nothing to save: it is identical to version 1.')).toBeVisible();
});

test('a study uses the new rubric, and the comparison shows its dimensions', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/new?dataset=starter');
  await page.getByLabel('Title').fill('Security review');
  await page.getByLabel('Rubric').selectOption('security 1');
  for (const box of await page.getByRole('group', { name: 'Submissions to rate' }).getByRole('checkbox').all()) {
    await box.check();
  }
  await page.getByRole('checkbox', { name: /^ada\b/ }).check();
  await page.getByRole('button', { name: 'Preview plan' }).click();
  await page.getByRole('button', { name: 'Start study' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  await page.getByRole('navigation', { name: 'Pages of this study' }).getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('link', { name: 'security 1' })).toBeVisible();
  const study = new URL(page.url()).pathname;

  // ada rates with the keyboard: a digit for each of the two dimensions.
  await page.getByRole('button', { name: 'Log out' }).click();
  await logIn(page, demo.ada);
  const card = page.locator('li.card').filter({ hasText: 'Security review' });
  await card.getByRole('link', { name: 'Start' }).click();
  await hydrated(page);
  await expect(page.getByRole('group', { name: /^Safety/ })).toBeVisible();
  await expect(page.locator('fieldset.scale')).toHaveCount(2);
  await expect(page.locator('fieldset.scale').first().locator('input:focus')).toBeAttached();
  await page.keyboard.press('2');
  await page.keyboard.press('3');
  await page.keyboard.press('Enter');
  await expect(page.locator('.grading-count')).toContainText(/^1\b/);

  const admin = await visitor(server.url, demo.admin);
  const id = /\d+/.exec(study)?.[0];
  const csv = await (await admin.get(`/admin/compare/starter/export/ratings.csv?studies=${id}&runs=none`)).text();
  expect(csv.split('\n')[0]).toContain('rater,safety,exposure,comment');
  expect(csv.split('\n')[1]).toContain(',2,3,');
  await page.getByRole('button', { name: 'Log out' }).click();
  await logIn(page, demo.admin);
  await open(page, `/admin/compare/starter?studies=${id}`);
  await expect(page.getByRole('heading', { name: /^Safety/ }).first()).toBeVisible();
  await expect(page.getByRole('heading', { name: /^Exposure/ }).first()).toBeVisible();
  await expect(page.getByText('Correctness')).toHaveCount(0);
});
