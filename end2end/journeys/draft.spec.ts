import { logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

test('a draft is edited and started; afterwards its settings stay', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/new?dataset=starter');
  await page.getByLabel('Title').fill('Pilot');
  // The summary follows the choices.
  const summary = page.getByRole('complementary', { name: 'This study' });
  await page.getByLabel('ada', { exact: true }).check();
  await expect(summary).toContainText('Choose submissions and raters');
  const boxes = page.locator('[name="study[submissions][]"]');
  const all = await boxes.count();
  await page.getByRole('button', { name: 'Select all' }).click();
  await expect(page.getByText(`${all} of ${all} selected`)).toBeVisible();
  await expect(summary).toContainText(/\d+ ratings of \d+ outputs by 1 rater/);
  await page.getByRole('button', { name: 'Select none' }).click();
  await expect(boxes.first()).not.toBeChecked();
  await boxes.first().check();
  await expect(page.getByText(`1 of ${all} selected`)).toBeVisible();
  await page.getByText('More settings', { exact: true }).click();
  await page.getByLabel('Seconds per rating').fill('3600');
  await expect(summary).toContainText(/about \d+\.0 h at 3,600 seconds per rating/);
  await page.getByLabel('Seconds per rating').fill('');
  await page.getByRole('button', { name: 'Preview plan' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Pilot' })).toBeVisible();

  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await expect(page.getByLabel('Title')).toHaveValue('Pilot');
  await page.getByLabel('Title').fill('Round 1');
  await page.getByLabel('bo', { exact: true }).check();
  await page.locator('[name="study[settings][raters_per_output]"]').fill('2');
  await page.getByRole('button', { name: 'Save and preview plan' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Round 1' })).toBeVisible();
  await expect(page.getByRole('rowheader', { name: 'bo' })).toBeVisible();

  const address = page.url().replace('/plan', '/edit');
  await page.getByRole('button', { name: 'Start study' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  await open(page, address);
  await expect(page.getByText('This study has started')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save and preview plan' })).toHaveCount(0);
});
