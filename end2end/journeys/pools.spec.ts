import { firstStudy, hydrated, logIn, open, openLast, rate, visitor } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

test('a paused rater reads it in both languages and continues when an admin resumes them', async ({ page, browser }) => {
  const ada = await visitor(server.url, demo.ada);
  const study = await firstStudy(ada);
  await logIn(page, demo.admin);
  const admin = await visitor(server.url, demo.admin);
  await admin.post('/rpc/pause_rater', { form: { study: '1', rater: '2', paused: 'true' } });
  const context = await browser.newContext({ baseURL: server.url });
  const rater = await context.newPage();
  await logIn(rater, demo.ada);
  await expect(rater.getByText('You are paused', { exact: true })).toBeVisible();
  await open(rater, study);
  await expect(rater.getByRole('heading', { name: 'You are paused in this study' })).toBeVisible();
  await ada.post('/lang', { form: { lang: 'zh' } });
  expect(await (await ada.get(study)).text()).toContain('您在此项目中已被暂停');
  await ada.post('/lang', { form: { lang: 'en' } });

  await open(page, '/admin/studies/1/quality');
  const row = page.getByRole('row', { name: /ada/ });
  await expect(row.getByText('paused', { exact: true })).toBeVisible();
  await row.getByRole('button', { name: /Resume rating/ }).click();
  await expect(page.getByRole('heading', { name: 'Raters and limits' })).toHaveCount(0);
  await open(rater, study);
  await expect(rater.getByRole('heading', { name: 'You are paused in this study' })).toHaveCount(0);
});

test('an adjudicated output becomes a known-score item, changes its pool and is removed', async ({ page, watch }) => {
  // Settings without items, and an item without an explanation, are refused.
  watch.expect(/status of 422/);
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/1/quality');
  await page.locator('[name="settings[spread]"]').fill('2');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Settings saved.')).toBeVisible();
  // Hidden checks need items.
  await page.locator('[name="settings[known_item_every]"]').fill('5');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(/no known-score items are for hidden checks/i)).toBeVisible();

  for (const [n, who] of [demo.ada, demo.bo, demo.chen].entries()) {
    await rate(server.url, who, 300, (m) => ((n + m) % 3 === 0 ? [1, 1, 1] : [4, 3, 5]));
  }
  await open(page, '/admin/studies/1/disagreements');
  await page.getByRole('link', { name: /^Adjudicate/ }).first().click();
  await hydrated(page);
  for (const [place, value] of ['2', '2', '3'].entries()) {
    await page.locator(`[name="scores[${place}]"][value="${value}"]`).check();
  }
  await page.getByRole('button', { name: 'Save final scores' }).click();
  await expect(page.getByText('Your adjudication is saved.')).toBeVisible();
  // Adjudicated ones come last.
  await openLast(page, '/admin/studies/1/disagreements');
  await page.getByRole('link', { name: /Add to known-score items/ }).click();
  await hydrated(page);
  const form = page.locator('#known-proposal');
  await expect(form.getByText(/never get it as an item/)).toBeVisible();
  for (const [place, value] of ['2', '2', '3'].entries()) {
    await expect(form.locator(`[name="item[scores][${place}]"]`)).toHaveValue(value);
  }
  // An explanation is required.
  await form.getByRole('button', { name: 'Add item' }).click();
  await expect(form.getByText(/needs an explanation/)).toBeVisible();
  await form.locator('[name="item[reasons_en][0]"]').fill('Misses the empty list.');
  await form.getByRole('button', { name: 'Add item' }).click();
  const card = page.locator('li.card', { hasText: 'output of this study' });
  await expect(card.getByText('as a hidden check', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('Active items: 0 in the calibration, 1 as hidden checks.')).toBeVisible();
  await card.locator('[name="pool"]').selectOption('calibration');
  await card.getByRole('button', { name: 'Change' }).click();
  await expect(page.getByText('Active items: 1 in the calibration, 0 as hidden checks.')).toBeVisible();
  await card.getByRole('button', { name: 'Remove' }).click();
  await expect(card).toHaveCount(0);
});
