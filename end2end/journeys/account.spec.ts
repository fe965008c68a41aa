import { type AddressInfo, createServer } from 'node:net';

import { demo, expect, serve, test } from '../support/test.ts';
import { logIn, open } from '../support/steps.ts';

/** The messages that an SMTP server accepted, as they were sent. */
const messages: string[] = [];
const smtp = createServer((socket) => {
  let rest = '';
  let message: string[] | undefined;
  socket.on('error', () => undefined);
  socket.on('data', (part) => {
    rest += part;
    const lines = rest.split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (message && line !== '.') {
        message.push(line);
      } else if (message) {
        messages.push(message.join('\r\n'));
        message = undefined;
        socket.write('250 ok\r\n');
      } else {
        message = line === 'DATA' ? [] : undefined;
        socket.write(line === 'DATA' ? '354 go on\r\n' : '250 ok\r\n');
      }
    }
  });
  socket.write('220 smtp.example.org\r\n');
});
await new Promise<void>((ready) => smtp.listen(0, '127.0.0.1', ready));
smtp.unref();
const address = `127.0.0.1:${(smtp.address() as AddressInfo).port}`;

serve('--demo', '--smtp-server', address, '--smtp-tls', 'none', '--mail-from', 'AixGrade <aixgrade@example.org>');

test('a rater chooses notices, verifies the address, and stops email without logging in', async ({ page, browser, baseURL }) => {
  await logIn(page, demo.ada);
  await open(page, '/account');
  await page.getByRole('link', { name: 'Choose email notices' }).click();
  await page.getByLabel('Email address').fill('ada@example.org');
  await expect(page.getByLabel('A message when a study of mine is due tomorrow')).toBeChecked();
  await expect(page.getByText('Digest of what waits')).toHaveCount(0);
  await page.getByRole('button', { name: 'Save email notices' }).click();
  await expect(page.getByText('Open the link in the message that you get now.')).toBeVisible();
  await expect.poll(() => messages.length).toBe(1);
  const text = messages[0].replaceAll('=\r\n', '');
  const link = /\/mail\/[\w-]{20,}(?=\r\n)/.exec(text)?.[0] ?? '';

  await open(page, link);
  await page.getByRole('button', { name: 'Verify address' }).click();
  await expect(page.getByRole('heading', { name: 'Your email address is verified' })).toBeVisible();
  await page.getByRole('link', { name: 'Choose email notices' }).click();
  await expect(page.getByText('Messages are sent to ada@example.org.')).toBeVisible();

  const stop = /List-Unsubscribe: <[^>]*(\/mail\/[^>]+)>/.exec(text)?.[1] ?? '';
  const anybody = await (await browser.newContext({ baseURL })).newPage();
  await anybody.goto(stop);
  await expect(anybody.getByText('This ends all email from this server to ada@example.org.')).toBeVisible();
  await anybody.getByRole('button', { name: 'Stop' }).click();
  await expect(anybody.getByRole('heading', { name: 'Email stopped' })).toBeVisible();
  await open(page, '/account/email');
  await expect(page.getByLabel('A message when a study of mine is due tomorrow')).not.toBeChecked();
  await anybody.getByRole('button', { name: 'Allow email again' }).click();
  await expect(anybody.getByRole('button', { name: 'Stop' })).toBeVisible();
  await anybody.context().close();
});

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
