import { chromium, request } from '@playwright/test';
const base = process.argv[2], set = process.argv[3] ?? 'a', filter = process.argv[4];
const pages = JSON.parse(process.argv[5]);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync'] });
const variants = { 'd-l-en': [1280, 'light', 'en'], 'd-d-zh': [1280, 'dark', 'zh'], 'p-l-zh': [390, 'light', 'zh'], 'p-d-en': [390, 'dark', 'en'] };
for (const [name, [width, colorScheme, lang]] of Object.entries(variants)) {
  if (filter && filter !== 'all' && !filter.split(',').includes(name)) continue;
  const context = await browser.newContext({ baseURL: base, viewport: { width, height: width > 500 ? 1250 : 1700 }, colorScheme, locale: lang === 'en' ? 'en-GB' : 'zh-CN', deviceScaleFactor: 1 });
  const page = await context.newPage();
  page.on('console', m => { if (['error','warning'].includes(m.type())) console.log(name, m.type(), m.text().slice(0,200)); });
  page.on('pageerror', e => console.log(name, 'pageerror', String(e).slice(0,200)));
  await page.goto('/log-in');
  await page.locator('input[name=name]').fill(process.env.WHO ?? 'admin');
  await page.locator('input[name=password]').fill('demo-password-' + (process.env.WHO ?? 'admin'));
  await page.locator('main button[type=submit]').click();
  await page.waitForURL(u => !u.pathname.includes('log-in'));
  await context.request.post('/language', { form: { lang, next: '/desk' }, headers: { 'sec-fetch-site': 'same-origin' } }).catch(() => {});
  const b = page.getByRole('button', { name: lang === 'zh' ? '中文' : 'English' }).first();
  if (await b.isVisible().catch(() => false)) { await b.click(); await page.waitForLoadState(); }
  for (const [key, path] of Object.entries(pages)) {
    await page.goto(path);
    await page.locator('html[data-hydrated]').waitFor({ state: 'attached', timeout: 15000 }).catch(() => console.log('not hydrated', path));
    await page.waitForTimeout(300);
    await page.screenshot({ path: `/tmp/quality/shots/${set}-${key}-${name}.png`, fullPage: false });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) console.log('WIDE', key, name, wide);
  }
  await context.close();
}
await browser.close();
