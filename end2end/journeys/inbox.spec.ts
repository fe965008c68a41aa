import { type Page } from '@playwright/test';

import { hydrated, logIn, open, visitor } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

/** Rates up to `most` outputs with the same scores; every rating has a flag if `flagged`. */
async function rateAll(
  account: { name: string; password: string },
  scores: [number, number, number],
  flagged: boolean,
  most: number,
): Promise<void> {
  const who = await visitor(server.url, account);
  const headers = { accept: 'application/json', 'sec-fetch-site': 'same-origin' };
  const call = (name: string, data: object) => who.post(`/rpc/${name}`, { data, headers });
  const study = await (await call('my_studies', {})).json();
  for (let n = 0; n < most; n += 1) {
    const next = await (await call('next_item', { study: study[0].token, holding: [] })).json();
    const token = next?.Item?.token;
    if (!token) {
      break;
    }
    const flag = flagged ? 'cannot_judge' : null;
    const draft = { scores, comment: '', flag };
    const sent = await call('submit_rating', { assignment: token, draft, key: `k${n}` });
    expect(sent.ok()).toBe(true);
  }
  await who.dispose();
}

/** The number on the inbox's link in the navigation; 0 without one. */
async function badge(page: Page): Promise<number> {
  const text = await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: /^Inbox/ }).innerText();
  return Number(/\d+/.exec(text)?.[0] ?? 0);
}

const rows = (page: Page) => page.locator('.inbox-row:visible');

// The first leaves work for the second, which rates everything.
test('several items are resolved at once, brought back, and the overview leads here', async ({ page }) => {
  await logIn(page, demo.admin);
  await rateAll(demo.bo, [2, 2, 2], true, 4);
  await open(page, '/admin');
  await page.getByRole('main').getByRole('link', { name: 'Flag: 4' }).first().click();
  await expect(page).toHaveURL(/\/admin\/inbox\?kind=flag$/);
  // The address changes before the items are there.
  await expect(rows(page)).toHaveCount(4);
  // The first item is beside the list, with its code and the rater's scores.
  const pane = page.getByRole('region', { name: 'Current item' });
  await expect(pane.locator('.code')).not.toHaveCount(0);
  await expect(pane.getByText('Correctness 2')).toBeVisible();
  await expect(page.getByRole('group', { name: 'Act on the selected items' })).toBeHidden();
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('group', { name: 'Act on the selected items' }).getByRole('button', { name: 'Resolve' }).click();
  await expect(page.getByText('4 flags will be resolved without a reply.')).toBeVisible();
  await expect(rows(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rows(page)).toHaveCount(4);
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('group', { name: 'Act on the selected items' }).getByRole('button', { name: 'Resolve' }).click();
  await expect(rows(page)).toHaveCount(0);
});

test('a hundred items are cleared with a key for each', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/1/quality');
  await page.locator('[name="settings[spread]"]').fill('2');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Settings saved.')).toBeVisible();
  let [keys, cleared] = [0, 0];
  const press = async (key: string) => {
    await page.keyboard.press(key);
    keys += 1;
  };
  const clear = async (items: number) => {
    await open(page, '/admin/inbox?kind=flag');
    await expect.poll(async () => Number(await page.locator('.inbox-kinds [aria-current] .count').innerText())).toBe(items);
    await press('j');
    while (items > 0) {
      const onPage = await rows(page).count();
      for (let n = 0; n < onPage; n += 1) {
        await press('e');
      }
      items -= onPage;
      cleared += onPage;
      await expect(items > 0 ? rows(page) : page.getByText(/No items of this kind|Nothing needs/)).not.toHaveCount(0);
    }
  };
  const people = [[demo.ada, [1, 1, 1]], [demo.bo, [4, 3, 5]], [demo.chen, [4, 3, 5]]] as const;
  for (const [who, scores] of people) {
    await rateAll(who, [...scores], true, 300);
  }
  const answer = await page.request.post('/rpc/inbox', {
    data: { filter: { kind: 'flag' } },
    headers: { accept: 'application/json', 'sec-fetch-site': 'same-origin' },
  });
  const kinds: [string, number][] = (await answer.json()).kinds;
  await clear(kinds.find(([kind]) => kind === 'flag')?.[1] ?? 0);
  expect(cleared).toBeGreaterThan(100);
  expect(keys).toBeLessThan(cleared + 10);
  // What the keys asked for is carried out.
  await expect.poll(async () => {
    await open(page, '/admin/studies/1/flags');
    return page.getByRole('button', { name: 'Reply' }).count();
  }).toBe(0);
});

test('an act is undone by key, and disagreements are adjudicated blind, without the mouse', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/inbox?kind=disagreement');
  const [all, before] = [await badge(page), Number(await page.locator('.inbox-kinds [aria-current] .count').innerText())];
  expect(before).toBeGreaterThan(3);
  await page.keyboard.press('?');
  await expect(page.getByText('Select or deselect the item')).toBeVisible();
  // Nobody is left who could rate it once more: the item stays.
  await page.keyboard.press('j');
  // Enter is remembered until the next item is there.
  let bring = () => {};
  const asked = new Promise<void>((resolve) => (bring = resolve));
  await page.route(/inbox_item/, async (route) => {
    await asked;
    await route.continue();
  });
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  bring();
  const names = ['ada', 'bo', 'chen', 'Northwind', 'Quillmoor', 'Saltmarsh'];
  for (let n = 0; n < 3; n += 1) {
    await expect(page).toHaveURL(/\/adjudicate\/[0-9a-f]{32}\?.*from=inbox/);
    await hydrated(page);
    await expect(page.getByText(new RegExp(`^\\d+ of ${before - n}$`))).toBeVisible();
    const address = page.url();
    const text = await page.getByRole('main').innerText();
    for (const name of names) {
      expect(text).not.toMatch(new RegExp(`\\b${name}\\b`));
    }
    if (n === 0) {
      // By digits.
      for (const [place, digit] of ['2', '2', '3'].entries()) {
        await page.keyboard.press(digit);
        await expect(page.locator(`[name="scores[${place}]"][value="${digit}"]`)).toBeChecked();
      }
    } else {
      // A rater's scores, by letter; every rater's choice is marked on the levels.
      await expect(page.locator('.rater-mark', { hasText: 'A' })).toHaveCount(3);
      await page.keyboard.press('Shift+A');
      await expect(page.locator('.decision-scales :checked')).toHaveCount(3);
    }
    await page.keyboard.press('Enter');
    await expect(page).not.toHaveURL(address);
  }
  // On and back, and what is skipped stays.
  await hydrated(page);
  const here = page.url();
  const place = page.getByText(new RegExp(`^\\d+ of ${before - 3}$`));
  const first = await place.innerText();
  await page.keyboard.press('s');
  await expect(page).not.toHaveURL(here);
  // Only the next one's page takes its keys.
  await expect(place).not.toHaveText(first);
  await hydrated(page);
  await page.keyboard.press('b');
  await expect(page).toHaveURL(new RegExp(here.replace(/\?.*/, '').split('/').pop() ?? ''));
  await open(page, '/admin/inbox');
  await expect.poll(() => badge(page)).toBe(all - 3);
});
