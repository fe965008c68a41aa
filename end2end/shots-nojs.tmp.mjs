import { chromium } from '@playwright/test';
const [base, out, only] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync'] });
const pages = JSON.parse(process.env.PAGES);
for (const [w, scheme, lang] of [[1280,'light','en'],[390,'light','en'],[1280,'dark','zh'],[390,'dark','zh']]) {
  if (only && !only.split(',').includes(`${w}${scheme}${lang}`)) continue;
  const ctx = await browser.newContext({ baseURL: base, viewport: { width: w, height: 900 }, colorScheme: scheme, locale: lang==='zh'?'zh-CN':'en-GB', javaScriptEnabled: false });
  const page = await ctx.newPage();
  await page.goto('/log-in'); await page.locator('input[name=name]').fill('admin'); await page.locator('input[name=password]').fill('demo-password-admin'); await page.locator('form[action="/log-in"] button').click(); await page.waitForLoadState();
  for (const [name, path] of pages) {
    await page.goto(path); 
    await page.screenshot({ path: `${out}/${name}-${w}-${scheme}-${lang}.png`, fullPage: true });
  }
  await ctx.close();
}
await browser.close();
