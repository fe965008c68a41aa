import { request } from '@playwright/test';
const base = process.argv[2]; const most = Number(process.argv[3] ?? 1000);
export async function login(name) {
  const c = await request.newContext({ baseURL: base, extraHTTPHeaders: { 'sec-fetch-site': 'same-origin', accept: 'application/json' } });
  await c.post('/log-in', { form: { name, password: 'demo-password-' + name }, headers: { accept: 'text/html' } });
  c.rpc = async (f, data) => { const r = await c.post('/rpc/' + f, { data }); const t = await r.text(); if (!r.ok()) console.log(f, r.status(), t.slice(0, 200)); try { return JSON.parse(t); } catch { return t; } };
  return c;
}
const admin = await login('admin');
const studies = await admin.rpc('studies', {});
const study = studies.find(s => process.argv[4] ? s.title === process.argv[4] : true);
if (process.argv[5]) { const r = await admin.post('/rpc/set_quality', { form: { study: study.id, 'asked[opening]': 'none', 'asked[tolerance]': 1, 'asked[needed]': 1, 'asked[gold_every]': 0, 'asked[repeat_every]': 0, 'asked[repeat_apart]': 5, 'asked[spread]': 1, 'asked[spread_correctness]': '', 'asked[policy]': 'adjudicator', 'asked[shown]': 'own' } }); console.log('quality', r.status()); }
let seed = 7; const rnd = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % n; };
for (const who of ['ada', 'bo', 'chen']) {
  const c = await login(who); let n = 0;
  for (; n < most; n++) {
    const next = await c.rpc('next', { study: study.token });
    if (!next.Item) { if (!next.Finished) console.log(JSON.stringify(next).slice(0, 200)); break; }
    const flag = n % 9 === 4 ? { other: 'Is null allowed here?' } : null;
    const base3 = [1 + rnd(4), 1 + rnd(3), 1 + rnd(5)];
    await c.rpc('submit_rating', { assignment: next.Item.token, draft: { scores: base3, comment: n % 4 === 0 ? 'Misses the empty list; reads well otherwise.' : n % 7 === 0 ? '没有处理空值。' : '', flag, active_ms: 20000 + rnd(60000) }, key: who + n });
  }
  console.log(who, n);
}
