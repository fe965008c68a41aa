import type { Page, Route } from '@playwright/test';

import { type Account, hydrated, logIn, open, rate } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

test.beforeAll(async () => {
  // Result pages have links only after something is rated.
  await rate(server.url, demo.bo, 4, (n) => [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1]);
});

declare global {
  interface Window {
    /** Set by a journey; gone after a document was loaded. */
    alive?: boolean;
  }
}

/** The code that only grading needs. */
const GRADING = /\/assets\/grading-[0-9a-f]{16}\.wasm$/;

/** Marks the document, so that `alive` detects whether it is still the same. */
const mark = (page: Page) => page.evaluate(() => void (window.alive = true));
const alive = (page: Page) => page.evaluate(() => window.alive === true);

/** Disables prefetching of code. */
const neverIdle = (page: Page) => page.addInitScript(() => void (window.requestIdleCallback = () => 0));

/** An address without the parts that differ between rows. */
const kind = (path: string) =>
  path
    .replace(/\/\d+/g, '/:n')
    .replace(/^(\/(?:grade|studies|rubric|guidelines|beside|adjudicate)\/)[^/]+/, '$1:token')
    .replace(/^(\/grade\/:token\/)[^/]+/, '$1:token');

/** The links of a page to other pages of the app, and those among them that the router may not follow. */
async function links(page: Page): Promise<{ inner: string[]; outer: string[] }> {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].filter(
      (link) =>
        link.origin === location.origin &&
        link.pathname !== location.pathname &&
        !link.target &&
        // The search opens in a dialog.
        !link.hasAttribute('aria-keyshortcuts') &&
        !link.hasAttribute('download') &&
        // Files and the API are not pages, and the tour is not a study with ratings.
        !/^\/studies\/tour\/|\.(csv|jsonl|json|svg|png|zip)$|^\/api\/|^\/public\//.test(link.pathname),
    );
    const path = (link: HTMLAnchorElement) => link.pathname + link.search;
    return {
      inner: all.filter((link) => link.rel !== 'external').map(path),
      outer: all.filter((link) => link.rel === 'external').map(path),
    };
  });
}

/** Clicks a link to `path`: the page's own, or an added one if the page has none. */
async function follow(page: Page, path: string): Promise<void> {
  const before = page.url();
  await page.evaluate((path) => {
    const all = [...document.querySelectorAll<HTMLAnchorElement>('a[href]')];
    let link = all.find((link) => link.pathname + link.search === path && link.rel !== 'external');
    if (!link) {
      link = document.createElement('a');
      link.href = path;
      document.querySelector('main')?.append(link);
    }
    link.click();
  }, path);
  await page.waitForURL((url) => url.href !== before);
  await expect(page.locator('main h1').first()).toBeVisible();
}

for (const [who, account, start] of [
  ['a rater', demo.ada, '/my-studies'],
  ['an admin', demo.admin, '/admin'],
] as [string, Account, string][]) {
  for (const [screen, viewport] of [
    ['a desktop', { width: 1280, height: 800 }],
    ['a phone', { width: 360, height: 740 }],
  ] as const) {
    test(`no link loads a document: ${who} at ${screen}`, async ({ page }) => {
      await page.setViewportSize(viewport);
      await logIn(page, account);
      await open(page, start);
      await mark(page);
      const faults: string[] = [];
      const known = new Set([kind(start)]);
      const ahead: string[] = [];
      for (let here: string | undefined = start; here; here = ahead.shift()) {
        if (here !== start) {
          await follow(page, here);
        }
        if (!(await alive(page))) {
          faults.push(`the link to ${here} loaded a document`);
          await hydrated(page);
          await mark(page);
        }
        const { inner, outer } = await links(page);
        faults.push(...outer.map((path) => `${here}: the link to ${path} is marked as external`));
        for (const path of inner) {
          const reached = kind(path.split('?')[0]);
          if (!known.has(reached)) {
            known.add(reached);
            ahead.push(path);
          }
        }
      }
      // Back and forward are navigations, too.
      for (const go of [() => page.goBack(), () => page.goForward()]) {
        const before = page.url();
        await go();
        await page.waitForURL((url) => url.href !== before);
        await expect(page.locator('main h1').first()).toBeVisible();
        expect(await alive(page)).toBe(true);
      }
      console.log(`${who} at ${screen}: ${[...known].join(' ')}`);
      expect(faults).toEqual([]);
      expect(known.size).toBeGreaterThan(account === demo.admin ? 20 : 4);
    });
  }
}

test('code that does not arrive causes a page load', async ({ page, watch }) => {
  watch.expect(/500/);
  await neverIdle(page);
  await logIn(page, demo.ada);
  await hydrated(page);
  await mark(page);
  await page.route(GRADING, (route) => route.fulfill({ status: 500 }), { times: 1 });
  await page.locator('main a[href^="/grade/"]').first().click();
  await page.waitForURL(/\/grade\//);
  await hydrated(page);
  expect(await alive(page)).toBe(false);
  await expect(page.locator('fieldset.scale').first()).toBeVisible();
  // From here on, links are followed without loading documents again.
  await mark(page);
  await page.getByRole('navigation').locator('a[href="/my-studies"]').click();
  await page.waitForURL(/\/my-studies$/);
  expect(await alive(page)).toBe(true);
});

for (const [language, loading] of [
  ['English', 'Loading'],
  ['中文', '正在加载'],
]) {
  test(`a sign shows that code is loading, in ${language}`, async ({ page }) => {
    await neverIdle(page);
    await logIn(page, demo.ada);
    await page.getByRole('button', { name: language }).first().click();
    await hydrated(page);
    await mark(page);
    const held: Route[] = [];
    await page.route(GRADING, (route) => void held.push(route));
    await page.locator('main a[href^="/grade/"]').first().click();
    const sign = page.locator('.arriving');
    await expect(sign).toHaveText(loading);
    await expect(sign).toHaveCSS('opacity', '1');
    await expect(sign).toHaveAttribute('role', 'status');
    // The old page stays.
    await expect(page.locator('main a[href^="/grade/"]').first()).toBeVisible();
    for (const route of held) {
      await route.continue();
    }
    await page.unroute(GRADING);
    await expect(page.locator('fieldset.scale').first()).toBeVisible();
    await expect(sign).toHaveText('');
    await expect(sign).toHaveCSS('opacity', '0');
    expect(await alive(page)).toBe(true);
  });
}

test('a rater\'s next output is prefetched', async ({ page }) => {
  const came = page.waitForEvent('requestfinished', (request) => GRADING.test(request.url()));
  await logIn(page, demo.bo);
  await hydrated(page);
  await came;
  await page.waitForLoadState('networkidle');
  await mark(page);
  // No more code arrives, and none is needed.
  await page.route(/\.wasm$/, (route) => route.abort());
  await page.locator('main a[href^="/grade/"]').first().click();
  await expect(page.locator('fieldset.scale').first()).toBeVisible();
  expect(await alive(page)).toBe(true);
});
