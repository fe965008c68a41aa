import type { Page } from '@playwright/test';

import { hydrated, logIn, open, openMenu, rate, type Account, visitor } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

/** Fills in the form of a new study: checkboxes and title. */
async function begin(page: Page, title: string, people: Account[]): Promise<void> {
  await open(page, '/admin/studies/new?dataset=starter');
  await page.getByLabel('Title').fill(title);
  for (const box of await page.getByRole('group', { name: 'Submissions to rate' }).getByRole('checkbox').all()) {
    await box.check();
  }
  for (const { name } of people) {
    await page.getByRole('checkbox', { name: new RegExp(`^${name}\\b`) }).check();
  }
}

/** Requests the preview and waits for it; returns the study's address. */
async function preview(page: Page, title: string): Promise<string> {
  await page.getByRole('button', { name: 'Preview plan' }).click();
  await expect(page.getByRole('heading', { level: 1, name: title, exact: true })).toBeVisible();
  return new URL(page.url()).pathname.replace(/\/plan$/, '');
}

/** The plan page's value in one column of a person's row. */
const planned = (page: Page, who: string, column: string) =>
  page.getByRole('row', { name: new RegExp(`^${who}\\b`) }).locator(`td[data-label="${column}"]`);

/** A fact of the page by its name. */
const fact = (page: Page, name: string) =>
  page.locator('dl.facts > div').filter({ has: page.getByText(name, { exact: true }) }).locator('dd');

