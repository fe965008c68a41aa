import type { Page } from '@playwright/test';

import { atScales, hydrated, logIn, open } from '../support/steps.ts';
import { type Account } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');
const gone = /ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|Failed to fetch|Failed to load resource/;

async function begin(page: Page): Promise<string> {
  await page.getByRole('link', { name: /^(Start|Continue) rating$/ }).first().click();
  await hydrated(page);
  // On the first scale without a score: an earlier journey may have left a draft here.
  await expect(page.locator('fieldset.scale input:focus')).toBeAttached();
  return token(page);
}

async function token(page: Page): Promise<string> {
  return (await page.locator('form.rating').getAttribute('data-token')) ?? '';
}

/** Waits until the prefetched outputs have arrived. */
async function ready(page: Page, act: () => Promise<unknown>, answers = 2): Promise<void> {
  let left = answers;
  const all = new Promise<void>((resolve) => {
    page.on('response', (response) => {
      if (response.url().includes('/rpc/next_item') && --left <= 0) {
        resolve();
      }
    });
  });
  await act();
  await all;
}

/** Scores the output on screen and submits it; ends when the next one is shown, or the reason why not. */
async function grade(page: Page, scores: [number, number, number]): Promise<void> {
  const before = await token(page);
  await page.locator('fieldset.scale').first().locator('input').first().focus();
  for (const [place, score] of scores.entries()) {
    await page.keyboard.press(`${score}`);
    await expect(page.locator(`#score-${place}-${score}`)).toBeChecked();
  }
  await expect(async () => {
    await page.keyboard.press('Enter');
    await expect(page.locator(`form.rating:not([data-token="${before}"])`)).toBeVisible({ timeout: 500 });
  }).toPass();
}

const unsent = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('aixgrade:out:')).length);

/** Number of a person's ratings that count on the server. */
async function rated(page: Page): Promise<number> {
  await open(page, '/my-studies');
  const link = page.getByRole('link', { name: 'My ratings' });
  if ((await link.count()) === 0) {
    return 0;
  }
  await link.first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'My ratings' })).toBeVisible();
  await expect(page.locator('tbody tr').first()).toBeVisible();
  return page.locator('tbody tr').count();
}

async function fresh(page: Page, account: Account): Promise<void> {
  await logIn(page, account);
  await page.evaluate(() => localStorage.clear());
}

test('a connection lost during a submission delivers each rating once', async ({ page, watch }) => {
  watch.expect(gone);
  await fresh(page, demo.ada);
  await ready(page, () => begin(page));
  // The server stores the first rating, but its response never arrives.
  let lost = 0;
  await page.route('**/rpc/submit_rating*', async (route) => {
    lost += 1;
    if (lost === 1) {
      await route.fetch();
    }
    await route.abort();
  });
  await grade(page, [4, 3, 5]);
  await grade(page, [3, 2, 4]);
  await expect(page.getByText(/2 ratings are waiting to be sent, the oldest since \d\d:\d\d/).first()).toBeVisible();
  expect(await unsent(page)).toBe(2);

  // The page is reloaded, as after a crash: they are still there.
  await page.reload();
  await hydrated(page);
  expect(await unsent(page)).toBe(2);
  await page.unroute('**/rpc/submit_rating*');
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await expect.poll(() => unsent(page)).toBe(0);
  expect(await rated(page)).toBe(2);
});

test('a busy server is left alone as long as it asks, and gets each rating once', async ({ page, watch }) => {
  watch.expect(/status of 503/);
  await fresh(page, demo.chen);
  await ready(page, () => begin(page));
  const sent: number[] = [];
  await page.route('**/rpc/submit_rating*', async (route) => {
    sent.push(Date.now());
    if (sent.length > 2) {
      await route.continue();
      return;
    }
    await route.fulfill({ status: 503, headers: { 'retry-after': '2' }, json: { Busy: 2 } });
  });
  await grade(page, [4, 3, 5]);
  await expect(page.getByText('The server is busy.').first()).toBeVisible();
  // Neither another rating nor a return to the page is a reason to ask earlier.
  await grade(page, [3, 2, 4]);
  await expect(page.locator('.toast')).toContainText('Saved in this browser.');
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  expect(await unsent(page)).toBe(2);
  await expect.poll(() => unsent(page)).toBe(0);
  for (const at of [1, 2]) {
    expect(sent[at] - sent[at - 1]).toBeGreaterThanOrEqual(2000);
  }
  expect(await rated(page)).toBe(2);
});

