import type { Page } from '@playwright/test';

import { atScales, hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

const firstAddress = async (page: Page): Promise<string> =>
  (await page.getByRole('link', { name: 'Start grading' }).first().getAttribute('href')) ?? '';

test('a kill between acknowledgement and next request loses nothing', async ({ page, watch }) => {
  // The page asks a server that is gone; that is what this is about.
  watch.expect(/ERR_CONNECTION_REFUSED|Failed to fetch|ERR_FAILED|Failed to load resource/);
  await logIn(page, demo.chen);
  await page.getByRole('link', { name: 'Start grading' }).click();
  await hydrated(page);
  await atScales(page);
  const token = await page.locator('form.rating').getAttribute('data-token');
  for (const key of ['4', '1', '5', 'c']) {
    await page.keyboard.press(key);
  }
  await page.keyboard.type('written before the lights went out');
  await page.keyboard.press('Escape');

  // The server dies the moment the page asks for what comes after the acknowledged rating.
  let killed = false;
  const acknowledged = page.waitForResponse('**/rpc/submit_rating*');
  await page.route('**/rpc/next*', async (route) => {
    await acknowledged;
    if (!killed) {
      killed = true;
      await server.kill();
    }
    await route.continue();
  });
  await page.keyboard.press('Enter');
  expect((await acknowledged).ok()).toBe(true);
  await expect(() => expect(killed).toBe(true)).toPass();

  await server.restart();
  // The session is still there: nobody logs in again.
  await page.goto('/desk');
  await hydrated(page);
  await page.getByRole('link', { name: 'Your ratings' }).click();
  await expect(page.locator('tbody tr')).toHaveCount(1);
  await page.locator('tbody tr a').first().click();
  await expect(page.locator('form.rating')).toHaveAttribute('data-token', token ?? '');
  await expect(page.locator('#score-0-4')).toBeChecked();
  await expect(page.locator('#score-1-1')).toBeChecked();
  await expect(page.locator('#score-2-5')).toBeChecked();
  await expect(page.getByLabel('Comment')).toHaveValue('written before the lights went out');
});

test('scores given while the server is away arrive when it is back', async ({ page, watch }) => {
  watch.expect(/ERR_CONNECTION_REFUSED|Failed to fetch|ERR_FAILED|Failed to load resource/);
  await logIn(page, demo.ada);
  // Nothing lies ready: the page has to wait for the server.
  await page.route('**/rpc/next*', (route) => route.abort());
  await open(page, await firstAddress(page));
  await atScales(page);
  await server.kill();
  for (const key of ['3', '2', '4', 'Enter']) {
    await page.keyboard.press(key);
  }
  await expect(page.getByText('Not submitted yet: the server cannot be reached.').first()).toBeVisible();
  await server.restart();
  await page.unroute('**/rpc/next*');
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await expect(page.getByText(/^1 rated, /).first()).toBeVisible();
});
