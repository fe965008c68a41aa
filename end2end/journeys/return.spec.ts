import { existsSync, readdirSync } from 'node:fs';

import { type Page } from '@playwright/test';

import { atScales, hydrated, logIn, open, visitor } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

const token = async (page: Page) => (await page.locator('form.rating').getAttribute('data-token')) ?? '';

/** Opens the first study from the list. */
async function begin(page: Page): Promise<void> {
  await page.getByRole('link', { name: /^(Start|Continue) rating$/ }).first().click();
  await hydrated(page);
  await expect(page.locator('fieldset.scale input:focus')).toBeAttached();
}

/** Scores the output on screen and submits it; ends when the next one is shown. */
async function grade(page: Page): Promise<void> {
  const before = await token(page);
  for (const place of [0, 1, 2]) {
    await page.locator(`#score-${place}-2`).check();
  }
  await page.locator('form.rating').getByRole('button', { name: 'Submit' }).click();
  await expect(page.locator(`form.rating:not([data-token="${before}"])`)).toBeVisible();
}

/** Calls the API as the admin. */
async function post(action: string, form: Record<string, string | number>): Promise<void> {
  const admin = await visitor(server.url, demo.admin);
  const headers = { accept: 'application/json', 'sec-fetch-site': 'same-origin' };
  const answer = await admin.post(`/rpc/${action}`, { headers, form });
  expect(answer.status(), await answer.text()).toBe(200);
  await admin.dispose();
}

test('skipped and bookmarked outputs are found again', async ({ page }) => {
  const { keyboard } = page;
  await logIn(page, demo.ada);
  await begin(page);
  // By key and by button; the pressed state says so.
  const button = page.getByRole('button', { name: /^Bookmark/ });
  const first = await token(page);
  await keyboard.press('m');
  await expect(button).toHaveAttribute('aria-pressed', 'true');
  await expect(page.locator('.toast')).toContainText('Bookmarked.');
  await grade(page);
  await expect(page.locator('.toast')).toContainText(/Rating submitted\.|Sending your rating\./);
  await expect(button).toHaveAttribute('aria-pressed', 'false');
  const second = await token(page);
  await atScales(page);
  // The next output is there before the server has the skip.
  const skipped = page.waitForResponse('**/rpc/skip');
  await keyboard.press('s');
  await expect(page.locator(`form.rating:not([data-token="${second}"])`)).toBeVisible();
  await skipped;

  await page.getByRole('link', { name: '1 skipped' }).click();
  await expect(page.getByRole('heading', { name: 'Skipped outputs' })).toBeVisible();
  const lists = page.locator('.mine-items');
  await expect(lists).toHaveCount(2);
  await expect(lists.nth(1).locator('li')).toContainText('rated');
  await lists.nth(0).getByRole('link').click();
  await expect(page.locator('form.rating')).toHaveAttribute('data-token', second);

  // A rated output is no longer skipped; a removed bookmark is no longer listed.
  await grade(page);
  await open(page, page.url().replace(/\/grade\/([^/]+).*/, '/grade/$1'));
  await page.getByRole('link', { name: 'My ratings' }).click();
  await expect(page.getByRole('heading', { name: 'Skipped outputs' })).toHaveCount(0);
  await page.locator('.mine-items a').click();
  await expect(page.locator('form.rating')).toHaveAttribute('data-token', first);
  await expect(button).toHaveAttribute('aria-pressed', 'true');
  const removed = page.waitForResponse('**/rpc/bookmark');
  await button.click();
  await removed;
  await page.getByRole('link', { name: 'My ratings' }).click();
  await expect(page.locator('tbody tr').first()).toBeVisible();
  await expect(page.locator('.mine-items')).toHaveCount(0);
});

