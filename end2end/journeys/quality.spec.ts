import { type Page } from '@playwright/test';

import { atScales, firstStudy, hydrated, logIn, open, openLast, rate, visitor } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

/** Changes the demo study's settings on its page. */
async function settings(page: Page, change: Record<string, string>): Promise<void> {
  await open(page, '/admin/studies/1/quality');
  for (const [name, value] of Object.entries(change)) {
    const field = page.locator(`[name="settings[${name}]"]`);
    if ((await field.evaluate((element) => element.tagName)) === 'SELECT') {
      await field.selectOption(value);
    } else {
      await field.fill(value);
    }
  }
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Settings saved.')).toBeVisible();
}

/** Adds a known-score item with the page's form. */
async function addKnown(page: Page, code: string, scores: [string, string, string], pool: string): Promise<void> {
  await open(page, '/admin/studies/1/quality');
  await page.getByText('Add a known-score item').click();
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.locator('#known-pool').selectOption(pool);
  for (const [d, score] of scores.entries()) {
    await page.locator(`[name="item[scores][${d}]"]`).selectOption(score);
    await page.locator(`[name="item[reasons_en][${d}]"]`).fill(`Reason ${d + 1}.`);
  }
  await page.getByRole('button', { name: 'Add item' }).click();
  await expect(page.getByText('answered 0 times').last()).toBeVisible();
}

/** Scores the current output by keys. */
async function score(page: Page, digits: string): Promise<void> {
  await atScales(page);
  for (const [place, digit] of [...digits].entries()) {
    await page.keyboard.press(digit);
    await expect(page.locator(`#score-${place}-${digit}`)).toBeChecked();
  }
  await page.keyboard.press('Enter');
}

test('a calibration is failed, restarted and passed; training shows the known scores', async ({ page, browser }) => {
  await logIn(page, demo.admin);
  await addKnown(page, 'int answer() { return 42; }', ['4', '3', '5'], 'calibration');
  await settings(page, { calibration: 'must_pass', needed: '1', tolerance: '1' });

  const context = await browser.newContext({ baseURL: server.url });
  const rater = await context.newPage();
  await logIn(rater, demo.ada);
  await open(rater, await firstStudy(await visitor(server.url, demo.ada)));
  await expect(rater.getByText('Item 1 of 1')).toBeVisible();
  await score(rater, '111');
  await expect(rater.getByRole('heading', { name: 'Calibration not passed' })).toBeVisible();

  await open(page, '/admin/studies/1/quality');
  await page.getByRole('row', { name: /ada/ }).getByRole('button', { name: /Repeat calibration/ }).click();
  await expect(page.getByRole('row', { name: /ada/ }).getByText('in progress')).toBeVisible();
  await rater.reload();
  await hydrated(rater);
  await score(rater, '435');
  await expect(rater.getByRole('heading', { name: 'Calibration complete' })).toBeVisible();
  await rater.getByRole('button', { name: 'Start rating' }).click();
  await atScales(rater);
  await expect(rater.getByText('Item 1 of 1')).toHaveCount(0);

  await settings(page, { calibration: 'train', needed: '0' });
  const other = await (await browser.newContext({ baseURL: server.url })).newPage();
  await logIn(other, demo.bo);
  await open(other, await firstStudy(await visitor(server.url, demo.bo)));
  await score(other, '115');
  await expect(other.getByRole('heading', { name: 'Known scores' })).toBeVisible();
  await expect(other.getByText('3 levels off')).toBeVisible();
  await expect(other.getByText('Reason 1.')).toBeVisible();
  await other.getByRole('button', { name: 'Continue' }).click();
  await expect(other.getByRole('heading', { name: 'Calibration complete' })).toBeVisible();
  await settings(page, { calibration: 'none' });
});

