import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { type Place, places } from '../support/places.ts';
import { hydrated, open, rate } from '../support/steps.ts';
import { demo, serve, test } from '../support/test.ts';

const server = serve('--demo');
const folder = process.env.SHOTS ?? mkdtempSync(path.join(tmpdir(), 'aixgrade-shots-'));
let every: Place[] = [];

test.beforeAll(async () => {
  test.setTimeout(180_000);
  mkdirSync(folder, { recursive: true });
  console.log(`Pictures go to ${folder}`);
  await rate(server.url, demo.ada, 30, (n) => [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1]);
  await rate(server.url, demo.bo, 30, (n) => [((n + 1) % 4) + 1, ((n + 2) % 3) + 1, ((n + 1) % 5) + 1]);
  await rate(server.url, demo.chen, 20, (n) => [4 - (n % 2), 3, 5 - (n % 3)]);
  every = await places(server.url);
});

const screens = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

for (const [screen, viewport] of Object.entries(screens)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const lang of ['en', 'zh']) {
      test(`${screen} ${colorScheme} ${lang}`, async ({ browser }) => {
        test.setTimeout(300_000);
        const accounts = [...new Set(every.map((place) => place.account))];
        for (const account of accounts) {
          const context = await browser.newContext({ baseURL: server.url, viewport, colorScheme });
          // The switch on the page does the same.
          await context.request.post('/lang', { form: { lang, next: '/log-in' } });
          if (account) {
            await context.request.post('/log-in', { form: { ...account, next: '/my-studies' } });
            await context.request.post('/lang', { form: { lang, next: '/my-studies' } });
          }
          const page = await context.newPage();
          for (const place of every.filter((place) => place.account === account)) {
            await open(page, place.path);
            await hydrated(page);
            const picture = path.join(folder, `${place.name}-${screen}-${colorScheme}-${lang}.png`);
            await page.screenshot({ path: picture, fullPage: true });
          }
          await context.close();
        }
      });
    }
  }
}
