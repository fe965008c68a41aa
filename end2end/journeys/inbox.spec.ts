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

// The first leaves work for the second, which rates everything.
test('several items are dismissed with one confirmation, and the card of a study leads here', async ({ page }) => {
  await logIn(page, demo.admin);
  await rateAll(demo.bo, [2, 2, 2], true, 4);
  await open(page, '/admin');
  await page.getByRole('link', { name: /open flags?$/ }).first().click();
  await expect(page).toHaveURL(/\/admin\/inbox\?kind=flag&study=1$/);
  // The address changes before the items are there.
  await expect(page.locator('.inbox-item')).toHaveCount(4);
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.locator('#inbox-confirm').click();
  await expect(page.getByText('4 items are done.')).toBeVisible();
});

test('an inbox is emptied by keyboard: flags, then disagreements', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/1/quality');
  await page.locator('[name="asked[spread]"]').fill('2');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Settings saved.')).toBeVisible();
  await open(page, '/admin/inbox');
  await expect(page.getByText('Nothing needs your attention')).toBeVisible();
  await expect.poll(() => badge(page)).toBe(0);

  await rateAll(demo.ada, [1, 1, 1], true, 3);
  await open(page, '/admin/inbox?kind=flag');
  await expect.poll(() => badge(page)).toBe(3);
  await page.keyboard.press('?');
  await expect(page.getByText('Select or deselect the item')).toBeVisible();
  // One, then the two that are left together.
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  await expect(page.getByText('The flag will be resolved without a reply.')).toBeVisible();
  await expect(page.locator('#inbox-confirm')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 item is done.')).toBeVisible();
  await expect(page.locator('.inbox-item')).toHaveCount(2);
  await expect.poll(() => badge(page)).toBe(2);
  await expect(page.locator('.inbox-item :focus')).toBeAttached();
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('e');
  await expect(page.getByText('2 flags will be resolved without a reply.')).toBeVisible();
  await expect(page.locator('#inbox-confirm')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Nothing needs your attention')).toBeVisible();
  await expect.poll(() => badge(page)).toBe(0);

  // Two disagreements, adjudicated without the mouse and without a name in sight.
  await rateAll(demo.ada, [1, 1, 1], false, 300);
  await rateAll(demo.bo, [4, 3, 5], false, 300);
  await rateAll(demo.chen, [4, 3, 5], false, 300);
  await open(page, '/admin/inbox?kind=disagreement');
  const before = await badge(page);
  expect(before).toBeGreaterThan(1);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  for (let n = 0; n < 2; n += 1) {
    await expect(page).toHaveURL(/\/adjudicate\/[0-9a-f]{32}\?.*from=inbox/);
    await hydrated(page);
    const address = page.url();
    const text = await page.getByRole('main').innerText();
    for (const name of ['ada', 'bo', 'chen', 'Northwind', 'Quillmoor', 'Saltmarsh']) {
      expect(text).not.toMatch(new RegExp(`\\b${name}\\b`));
    }
    for (const [place, digit] of ['2', '2', '3'].entries()) {
      await page.keyboard.press(digit);
      await expect(page.locator(`[name="scores[${place}]"][value="${digit}"]`)).toBeChecked();
    }
    await page.keyboard.press('Enter');
    await expect(page).not.toHaveURL(address);
  }
  await open(page, '/admin/inbox');
  await expect.poll(() => badge(page)).toBe(before - 2);
});