test('a session that ends during a rating continues after the next login', async ({ page, watch }) => {
  watch.expect(/status of 401/);
  await fresh(page, demo.bo);
  await ready(page, () => begin(page));
  await page.context().clearCookies();
  await grade(page, [4, 3, 5]);
  await expect(page.getByText('Your session has expired.').first()).toBeVisible();
  const here = await token(page);
  await atScales(page);
  await page.keyboard.press('2');
  await page.keyboard.press('c');
  await page.keyboard.type('half done');
  await page.keyboard.press('Escape');
  const again = page.locator('form.rating').getByRole('link', { name: 'Log in again' });
  await expect(again).toBeVisible();
  expect(await unsent(page)).toBe(1);

  await again.click();
  await page.getByLabel('Name').fill(demo.bo.name);
  await page.getByLabel('Password').fill(demo.bo.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await hydrated(page);
  expect(await token(page)).toBe(here);
  await expect(page.locator('#score-0-2')).toBeChecked();
  await expect(page.getByLabel('Comment')).toHaveValue('half done');
  await expect.poll(() => unsent(page)).toBe(0);
  expect(await rated(page)).toBe(1);
});

test('another person who logs in neither sees nor sends unsent ratings', async ({ page, context, watch }) => {
  watch.expect(/status of 40[14]/);
  await fresh(page, demo.chen);
  const own = await rated(page);
  await open(page, '/my-studies');
  await ready(page, () => begin(page));
  await page.context().clearCookies();
  await grade(page, [4, 3, 5]);
  await expect(page.getByText('Your session has expired.').first()).toBeVisible();

  // Bo logs in in another tab of the same browser.
  const other = await context.newPage();
  await logIn(other, demo.bo);
  await open(other, '/my-studies');
  await expect(other.locator('.unsent')).toHaveCount(0);
  const before = await rated(other);

  // Chen's tab uses bo's session: it notices, and keeps everything.
  await page.bringToFront();
  await page.locator('.unsent').getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('bo is now logged in in this browser.').first()).toBeVisible();
  expect(await unsent(page)).toBe(1);
  expect(await rated(other)).toBe(before);

  // Chen comes back.
  await other.getByRole('button', { name: 'Log out' }).click();
  await logIn(other, demo.chen);
  await hydrated(other);
  await expect.poll(() => unsent(other)).toBe(0);
  expect(await rated(other)).toBe(own + 1);
});

test('two tabs on one output count once', async ({ page, context, watch }) => {
  watch.expect(gone);
  await fresh(page, demo.ada);
  const before = await rated(page);
  await open(page, '/my-studies');
  const first = await begin(page);
  const second = await context.newPage();
  await open(second, '/my-studies');
  expect(await begin(second)).toBe(first);
  await page.bringToFront();
  await grade(page, [2, 2, 2]);
  await expect.poll(() => unsent(page)).toBe(0);
  await second.bringToFront();
  await expect(second.getByText('You have already rated this output in another tab.')).toBeVisible();
  await grade(second, [1, 1, 1]);
  await expect.poll(() => unsent(second)).toBe(0);
  expect(await rated(second)).toBe(before + 1);
});

test('Enter pressed twice submits one output', async ({ page }) => {
  await fresh(page, demo.bo);
  const before = await rated(page);
  await open(page, '/my-studies');
  const first = await begin(page);
  for (const key of ['3', '3', '3']) {
    await page.keyboard.press(key);
  }
  await expect(page.locator('#score-2-3')).toBeChecked();
  await expect(page.getByText('Draft saved')).toBeVisible();
  await Promise.all([page.keyboard.press('Enter'), page.keyboard.press('Enter'), page.keyboard.press('Enter')]);
  await expect(page.locator(`form.rating:not([data-token="${first}"])`)).toBeVisible();
  await expect(page.locator('.problem')).toHaveCount(0);
  await expect.poll(() => unsent(page)).toBe(0);
  expect(await rated(page)).toBe(before + 1);
});

test('the back button loses nothing', async ({ page }) => {
  await fresh(page, demo.chen);
  await open(page, '/my-studies');
  const first = await begin(page);
  await page.keyboard.press('1');
  await page.keyboard.press('2');
  await page.keyboard.press('c');
  await page.keyboard.type('not yet');
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'My studies' })).toBeVisible();
  await page.goForward();
  await hydrated(page);
  await expect(page.locator('form.rating')).toHaveAttribute('data-token', first);
  await expect(page.locator('#score-1-2')).toBeChecked();
  // Lines of code are labels, too, and one may contain the word.
  await expect(page.getByRole('textbox', { name: 'Comment' })).toHaveValue('not yet');
});