test('a whole study of three raters, from its plan to the adjudicated end', async ({ page, browser }) => {
  const people = [demo.ada, demo.bo, demo.chen];
  await logIn(page, demo.admin);

  // The plan, reviewed before any rater sees it.
  await begin(page, 'Whole', people);
  await page.getByLabel('Raters per output').fill('2');
  await page.getByText('More settings', { exact: true }).click();
  await page.getByLabel('Limit the number of tasks').fill('2');
  await page.getByLabel('Seconds per rating').fill('60');
  const study = await preview(page, 'Whole');
  await expect(page.getByText('Draft', { exact: true })).toBeVisible();
  await expect(fact(page, 'Total ratings')).toHaveText('12');
  await expect(fact(page, 'Time remaining')).toHaveText('0.2 hours');
  for (const { name } of people) {
    await expect(planned(page, name, 'Remaining')).toHaveText('4');
  }
  const early = await visitor(server.url, demo.ada);
  expect(await (await early.get('/my-studies')).text()).not.toContain('Whole');
  await page.getByRole('button', { name: 'Start study' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();

  // A spread of two levels waits for an adjudicator. The study was due years ago, which its raters see.
  await open(page, `${study}/quality`);
  await page.locator('[name="settings[spread]"]').fill('1');
  await page.getByLabel('Due date').fill('2020-02-29');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Settings saved.')).toBeVisible();
  await expect(page.getByLabel('Due date')).toHaveValue('2020-02-29');
  const due = await (await early.get('/my-studies')).text();
  expect(due).toContain('Due 29 Feb 2020');
  expect(due).toContain('Overdue');

  // The study's page is live: another window stays open while the raters work.
  const watching = await (await browser.newContext({ baseURL: server.url })).newPage();
  await logIn(watching, demo.admin);
  await open(watching, study);
  const soFar = watching.locator('.live .so-far-figures').first();
  await expect(soFar).toContainText('0 of 12');

  // chen rates one and leaves; the rest of chen's outputs is reassigned.
  expect(await rate(server.url, demo.chen, 1, () => [4, 3, 5])).toBe(1);
  await expect(soFar).toContainText('1 of 12');
  await open(page, `${study}/plan`);
  await page.locator('summary', { hasText: 'Remove chen' }).click();
  await page.getByRole('button', { name: 'Remove chen' }).click();
  await expect(page.getByText(/chen was removed; 3 ratings were reassigned/)).toBeVisible();
  await expect(planned(page, 'chen', 'Remaining')).toHaveText('0');
  const left = await Promise.all(['ada', 'bo'].map(async (name) => Number(await planned(page, name, 'Remaining').innerText())));
  expect(left[0] + left[1]).toBe(11);
  expect(Math.abs(left[0] - left[1])).toBeLessThanOrEqual(1);
  const gone = await visitor(server.url, demo.chen);
  expect(await (await gone.get('/my-studies')).text()).not.toContain('Whole');

  // The others rate the rest, with different scores.
  const adas = await rate(server.url, demo.ada, 12, () => [1, 1, 1]);
  const bos = await rate(server.url, demo.bo, 12, () => [4, 3, 5]);
  expect(adas + bos).toBe(11);
  await expect(soFar).toContainText('12 of 12');
  // The two raters of an output disagree if ada is one of them, and ada rated at least five of the six.
  const waiting = watching.getByRole('link', { name: /Disagreements to adjudicate/ });
  await expect(waiting).toHaveText(new RegExp(`^${adas} `));

  // A person who rated none of them adjudicates all of them, one after the other.
  await watching.close();
  await open(page, '/adjudicate');
  await page.locator('ul.card-list a').first().click();
  for (let n = adas; n > 0; n -= 1) {
    await expect(page).toHaveURL(/\/adjudicate\/[0-9a-f]{32}/);
    await hydrated(page);
    const before = page.url();
    // Nothing of the last adjudication is left in the form.
    await expect(page.getByLabel('Reason')).toHaveValue('');
    await expect(page.locator('[name^="scores["]:checked')).toHaveCount(0);
    for (const [place, value] of ['3', '2', '3'].entries()) {
      await page.locator(`[name="scores[${place}]"][value="${value}"]`).check();
    }
    await page.getByLabel('Reason').fill(`The truth lies between, ${n}.`);
    await page.getByRole('button', { name: 'Save final scores' }).click();
    await expect.poll(() => page.url()).not.toBe(before);
    await expect(page.getByText('Your adjudication is saved.').first()).toBeVisible();
  }
  await expect(page.getByText('No disagreements to adjudicate')).toBeVisible();
  await open(page, `${study}/disagreements`);
  await expect(page.getByText('adjudicated', { exact: true })).toHaveCount(adas);
  await expect(page.getByText('to adjudicate', { exact: true })).toHaveCount(0);

  // The end: nobody can rate any more, and ratings are kept.
  await open(page, study);
  await expect(page.getByRole('link', { name: /Disagreements to adjudicate/ })).toHaveText(/^0 /);
  await openMenu(page);
  await page.getByText('Close…').click();
  await page.getByRole('button', { name: 'Close study', exact: true }).click();
  await expect(page.getByText('This study is closed. Its ratings are kept.')).toBeVisible();
  const start = await (await early.get('/my-studies')).text();
  expect(start).toContain('Whole');
  expect(start).not.toMatch(/<h2[^>]*>Whole<\/h2>[\s\S]*?Continue rating/);
  await open(page, `${study}/ratings`);
  await expect(page.locator('tbody tr')).toHaveCount(12);

  // Closed by mistake: an admin reopens it with a reason, which the audit log keeps.
  await open(page, study);
  await openMenu(page);
  await page.getByText('Reopen…').click();
  await page.getByLabel('Reason').fill('Closed by mistake');
  await page.getByRole('button', { name: 'Reopen study' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  await open(page, '/admin/audit');
  await expect(page.getByText('Closed by mistake')).toBeVisible();
});

test('manual shares, extended and then duplicated', async ({ page, watch }) => {
  // The form's error, as the browser shows it.
  watch.expect(/status of 422/);
  await logIn(page, demo.admin);
  await begin(page, 'By hand', [demo.ada, demo.bo]);
  await page.getByText('More settings', { exact: true }).click();
  await page.getByLabel('Limit the number of tasks').fill('4');
  await page.getByLabel('Assign work').selectOption('hand');
  await page.getByLabel('Share: ada').fill('9');
  await page.getByLabel('Share: bo').fill('2');
  // Eleven of twelve: the page says what is wrong and how to fix it, and keeps the input.
  await page.getByRole('button', { name: 'Preview plan' }).click();
  await expect(page.getByText('the shares add up to 11, but the study needs 12')).toBeVisible();
  await expect(page.getByLabel('Share: ada')).toHaveValue('9');
  await page.getByLabel('Share: bo').fill('3');
  const study = await preview(page, 'By hand');
  await expect(planned(page, 'ada', 'Remaining')).toHaveText('9');
  await expect(planned(page, 'bo', 'Remaining')).toHaveText('3');

  // The pace set by the admin.
  await page.getByLabel('Seconds per rating').fill('90');
  await page.getByRole('button', { name: 'Set pace' }).click();
  await expect(fact(page, 'Time remaining')).toHaveText('0.3 hours');

  await page.getByRole('button', { name: 'Start study' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  expect(await rate(server.url, demo.bo, 2, () => [2, 2, 2])).toBe(2);

  // chen joins with a manual share, and takes over unstarted outputs.
  await open(page, `${study}/plan`);
  await page.getByLabel('Rater', { exact: true }).selectOption({ label: 'chen (English, 中文)' });
  await page.locator('#join-share').fill('20');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText(/^.*chen was added and took over \d+ ratings/)).toBeVisible();

  // More tasks: chen has room for them.
  await page.getByLabel('Tasks').fill('6');
  await page.getByRole('button', { name: 'Extend study' }).click();
  await expect(page.getByText('6 ratings added.')).toBeVisible();
  await expect(fact(page, 'Total ratings')).toHaveText('18');
  await expect(planned(page, 'bo', 'Rated')).toHaveText('2');

  // While paused, nobody can rate; after resuming, they can.
  await open(page, study);
  await openMenu(page);
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByText('Paused', { exact: true })).toBeVisible();
  const ada = await visitor(server.url, demo.ada);
  expect(await (await ada.get('/my-studies')).text()).not.toMatch(/<h2[^>]*>By hand<\/h2>(?:(?!<h2)[\s\S])*?Start rating/);
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();

  // A duplicate is a draft with the same settings and people and a new seed.
  await open(page, `${study}/plan`);
  const seed = await fact(page, 'Seed').innerText();
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'By hand (2)' })).toBeVisible();
  await expect(page.getByText('Draft', { exact: true })).toBeVisible();
  await expect(fact(page, 'Total ratings')).toHaveText('18');
  await expect(fact(page, 'Seed')).not.toHaveText(seed);
  await expect(planned(page, 'bo', 'Rated')).toHaveText('0');
});
