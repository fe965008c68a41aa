import { logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

test('a draft is edited and started; afterwards its settings stay', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/new?dataset=starter');
  await page.getByLabel('Title').fill('Pilot');
  await page.locator('[name="study[submissions][]"]').first().check();
  await page.getByLabel('ada', { exact: true }).check();
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
