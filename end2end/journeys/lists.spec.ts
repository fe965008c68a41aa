import type { Page } from '@playwright/test';

import { hydrated, logIn, open, visitor } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

/** More drafts than a page of the list has. */
const DRAFTS = 60;

const title = (n: number): string => `Draft ${String(n).padStart(2, '0')}`;

test.beforeAll(async () => {
  const admin = await visitor(server.url, demo.admin);
  for (let n = 1; n <= DRAFTS; n += 1) {
    const answer = await admin.post('/rpc/create_study', {
      form: { 'study[title]': title(n), 'study[dataset]': 'starter', 'study[submissions][0]': '1', 'study[raters][0]': '2' },
      maxRedirects: 0,
    });
    expect(answer.status()).toBeLessThan(400);
  }
});

const titles = async (page: Page): Promise<string[]> =>
  page.getByRole('main').getByRole('table').getByRole('rowheader').allTextContents();

test('studies are sorted in both directions, searched and filtered, and the address keeps the selection', async ({ page, context }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/studies');
  const main = page.getByRole('main');
  const heads = main.getByRole('columnheader');
  await expect(heads.filter({ hasText: 'Created' })).toHaveAttribute('aria-sort', 'descending');
  expect((await titles(page))[0]).toBe(title(DRAFTS));

  await heads.getByRole('link', { name: 'Title' }).click();
  await expect(page).toHaveURL(/\?sort=title$/);
  await expect(heads.filter({ hasText: 'Title' })).toHaveAttribute('aria-sort', 'ascending');
  // The demo's own study comes first.
  await expect.poll(async () => (await titles(page))[1]).toBe(title(1));
  const first = await titles(page);
  expect(first).toHaveLength(50);

  await main.getByRole('link', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/after=/);
  await expect.poll(async () => (await titles(page))[0]).toBe(title(50));
  const second = await titles(page);
  expect(second.filter((name) => first.includes(name))).toEqual([]);
  expect([...first, ...second].filter((name) => name.startsWith('Draft'))).toHaveLength(DRAFTS);

  // Reload, a copied link, and back.
  await page.reload();
  await hydrated(page);
  expect(await titles(page)).toEqual(second);
  const other = await context.newPage();
  await other.goto(page.url());
  expect(await titles(other)).toEqual(second);
  await other.close();
  await page.goBack();
  await expect.poll(async () => titles(page)).toEqual(first);

  // The other direction, from its first page on.
  await heads.getByRole('link', { name: 'Title' }).click();
  await expect(page).toHaveURL(/\?sort=-title$/);
  await expect(heads.filter({ hasText: 'Title' })).toHaveAttribute('aria-sort', 'descending');

  await main.getByRole('searchbox').fill('DRAFT 1');
  await main.getByLabel('Status').selectOption('draft');
  await main.getByRole('button', { name: 'Filter' }).click();
  await expect(page).toHaveURL(/q=DRAFT(\+|%20)1/);
  await expect(page).toHaveURL(/sort=-title/);
  // 1 is in 01, 10 to 19, 21, 31, 41 and 51.
  await expect(main.getByText('15 results')).toBeVisible();
  expect((await titles(page))[0]).toBe(title(51));

  await main.getByRole('searchbox').fill('nothing like it');
  await main.getByRole('button', { name: 'Filter' }).click();
  await expect(main.getByText('No matches')).toBeVisible();
  await main.getByRole('link', { name: 'Clear search and filters' }).click();
  await expect(page).toHaveURL(/\?sort=-title$/);
  await expect.poll(async () => (await titles(page)).length).toBe(50);
});

test('every list says how it is sorted, and sorts', async ({ page }) => {
  await logIn(page, demo.admin);
  for (const place of ['runs', 'submissions', 'datasets', 'models', 'people', 'submissions/1', 'studies']) {
    await open(page, `/admin/${place}`);
    const main = page.getByRole('main');
    const links = main.getByRole('columnheader').getByRole('link');
    const names = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    // The demo has no run.
    if (place !== 'runs') {
      expect(names.length, place).toBeGreaterThan(0);
    }
    for (const href of names) {
      await page.goto(`/admin/${place}${href}`);
      const sorted = main.locator('th[aria-sort]');
      await expect(sorted, `${place}${href}`).toHaveCount(1);
      // Without it, the list has its usual order.
      if (href.includes('sort=')) {
        await expect(sorted).toHaveAttribute('aria-sort', href.includes('sort=-') ? 'descending' : 'ascending');
      }
      await expect(main.getByRole('rowheader').first()).toBeVisible();
    }
  }
});

test('lists are searched and sorted with scripts switched off', { tag: '@scriptless' }, async ({ browser }) => {
  const context = await browser.newContext({ baseURL: server.url, locale: 'en-GB', javaScriptEnabled: false });
  const page = await context.newPage();
  await logIn(page, demo.admin);
  await page.goto('/admin/studies');
  const main = page.getByRole('main');
  await main.getByRole('link', { name: 'Title' }).click();
  await main.getByRole('searchbox').fill('draft 07');
  await main.getByRole('button', { name: 'Filter' }).click();
  await expect(main.getByRole('rowheader')).toHaveCount(1);
  await expect(main.getByRole('rowheader')).toHaveText(title(7));
  await expect(main.locator('th[aria-sort]')).toHaveAttribute('aria-sort', 'ascending');
  await page.goto('/admin/datasets/starter');
  await main.getByRole('searchbox').fill('no such words');
  await main.getByRole('button', { name: 'Filter' }).click();
  await expect(main.getByText('No matches')).toBeVisible();
  await main.getByRole('link', { name: 'Clear search and filters' }).click();
  await expect(main.locator('.task-list > li').first()).toBeVisible();
  await context.close();
});