test('going back shows a rating that has not arrived yet', async ({ page }) => {
  await fresh(page, demo.chen);
  await open(page, '/my-studies');
  await ready(page, () => begin(page));
  const first = await token(page);
  const counted = await page.getByText(/^\d+ rated, /).first().textContent();
  // The test delays every rating until it releases it.
  const letGo: (() => void)[] = [];
  await page.route('**/rpc/submit_rating', async (route) => {
    await new Promise<void>((resolve) => letGo.push(resolve));
    await route.continue();
  });
  await grade(page, [2, 3, 4]);
  await expect.poll(() => letGo.length).toBe(1);
  await page.keyboard.press('b');
  await expect(page.locator('form.rating')).toHaveAttribute('data-token', first);
  await expect(page.getByText('You have already rated this output.')).toBeVisible();
  for (const [place, score] of [2, 3, 4].entries()) {
    await expect(page.locator(`#score-${place}-${score}`)).toBeChecked();
  }
  const one = Number.parseInt(counted ?? '', 10) + 1;
  await expect(page.getByText(new RegExp(`^${one} rated, `)).first()).toBeVisible();

  // Changed before it has arrived: both go in their order, and the second counts.
  await page.keyboard.press('1');
  await expect(page.locator('#score-0-1')).toBeChecked();
  await page.keyboard.press('Enter');
  await expect.poll(() => unsent(page)).toBe(2);
  letGo[0]();
  await expect.poll(() => letGo.length).toBe(2);
  letGo[1]();
  await expect.poll(() => unsent(page)).toBe(0);
  await open(page, new URL(`/grade/${new URL(page.url()).pathname.split('/')[2]}/${first}`, page.url()).href);
  await expect(page.locator('#score-0-1')).toBeChecked();
  await expect(page.getByText(new RegExp(`^${one} rated, `)).first()).toBeVisible();
});

test('a rating that arrives later appears in My ratings without a reload', async ({ page }) => {
  await fresh(page, demo.chen);
  const before = await rated(page);
  await open(page, '/my-studies');
  await ready(page, () => begin(page));
  let letGo = () => {};
  await page.route('**/rpc/submit_rating', async (route) => {
    await new Promise<void>((resolve) => (letGo = resolve));
    await route.continue();
  });
  await grade(page, [3, 3, 3]);
  await page.getByRole('link', { name: 'My ratings' }).click();
  await expect(page.locator('tbody tr')).toHaveCount(before);
  letGo();
  await expect(page.locator('tbody tr')).toHaveCount(before + 1);
});

test('a draft sent before leaving its page arrives first', async ({ page }) => {
  await fresh(page, demo.chen);
  await open(page, '/my-studies');
  await begin(page);
  await grade(page, [2, 2, 2]);
  await expect.poll(() => unsent(page)).toBe(0);
  const here = await token(page);
  // Every draft is held back until it is released.
  const order: string[] = [];
  const letGo: (() => void)[] = [];
  await page.route('**/rpc/save_draft', async (route) => {
    order.push('draft leaves');
    await new Promise<void>((resolve) => letGo.push(resolve));
    const response = await route.fetch();
    order.push('draft arrives');
    await route.fulfill({ response });
  });
  await page.route('**/rpc/submit_rating', async (route) => {
    order.push('rating');
    await route.continue();
  });
  await page.keyboard.press('3');
  await expect.poll(() => order).toEqual(['draft leaves']);

  // To the previous one and back, by links: the page is the same, its form is new and has its own draft.
  await page.getByRole('link', { name: /^Previous/ }).click();
  await expect(page.locator(`form.rating:not([data-token="${here}"])`)).toBeVisible();
  await page.getByRole('link', { name: /^Next/ }).click();
  await expect(page.locator(`form.rating[data-token="${here}"]`)).toBeVisible();
  await expect(page.locator('#score-0-3')).toBeChecked();
  await grade(page, [3, 2, 1]);
  expect(order).toEqual(['draft leaves']);

  letGo[0]();
  await expect.poll(() => order.at(-1)).toBe('rating');
  expect(order).toEqual(['draft leaves', 'draft arrives', 'rating']);
  await expect.poll(() => unsent(page)).toBe(0);
});

test('logging out asks before it deletes unsent ratings', async ({ page, watch }) => {
  watch.expect(gone);
  await fresh(page, demo.chen);
  await ready(page, () => begin(page));
  await page.route('**/rpc/submit_rating*', (route) => route.abort());
  await grade(page, [1, 1, 1]);
  await expect(page.locator('.unsent').first()).toBeVisible();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByRole('dialog', { name: 'Log out now?' })).toBeVisible();
  await page.getByRole('button', { name: 'Stay logged in' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await unsent(page)).toBe(1);
  await page.unroute('**/rpc/submit_rating*');
  await page.locator('.unsent').getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => unsent(page)).toBe(0);
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Log in' })).toBeVisible();
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('aixgrade:')))).toEqual([]);
});

test('the server restarts during a rating', async ({ page, watch }) => {
  watch.expect(gone);
  await fresh(page, demo.ada);
  const before = await rated(page);
  await open(page, '/my-studies');
  await ready(page, () => begin(page));
  await page.keyboard.press('3');
  await expect(page.getByText('Draft saved')).toBeVisible();
  await server.kill();
  await page.keyboard.press('2');
  await page.keyboard.press('4');
  await expect(page.getByText('Draft not saved: the server cannot be reached.').first()).toBeVisible();
  const first = await token(page);
  await page.keyboard.press('Enter');
  await expect(page.locator(`form.rating:not([data-token="${first}"])`)).toBeVisible();
  await expect(page.getByText(/1 rating has been waiting to be sent/).first()).toBeVisible();
  await server.restart();
  await page.locator('.unsent').getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => unsent(page)).toBe(0);
  expect(await rated(page)).toBe(before + 1);
});
