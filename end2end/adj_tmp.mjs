import { chromium } from '@playwright/test';
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu','--disable-quic'] });
const page = await (await browser.newContext({ baseURL: 'http://127.0.0.1:4005' })).newPage();
page.on('console', m => console.log(m.type(), m.text().slice(0, 300)));
page.on('pageerror', e => console.log('pageerror', String(e).slice(0, 300)));
await page.goto('/log-in');
await page.locator('input[name=name]').fill('admin'); await page.locator('input[name=password]').fill('demo-password-admin');
await page.locator('main button[type=submit]').click(); await page.waitForURL(u => !u.pathname.includes('log-in'));
await page.goto('/adjudicate'); await page.locator('html[data-hydrated]').waitFor({ state: 'attached' });
await page.locator('ul.desk a').first().click();
await page.locator('[name="scores[0]"]').first().waitFor();
for (let n = 0; n < 2; n++) {
  const before = page.url();
  for (const [p, v] of ['3','2','3'].entries()) await page.locator(`[name="scores[${p}]"][value="${v}"]`).check();
  await page.getByLabel('Reason').fill('between ' + n);
  await page.getByRole('button', { name: 'Make it final' }).click();
  await page.waitForTimeout(3000);
  console.log(before, '->', page.url(), await page.getByText('Your decision is stored.').count(), await page.getByLabel('Reason').inputValue(), await page.locator('input:checked').count(), (await page.locator('.task-text').innerText()).slice(0, 50));
}
await page.screenshot({ path: '/tmp/quality/shots/adj.png', fullPage: true });
await browser.close();
