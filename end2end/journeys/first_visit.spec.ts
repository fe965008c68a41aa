import type { Page } from '@playwright/test';

import { places } from '../support/places.ts';
import { hydrated, logIn, open, rate } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

/**
 * Maximum download of a first visit, in bytes over the wire: the login with what it fetches for the next page, other
 * pages without an account, where people grade, and where admins read figures. And the maximum of logging in, the list
 * of studies and grading together.
 */
const LIMIT = { logIn: 240 * 1000, visitor: 280 * 1000, rater: 412 * 1000, admin: 774 * 1000, journey: 460 * 1000 };

/** Counts what a page loads, in bytes over the wire; cached files count nothing. */
async function weigh(page: Page): Promise<number[]> {
  const sizes: number[] = [];
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength));
  return sizes;
}

const sum = (sizes: number[]) => sizes.reduce((sum, size) => sum + size, 0);

test('a first visit stays within its size limit', async ({ browser }) => {
  // A comparison has tasks only after something is rated.
  await rate(server.url, demo.bo, 2, () => [4, 3, 5]);
  const heavy: string[] = [];
  for (const place of await places(server.url)) {
    // A browser with an empty cache and only the session's cookie.
    const context = await browser.newContext({ baseURL: server.url });
    if (place.account) {
      await context.request.post('/log-in', { form: { ...place.account, next: '/my-studies' } });
    }
    const page = await context.newPage();
    // The code of other pages is prefetched when the browser is idle; this page does not need it.
    await page.addInitScript(() => void (window.requestIdleCallback = () => 0));
    const sizes = await weigh(page);
    await open(page, place.path);
    const total = sum(sizes);
    // From the start of the navigation until there is content: printed, not asserted.
    const shown = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1);
    console.log(`${place.name}: ${total} bytes in ${sizes.length} files, to be read after ${Math.round(shown)} ms`);
    // The document, the styles, the client's script and its core: without them this measured nothing.
    expect(sizes.length).toBeGreaterThanOrEqual(4);
    // Everything counts, including the outputs that the grading page prefetches.
    const withAccount = place.account === demo.admin ? LIMIT.admin : LIMIT.rater;
    const without = place.path === '/log-in' ? LIMIT.logIn : LIMIT.visitor;
    const limit = place.account ? withAccount : without;
    if (total >= limit) {
      heavy.push(`${place.name}: ${total} bytes`);
    }
    await context.close();
  }
  expect(heavy).toEqual([]);
});

test('nothing is loaded twice from the login to grading', async ({ page }) => {
  // Here the prefetched code counts.
  const sizes = await weigh(page);
  await logIn(page, demo.chen);
  await hydrated(page);
  await page.locator('main a[href^="/grade/"]').first().click();
  await expect(page.locator('fieldset.scale').first()).toBeVisible();
  await page.waitForLoadState('networkidle');
  console.log(`login, start page and grading: ${sum(sizes)} bytes in ${sizes.length} files`);
  expect(sizes.length).toBeGreaterThanOrEqual(8);
  expect(sum(sizes)).toBeLessThan(LIMIT.journey);
});

test('pages forbid foreign scripts, and only immutable files are cached', async ({ page, request }) => {
  await logIn(page, demo.ada);
  const answer = await page.goto('/my-studies');
  const policy = answer?.headers()['content-security-policy'] ?? '';
  const nonce = /script-src 'self' 'nonce-([^']{16,})' 'wasm-unsafe-eval'/.exec(policy)?.[1];
  expect(nonce).toBeTruthy();
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("'unsafe-inline'");
  expect(policy).not.toContain("'unsafe-eval'");
  expect(answer?.headers()['cache-control']).toBe('no-store');
  const again = await page.goto('/my-studies');
  expect(again?.headers()['content-security-policy']).not.toContain(`'nonce-${nonce}'`);
  // Browsers hide the attribute from scripts; only the property has the value.
  const scripts = await page.locator('script').evaluateAll((all) =>
    all.map((script) => ({ src: (script as HTMLScriptElement).src, nonce: (script as HTMLScriptElement).nonce })),
  );
  expect(scripts.length).toBeGreaterThan(0);
  for (const script of scripts) {
    expect(script.nonce).not.toBe('');
  }
  const style = await page.locator('link[rel=stylesheet]').getAttribute('href');
  const file = await request.get(style ?? '');
  expect(file.headers()['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(file.headers()['content-encoding']).toBe('br');
});

test('scripts and other sites cannot read the session', async ({ page, request }) => {
  await logIn(page, demo.ada);
  const cookies = await page.context().cookies();
  const session = cookies.find((cookie) => cookie.name === 'aixgrade');
  expect(session).toMatchObject({ httpOnly: true, sameSite: 'Lax' });

  const foreign = await request.post('/log-out', { headers: { origin: 'http://elsewhere.example' } });
  expect(foreign.status()).toBe(403);
});