test('an output is bookmarked without scripts, and nothing entered is lost', { tag: '@scriptless' }, async ({ page }) => {
  await logIn(page, demo.chen);
  await page.getByRole('link', { name: 'Start rating' }).first().click();
  await page.locator('#score-0-3').check();
  await page.getByLabel('Comment').fill('to be continued');
  await page.getByRole('button', { name: 'Bookmark', exact: true }).click();
  await expect(page.getByText('Bookmarked.')).toBeVisible();
  await expect(page.locator('#score-0-3')).toBeChecked();
  await expect(page.getByLabel('Comment')).toHaveValue('to be continued');
  await expect(page.getByRole('button', { name: 'Remove bookmark' })).toBeVisible();
  await page.getByRole('link', { name: 'My ratings' }).click();
  await expect(page.getByRole('heading', { name: 'Bookmarks' })).toBeVisible();
});

/** The library that gives a program another clock, if this machine has it (Debian: `libfaketime`). */
const clock = ['', ...readdirSync('/usr/lib')].map((name) => `/usr/lib/${name}/faketime/libfaketime.so.1`).find((path) => existsSync(path)) ?? '';

test('a rater who comes back after two weeks finds the draft, whatever has changed meanwhile', async ({ page, watch }) => {
  test.skip(!clock, 'libfaketime is not installed');
  watch.expect(/status of 401|ERR_CONNECTION_REFUSED|Failed to fetch/);
  await logIn(page, demo.bo);
  await begin(page);
  const here = await token(page);
  await page.locator('#score-0-3').check();
  await page.getByLabel('Comment').fill('before the holiday');
  await expect(page.getByText('Draft saved')).toBeVisible();

  // The session ends after two weeks, the lease after half an hour.
  await page.goto('about:blank');
  await server.kill();
  await server.restart({ LD_PRELOAD: clock, FAKETIME: '+15d', FAKETIME_DONT_FAKE_MONOTONIC: '1' });
  await post('set_study_status', { id: 1, status: 'paused' });
  await post('save_guidelines', { object: 'study 1', en: '# How to rate\n\nNew rules.', zh: '', expected: 0 });
  await post('set_study_status', { id: 1, status: 'running' });

  await page.goto('/my-studies');
  await expect(page).toHaveURL(/\/log-in\?next=/);
  await page.getByLabel('Name').fill(demo.bo.name);
  await page.getByLabel('Password').fill(demo.bo.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('link', { name: /Guidelines/ }).first()).toContainText('new');
  await begin(page);
  expect(await token(page)).toBe(here);
  await expect(page.locator('#score-0-3')).toBeChecked();
  await expect(page.getByLabel('Comment')).toHaveValue('before the holiday');
  await page.locator('#score-1-2').check();
  await page.locator('#score-2-2').check();
  await page.locator('form.rating').getByRole('button', { name: 'Submit' }).click();
  await expect(page.locator(`form.rating:not([data-token="${here}"])`)).toBeVisible();
  await expect(page.getByText(/^1 rated, /).first()).toBeVisible();
});

test('a rating from another device is replaced only after its rater was told', async ({ page, watch }) => {
  watch.expect(/status of 409/);
  await logIn(page, demo.bo);
  await begin(page);
  const output = await token(page);
  const device = await visitor(server.url, demo.bo);
  const headers = { accept: 'application/json', 'sec-fetch-site': 'same-origin' };
  const draft = { scores: [1, 1, 1], comment: '', flag: null };
  const data = { assignment: output, draft, key: 'another-device', first: true };
  expect((await device.post('/rpc/submit_rating', { headers, data })).status()).toBe(200);
  await device.dispose();

  for (const place of [0, 1, 2]) {
    await page.locator(`#score-${place}-2`).check();
  }
  await page.locator('form.rating').getByRole('button', { name: 'Submit' }).click();
  // On the page, or over the next one if that was prefetched.
  await expect(page.getByText('You have already rated this output').first()).toBeVisible();
  await open(page, `${new URL(page.url()).pathname}/${output}`);
  // The page has the scores that were not accepted, and may replace the others now.
  await expect(page.locator('#score-0-2')).toBeChecked();
  await expect(page.locator('form.rating').getByRole('button', { name: 'Submit changes' })).toBeVisible();
});
