import { chromium } from '@playwright/test';
const [base, out, only] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync'] });
const pages = JSON.parse(process.env.PAGES);
for (const [w, scheme, lang] of [[1280,'light','en'],[390,'light','en'],[1280,'dark','zh'],[390,'dark','zh']]) {
  if (only && !only.split(',').includes(`${w}${scheme}${lang}`)) continue;
  const ctx = await browser.newContext({ baseURL: base, viewport: { width: w, height: 900 }, colorScheme: scheme, locale: lang==='zh'?'zh-CN':'en-GB' });
  const page = await ctx.newPage();
  page.on('console', m => { if (['error','warning'].includes(m.type())) console.log('CONSOLE', m.text()); });
  page.on('pageerror', e => console.log('PAGEERROR', String(e)));
  await page.goto('/log-in'); await page.locator('input[name=name]').fill('admin'); await page.locator('input[name=password]').fill('demo-password-admin'); await page.locator('form[action="/log-in"] button').click(); await page.waitForLoadState();
  for (const [name, path] of pages) {
    await page.goto(path); await page.locator('html[data-hydrated]').waitFor({state:'attached', timeout: 60000}).catch(()=>console.log('not hydrated', name));
    await page.screenshot({ path: `${out}/${name}-${w}-${scheme}-${lang}.png`, fullPage: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) console.log('WIDE', name, w, wide);
  }
  if (w===1280 && lang==='en') { for (const [name, path] of pages) { await page.goto(path); await page.emulateMedia({media:'print'}); await page.pdf({path:`${out}/${name}.pdf`, format:'A4'}).catch(e=>console.log(String(e))); await page.emulateMedia({media:null}); } }
  await ctx.close();
}
await browser.close();