test('three raters disagree, an adjudicator decides blind, a flag gets a reply', async ({ page }) => {
  await logIn(page, demo.admin);
  await settings(page, { spread: '2', calibration: 'none' });
  for (const [n, who] of [demo.ada, demo.bo, demo.chen].entries()) {
    await rate(server.url, who, 300, (m) => ((n + m) % 3 === 0 ? [1, 1, 1] : [4, 3, 5]));
  }
  await open(page, '/admin/studies/1');
  const waiting = page.getByRole('link', { name: /Disagreements to adjudicate/ });
  await expect(waiting).toHaveText(/^[1-9]\d* /);
  await waiting.click();
  await expect(page.getByText('to adjudicate', { exact: true }).first()).toBeVisible();
  await page.getByRole('link', { name: /^Adjudicate/ }).first().click();
  await expect(page).toHaveURL(/\/adjudicate\/[0-9a-f]{32}$/);
  await hydrated(page);
  // Neither a rater nor a model has a name here.
  const text = await page.getByRole('main').innerText();
  for (const name of ['ada', 'bo', 'chen', 'Northwind', 'Quillmoor', 'Saltmarsh']) {
    expect(text).not.toMatch(new RegExp(`\\b${name}\\b`));
  }
  await expect(page.getByRole('region', { name: 'Ratings to compare' })).toContainText('Rater A');
  for (const [place, value] of ['2', '2', '3'].entries()) {
    await page.locator(`[name="scores[${place}]"][value="${value}"]`).check();
  }
  await page.getByLabel('Reason').fill('Misses the empty list.');
  await page.getByRole('button', { name: 'Save final scores' }).click();
  await expect(page.getByText('Your adjudication is saved.')).toBeVisible();
  // Open ones come first, adjudicated ones last.
  await openLast(page, '/admin/studies/1/disagreements');
  await expect(page.getByText('adjudicated', { exact: true })).toHaveCount(1);

  // Every figure links to its ratings; the filter is in the address.
  await open(page, '/admin/studies/1/ratings?has_disagreement=1&score=1&dimension=0');
  await expect(page.getByText('disagreement').first()).toBeVisible();
  await expect(page.locator('#filter-score')).toHaveValue('1');
});

test('a rater sees the reply to a flag', async ({ page }) => {
  // After the journey above, nothing may be left to rate; then there is a rated output.
  await rate(server.url, demo.ada, 1, () => [2, 2, 2]).catch(() => 0);
  const ada = await visitor(server.url, demo.ada);
  const mine = await (await ada.get((await firstStudyOf(ada)).replace('/grade/', '/studies/').concat('/mine'))).text();
  const item = /href="(\/grade\/[^"/]+\/([0-9a-f]{32}))"/.exec(mine);
  expect(item).not.toBeNull();
  const [, , token] = item as RegExpExecArray;
  await ada.post(`/grade/${token}`, {
    form: {
      action: 'submit', key: 'flagged', 'score-0': '2', 'score-1': '2', 'score-2': '2', flag: 'other', flag_text: 'Is null allowed?',
    },
  });
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/1/flags');
  await page.locator('summary', { hasText: /^Reply$/ }).first().click();
  await page.getByLabel('Reply').first().fill('Null is never given.');
  await page.getByRole('button', { name: 'Reply', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: /Resolved/ })).toBeVisible();
  expect(await (await ada.get('/my-studies')).text()).toContain('Null is never given.');
});

test('a preset fills in the settings, and the page says what they add', async ({ page, browser }) => {
  await logIn(page, demo.admin);
  await settings(page, { spread: '' });
  const cost = page.getByRole('region', { name: 'Extra work' });
  const field = (name: string) => page.locator(`[name="settings[${name}]"]`);
  await expect(cost).toContainText('No extra work for raters');
  await page.getByRole('link', { name: /^Light/ }).click();
  await expect(field('min_seconds')).toHaveValue('3');
  await expect(cost).toContainText('Not saved yet.');
  await field('repeat_every').fill('3');
  await field('repeat_apart').fill('0');
  await expect(cost).toContainText(/≈ \d+% extra work per rater/);
  await field('repeat_every').fill('');
  await expect(cost).toContainText('No extra work for raters');
  await expect(page.getByText('These settings match no preset.')).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Settings saved.')).toBeVisible();
  await expect(field('min_seconds')).toHaveValue('3');
  await expect(field('repeat_every')).toHaveValue('');

  // The same without JavaScript.
  const context = await browser.newContext({ javaScriptEnabled: false, storageState: await page.context().storageState() });
  const plain = await context.newPage();
  await plain.goto(`${server.url}/admin/studies/1/quality`);
  await plain.getByRole('link', { name: /^Off/ }).click();
  await expect(plain.locator('[name="settings[min_seconds]"]')).toHaveValue('');
  await plain.getByRole('button', { name: 'Save' }).click();
  await expect(plain.getByText('Settings saved.')).toBeVisible();
  await expect(plain.getByRole('link', { name: /^Off/ })).toHaveAttribute('aria-current', 'true');
  await context.close();
});

/** The address of a study, even if nothing in it is left to rate. */
async function firstStudyOf(who: Awaited<ReturnType<typeof visitor>>): Promise<string> {
  const start = await (await who.get('/my-studies')).text();
  const found = /href="\/studies\/([^"/]+)\/mine"/.exec(start);
  expect(found).not.toBeNull();
  return `/grade/${(found as RegExpExecArray)[1]}`;
}
