import { spawn } from 'node:child_process';

import type { APIRequestContext, Page } from '@playwright/test';

import { type Account, atScales, hydrated, logIn, open, visitor } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

const firstAddress = async (page: Page): Promise<string> =>
  (await page.getByRole('link', { name: 'Start rating' }).first().getAttribute('href')) ?? '';

test('a kill between acknowledgement and next request loses nothing', async ({ page, watch }) => {
  // Requests to a killed server are expected here.
  watch.expect(/ERR_CONNECTION_REFUSED|Failed to fetch|ERR_FAILED|Failed to load resource/);
  await logIn(page, demo.chen);
  await page.getByRole('link', { name: 'Start rating' }).click();
  await hydrated(page);
  await atScales(page);
  const token = await page.locator('form.rating').getAttribute('data-token');
  for (const key of ['4', '1', '5', 'c']) {
    await page.keyboard.press(key);
  }
  await page.keyboard.type('written before the lights went out');
  await page.keyboard.press('Escape');

  // The server is killed when the page asks for the output after the acknowledged rating.
  let killed = false;
  const acknowledged = page.waitForResponse('**/rpc/submit_rating*');
  await page.route('**/rpc/next_item*', async (route) => {
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
  await page.goto('/my-studies');
  await hydrated(page);
  await page.getByRole('link', { name: 'My ratings' }).click();
  await expect(page.locator('tbody tr')).toHaveCount(1);
  await page.locator('tbody tr a').first().click();
  await expect(page.locator('form.rating')).toHaveAttribute('data-token', token ?? '');
  await expect(page.locator('#score-0-4')).toBeChecked();
  await expect(page.locator('#score-1-1')).toBeChecked();
  await expect(page.locator('#score-2-5')).toBeChecked();
  await expect(page.getByLabel('Comment')).toHaveValue('written before the lights went out');
});

test('scores given while the server is down arrive after its restart', async ({ page, watch }) => {
  watch.expect(/ERR_CONNECTION_REFUSED|Failed to fetch|ERR_FAILED|Failed to load resource/);
  await logIn(page, demo.ada);
  // Nothing is prefetched: the page has to wait for the server.
  await page.route('**/rpc/next_item*', (route) => route.abort());
  await open(page, await firstAddress(page));
  await atScales(page);
  await server.kill();
  for (const key of ['3', '2', '4', 'Enter']) {
    await page.keyboard.press(key);
  }
  await expect(page.getByText('Not submitted yet: the server cannot be reached.').first()).toBeVisible();
  await server.restart();
  await page.unroute('**/rpc/next_item*');
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await expect(page.getByText(/^1 rated, /).first()).toBeVisible();
});

/** Runs a command of the program over the same data, as an operator does. */
async function command(args: string[], input = ''): Promise<string> {
  const started = spawn(process.env.AIXGRADE_BINARY ?? '', ['--data', server.data, '--json', ...args]);
  let [printed, complaint] = ['', ''];
  started.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
  started.stderr.setEncoding('utf8').on('data', (text) => (complaint += text));
  started.stdin.end(input);
  const code = await new Promise((resolve, reject) => started.once('error', reject).once('close', resolve));
  expect(code, complaint).toBe(0);
  return printed;
}

/** Checks that acknowledged ratings are stored: the scores under each output's name. */
type Told = Map<string, string>;

/**
 * Rates without a pause until nothing is left, as the page does: unacknowledged ratings are sent again with
 * the same key, however often the server is killed.
 */
async function rateThrough(who: APIRequestContext, study: string, told: Told, back: () => Promise<void>, acknowledged: () => void): Promise<void> {
  const ask = async (name: string, data: object) => {
    for (;;) {
      try {
        const answer = await who.post(`/rpc/${name}`, { data, headers: { accept: 'application/json', 'sec-fetch-site': 'same-origin' } });
        return { status: answer.status(), body: await answer.json() };
      } catch {
        // Cut off or refused: the server is down. Nobody knows whether it had stored the rating.
        await back();
      }
    }
  };
  for (let n = 0; ; n += 1) {
    const next = await ask('next_item', { study });
    expect(next.status, JSON.stringify(next.body)).toBe(200);
    if (!next.body.Item) {
      expect(next.body.Finished).toBeDefined();
      return;
    }
    const { token } = next.body.Item;
    const scores = [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1];
    const given = await ask('submit_rating', { assignment: token, draft: { scores, comment: '', flag: null }, key: `${token}-${n}` });
    // A rater who had finished may have taken the output over while the server was down.
    expect([200, 409], JSON.stringify(given.body)).toContain(given.status);
    if (given.status === 200) {
      expect(told.has(token)).toBe(false);
      told.set(token, scores.join());
      acknowledged();
    }
  }
}

test('repeated kills while eight people rate lose no acknowledged rating', async () => {
  const people: Account[] = [];
  for (let n = 0; n < 8; n += 1) {
    const account = { name: `worker${n}`, password: `a-long-password-${n}` };
    await command(['user', 'add', account.name, '--lasting'], account.password);
    people.push(account);
  }
  const study = Number(
    await command([
      ...['studies', 'create', '--title', 'Through kills', '--dataset', 'starter', '--raters-per-output', '5', '--seed', '9'],
      ...['1', '2', '3'].flatMap((id) => ['--submission', id]),
      ...people.flatMap(({ name }) => ['--rater', name]),
    ]),
  );
  const row = async () => JSON.parse(await command(['studies', 'show', `${study}`])).row;
  const { token, wanted } = await row();

  // The server is killed after a random number of further acknowledged ratings.
  const moments = Array.from({ length: 6 }, () => 1 + Math.floor(Math.random() * (wanted - 2))).sort((a, b) => a - b);
  test.info().annotations.push({ type: 'killed after', description: moments.join(', ') });
  let [count, kills] = [0, 0];
  let coming: Promise<void> | undefined;
  const dies = async () => {
    await server.kill();
    await server.restart();
    kills += 1;
    coming = undefined;
  };
  const acknowledged = () => {
    count += 1;
    if (count >= (moments[0] ?? Infinity) && !coming) {
      moments.shift();
      coming = dies();
    }
  };
  const back = async () => {
    await coming;
  };
  const told = people.map((): Told => new Map());
  const visitors: APIRequestContext[] = [];
  for (const account of people) {
    visitors.push(await visitor(server.url, account));
  }
  await Promise.all(visitors.map((who, n) => rateThrough(who, token, told[n], back, acknowledged)));
  await coming;
  expect(kills).toBeGreaterThan(1);

  // Every acknowledged rating is stored with its scores.
  for (const [n, who] of visitors.entries()) {
    for (const [output, scores] of told[n]) {
      const answer = await who.post('/rpc/item', { data: { assignment: output }, headers: { accept: 'application/json', 'sec-fetch-site': 'same-origin' } });
      const item: { rated: boolean; draft: { scores: number[] } } = await answer.json();
      expect([item.rated, item.draft.scores.join()], `${people[n].name}: ${output}`).toEqual([true, scores]);
    }
  }
  // And every output has its five different raters.
  expect((await row()).done).toBe(wanted);
  const admin = await visitor(server.url, demo.admin);
  const lines = (await (await admin.get(`/admin/studies/${study}/ratings.csv`)).text()).trim().split('\n').slice(1);
  const raters = new Map<string, Set<string>>();
  for (const line of lines) {
    const [task, model, sample, rater] = line.split(',');
    const output = [task, model, sample].join();
    raters.set(output, (raters.get(output) ?? new Set()).add(rater));
  }
  expect(lines.length).toBe(wanted);
  expect([...raters.values()].map((of) => of.size)).toEqual(Array.from({ length: wanted / 5 }, () => 5));
});
