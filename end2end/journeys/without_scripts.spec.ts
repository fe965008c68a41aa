import { demo, expect, serve, test } from '../support/test.ts';
import { logIn } from '../support/steps.ts';

serve('--demo');

test('a rater grades without scripts', { tag: '@scriptless' }, async ({ page }) => {
  await logIn(page, demo.bo);
  await page.getByRole('link', { name: 'Start rating' }).click();
  await expect(page.getByText(/^0 rated, /).first()).toBeVisible();

  // A missing score is named, and the other scores are still there.
  await page.locator('#score-0-3').check();
  await page.locator('#score-1-2').check();
  await page.getByLabel('Comment').fill('第一行\nsecond line');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByText('Maintainability has no score yet.')).toBeVisible();
  await expect(page.locator('#score-0-3')).toBeChecked();
  await expect(page.getByLabel('Comment')).toHaveValue('第一行\nsecond line');

  await page.locator('#score-2-5').check();
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByText(/^1 rated, /).first()).toBeVisible();

  // Skipping brings another output.
  const before = await page.locator('form.rating').getAttribute('data-token');
  await page.getByRole('button', { name: 'Skip' }).click();
  await expect(page.getByText('1 skipped')).toBeVisible();
  expect(await page.locator('form.rating').getAttribute('data-token')).not.toBe(before);

  await page.getByRole('link', { name: 'My ratings' }).click();
  await expect(page.locator('tbody tr')).toHaveCount(1);
});

test('the language is chosen without scripts', { tag: '@scriptless' }, async ({ page }) => {
  await page.goto('/log-in');
  await page.getByRole('button', { name: '中文' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', /^zh/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('登录');
});
