import { readFileSync } from 'node:fs';

import AxeBuilder from '@axe-core/playwright';
import type { Browser, Page } from '@playwright/test';

import { elsewhere, type Place, places } from '../support/places.ts';
import { hydrated, logIn, open, rate } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');
let every: Place[] = [];

test.beforeAll(async () => {
  // Content for the result pages.
  await rate(server.url, demo.ada, 6, (n) => [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1]);
  await rate(server.url, demo.bo, 6, (n) => [4 - (n % 4), 3 - (n % 3), 5 - (n % 5)]);
  every = await places(server.url);
});

/** Opens every page in turn, each as a person who may see it. */
async function visit(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0],
  look: (page: Page, place: Place) => Promise<void>,
): Promise<void> {
  const accounts = [...new Set(every.map((place) => place.account))];
  for (const account of accounts) {
    const context = await browser.newContext({ baseURL: server.url, locale: 'en-GB', ...options });
    const page = await context.newPage();
    if (account) {
      await logIn(page, account);
      await hydrated(page);
    }
    for (const place of every.filter((place) => place.account === account)) {
      await test.step(place.name, async () => {
        await open(page, place.path);
        await look(page, place);
      });
    }
    await context.close();
  }
}

test('no page of the application is left out', async () => {
  const table = readFileSync(new URL('../../app/src/routes.rs', import.meta.url), 'utf8');
  const routes = [...table.matchAll(/^ +"(\/[^"]*)" => /gm)].map(([, route]) => route);
  expect(routes.length).toBeGreaterThan(60);
  const fits = (route: string, path: string) => {
    const [pattern, address] = [route.split('/'), path.split(/[?#]/)[0].split('/')];
    return pattern.length === address.length && pattern.every((part, n) => part.startsWith(':') || part === address[n]);
  };
  // Of several routes that fit, the router uses the one with the fewest variable parts.
  const variables = (route: string) => route.split(':').length;
  const routeOf = (path: string) =>
    routes.filter((route) => fits(route, path)).sort((a, b) => variables(a) - variables(b))[0];
  const visited = new Set(every.map((place) => routeOf(place.path)));
  expect(routes.filter((route) => !visited.has(route)).sort()).toEqual(Object.keys(elsewhere).sort());
});

test('axe finds nothing on any page', async ({ browser }) => {
  const found: string[] = [];
  const look = async (axe: AxeBuilder, place: Place, colorScheme: string) => {
    // In the page itself, which has no frames: through a second page it takes twice as long.
    const { violations } = await axe.setLegacyMode().analyze();
    for (const violation of violations) {
      const where = violation.nodes.map((node) => node.target.join(' ')).join(', ');
      found.push(`${place.name}, ${colorScheme}: ${violation.id}: ${violation.help} (${where})`);
    }
  };
  // Without transitions, in whose midst a color is neither one nor the other.
  await visit(browser, { colorScheme: 'light', reducedMotion: 'reduce' }, async (page, place) => {
    // To describe what passes as well would take half as long again.
    const axe = () => new AxeBuilder({ page }).options({ resultTypes: ['violations'] });
    await look(axe(), place, 'light');
    // The same page in other colors: only the rules about colors can find more.
    await page.emulateMedia({ colorScheme: 'dark' });
    await look(axe().withRules(['color-contrast', 'link-in-text-block']), place, 'dark');
    await page.emulateMedia({ colorScheme: 'light' });
  });
  expect(found).toEqual([]);
});

test('no page is wider than a phone', async ({ browser }) => {
  const wide: string[] = [];
  await visit(browser, { viewport: { width: 360, height: 740 }, hasTouch: true }, async (page, place) => {
    const [content, screen] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    if (content > screen) {
      wide.push(`${place.name}: ${content} px on a screen of ${screen} px`);
    }
  });
  expect(wide).toEqual([]);
});

test('every page is translated to Chinese, with available glyphs', async ({ browser }) => {
  const accounts = [...new Set(every.map((place) => place.account))];
  const odd: string[] = [];
  for (const account of accounts) {
    const context = await browser.newContext({ baseURL: server.url, locale: 'zh-CN' });
    const page = await context.newPage();
    if (account) {
      // The form is in Chinese here, so its fields are found by name.
      await page.goto('/log-in');
      await page.locator('input[name=name]').fill(account.name);
      await page.locator('input[name=password]').fill(account.password);
      await page.locator('main button[type=submit]').click();
      await expect(page.locator('form[action="/log-out"]')).toBeVisible();
      // The account's language overrides the browser's, so it is set explicitly.
      await page.getByRole('button', { name: '中文' }).first().click();
    }
    for (const place of every.filter((place) => place.account === account)) {
      await open(page, place.path);
      const lang = await page.locator('html').getAttribute('lang');
      const heading = (await page.getByRole('heading', { level: 1 }).first().textContent()) ?? '';
      // The study's title and people's texts are not translated; the rest is.
      const navigation = await page.locator('header nav').getAttribute('aria-label');
      if (!lang?.startsWith('zh') || heading === '' || !/\p{Script=Han}/u.test(navigation ?? '')) {
        odd.push(`${place.name}: lang ${lang}, heading ${heading}, ${navigation}`);
      }
    }
    // A font without these letters draws the same box for all of them.
    const distinct = await page.evaluate(() => {
      const canvas = document.createElement('canvas');
      const context = canvas.getContext('2d');
      const drawn = ['评', '分', '码'].map((letter) => {
        canvas.width = 48;
        canvas.height = 48;
        if (context) {
          context.font = `32px ${getComputedStyle(document.body).fontFamily}`;
          context.fillText(letter, 4, 36);
        }
        return canvas.toDataURL();
      });
      return new Set(drawn).size;
    });
    expect(distinct).toBe(3);
    await context.close();
  }
  expect(odd).toEqual([]);
});
