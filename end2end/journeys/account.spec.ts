import { demo, expect, serve, test } from '../support/test.ts';
import { logIn, open } from '../support/steps.ts';

serve('--demo');

test('times are in the time zone that the person chose', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ baseURL, timezoneId: 'Asia/Kathmandu' });
  const page = await context.newPage();
  await logIn(page, demo.admin);
  await open(page, '/admin/people');
  const since = page.getByRole('table', { name: 'Accounts' }).locator('td.when').first();
  await expect(since).toHaveText(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/);

  await open(page, '/account');
  const zone = page.getByLabel('Time zone');
  await expect(zone).toHaveValue('UTC');
  await page.getByRole('button', { name: "Use this device's time zone" }).click();
  await expect(zone).toHaveValue(/^Asia\/Kat(h)?mandu$/);
  await page.getByRole('button', { name: 'Save display settings' }).click();
  await expect(page.getByText('Your display settings have been saved.')).toBeVisible();
  await expect(zone).toHaveValue(/^Asia\/Kat(h)?mandu$/);

  // The server and the browser give the same time.
  await open(page, '/admin/people');
  const fromServer = await (await page.request.get('/admin/people')).text();
  const shown = (await since.textContent()) ?? '';
  expect(shown).toMatch(/UTC\+5:45$/);
  expect(fromServer).toContain(shown);
  await page.getByRole('link', { name: 'Studies', exact: true }).first().click();
  await page.getByRole('link', { name: 'People', exact: true }).first().click();
  await expect(since).toHaveText(shown);
  await context.close();
});

test('a browser that does not know the time zone shows UTC', async ({ page }) => {
  await logIn(page, demo.admin);
  await page.request.post('/account/display', { form: { zone: 'Asia/Kathmandu' } });
  await page.addInitScript(() => {
    Object.defineProperty(Intl, 'DateTimeFormat', {
      value: class {
        constructor() {
          throw new RangeError('Invalid time zone');
        }
      },
    });
  });
  await open(page, '/account');
  // The browser draws this page, because no document is loaded for it.
  await page.getByRole('link', { name: 'People', exact: true }).first().click();
  const since = page.getByRole('table', { name: 'Accounts' }).locator('td.when').first();
  await expect(since).toHaveText(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/);
});
