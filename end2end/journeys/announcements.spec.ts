import { hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

test('an announcement reaches a rater at work, who closes it for good', async ({ page, browser, baseURL, watch }) => {
  watch.expect(/status of 422/);
  const ada = await (await browser.newContext({ baseURL })).newPage();
  await logIn(ada, demo.ada);
  await logIn(page, demo.admin);
  await open(page, '/admin/people');
  await page.getByRole('link', { name: 'Announce to ada' }).click();
  await expect(page.getByLabel('To', { exact: true })).toHaveValue(/^account /);
  await page.getByLabel('English').fill('Saltmarsh 13B is done. Thank you!');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByText('the text names a model: Saltmarsh')).toBeVisible();
  await expect(page.getByLabel('English')).toHaveValue('Saltmarsh 13B is done. Thank you!');
  await page.getByLabel('English').fill('The server restarts at 18:00.\nYour work is saved.');
  await page.getByRole('button', { name: 'Publish' }).click();
  const row = page.getByRole('row').filter({ hasText: 'The server restarts' });
  await expect(row).toContainText('0 of 1');
  await expect(page.getByLabel('English')).toHaveValue('');

  // Someone else does not see it.
  const bo = await (await browser.newContext({ baseURL })).newPage();
  await logIn(bo, demo.bo);
  await expect(bo.getByText('The server restarts')).toHaveCount(0);

  await ada.locator('main a[href^="/grade/"]').first().click();
  await expect(ada).toHaveURL(/\/grade\//);
  await ada.reload();
  await hydrated(ada);
  const notice = ada.getByRole('status').filter({ hasText: 'The server restarts' });
  await expect(notice).toContainText('Your work is saved.');
  // The page removes it at once; a reload before the server has the request would bring it back.
  const read = ada.waitForResponse(/\/rpc\/read_announcement/);
  await notice.getByRole('button', { name: 'Close' }).click();
  await expect(notice).toHaveCount(0);
  await read;
  await ada.reload();
  await hydrated(ada);
  await expect(notice).toHaveCount(0);
  await page.reload();
  await expect(row).toContainText('1 of 1');
});

test('a withdrawn announcement is shown to nobody', async ({ page, browser, baseURL }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/announcements');
  await page.getByLabel('Chinese').fill('今晚维护');
  await page.getByRole('button', { name: 'Publish' }).click();
  const row = page.getByRole('row').filter({ hasText: '今晚维护' });
  await expect(row.getByText('Shown', { exact: true })).toBeVisible();
  const bo = await (await browser.newContext({ baseURL })).newPage();
  await logIn(bo, demo.bo);
  await bo.reload();
  await expect(bo.getByText('今晚维护')).toBeVisible();
  await row.locator('summary').click();
  await row.getByRole('button', { name: 'Withdraw' }).click();
  await expect(row.getByText('Withdrawn')).toBeVisible();
  await bo.reload();
  await expect(bo.getByText('今晚维护')).toHaveCount(0);
});

test('an announcement is closed without scripts', { tag: '@scriptless' }, async ({ page, browser, baseURL }) => {
  const admin = await browser.newContext({ baseURL });
  const form = { name: demo.admin.name, password: demo.admin.password, next: '/' };
  await admin.request.post('/log-in', { form });
  await admin.request.post('/rpc/announce', { form: { to: 'study 1', en: 'Lunch', zh: '', last_day: '' } });
  await page.goto('/log-in');
  await page.getByLabel('Name').fill(demo.chen.name);
  await page.getByLabel('Password').fill(demo.chen.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByText('Lunch')).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByText('Lunch')).toHaveCount(0);
  await expect(page).toHaveURL(/\/(my-studies)?\??$/);
});
