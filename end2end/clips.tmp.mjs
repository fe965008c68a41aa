import { chromium } from '@playwright/test';
const [base, path, out, w, scheme, lang, js] = process.argv.slice(2);
const W=Number(w), H=Number(process.env.H||1500);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync'] });
const ctx = await browser.newContext({ baseURL: base, viewport: { width: W, height: H }, colorScheme: scheme, locale: lang==='zh'?'zh-CN':'en-GB', javaScriptEnabled: js==='1' });
const page = await ctx.newPage();
page.on('console', m => { if (['error','warning'].includes(m.type())) console.log('CONSOLE', m.text()); });
await page.goto('/log-in'); await page.locator('input[name=name]').fill('admin'); await page.locator('input[name=password]').fill('demo-password-admin'); await page.locator('form[action="/log-in"] button').click(); await page.waitForLoadState();
await page.goto(path); if (js==='1') await page.locator('html[data-hydrated]').waitFor({state:'attached'});
const total = js==='1' ? await page.evaluate(()=>document.documentElement.scrollHeight) : Number(process.env.TOTAL||12000);
const full = await page.screenshot({fullPage:true, path: out+'-full.png'});
await page.setViewportSize({width:W,height:H});
for (let n=0,y=0; y<total && n<14; n++, y+=H) { await page.screenshot({path:`${out}-${n}.png`, fullPage:true, clip:{x:0,y,width:W,height:Math.min(H,total-y)}}).catch(()=>{}); }
console.log('height', total);
await browser.close();
