import type { Page } from '@playwright/test';

import { atScales, hydrated, logIn, visitor } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

/** Calls the API as the admin; returns the response. */
async function post<T>(action: string, form: Record<string, string | number>): Promise<T> {
  const admin = await visitor(server.url, demo.admin);
  const headers = { accept: 'application/json', 'sec-fetch-site': 'same-origin' };
  const answer = await admin.post(`/rpc/${action}`, { headers, form });
  expect(answer.status(), await answer.text()).toBe(200);
  const said = (await answer.json()) as T;
  await admin.dispose();
  return said;
}

/** Creates a running side-by-side study; returns its number. */
async function besideStudy(title: string, raters: number[], submissions = [1, 2, 3], tasks = 4): Promise<number> {
  const form: Record<string, string | number> = {
    'study[title]': title,
    'study[dataset]': 'starter',
    'study[seed]': 7,
    'study[settings][tasks]': tasks,
    'study[settings][presentation]': 'side_by_side',
  };
  submissions.forEach((submission, n) => (form[`study[submissions][${n}]`] = submission));
  raters.forEach((rater, n) => (form[`study[raters][${n}]`] = rater));
  const id = await post<number>('create_study', form);
  await post('set_study_status', { id, status: 'running' });
  return id;
}

test.beforeAll(async () => {
  await besideStudy('Beside', [2, 3]);
});

/** Opens the study from the list of studies, as its rater does. */
async function begin(page: Page): Promise<void> {
  await page.locator('li.card', { hasText: 'Beside' }).getByRole('link', { name: /^(Start|Continue) rating$/ }).click();
  await hydrated(page);
  await expect(page.locator('.column')).toHaveCount(3);
}

const tokens = (page: Page) =>
  page.locator('form.rating').evaluateAll((forms) => forms.map((form) => form.getAttribute('data-token')));

/** Waits until the browser keeps no draft and no rating that the server lacks. */
async function allDelivered(page: Page): Promise<void> {
  const kept = () => Object.keys(localStorage).filter((key) => key.startsWith('aixgrade:')).length;
  await expect.poll(() => page.evaluate(kept)).toBe(0);
}

test('three outputs of one task side by side, by keyboard', async ({ page }) => {
  const { keyboard } = page;
  await logIn(page, demo.ada);
  await begin(page);
  await expect(page.locator('#a-column input:focus')).toBeAttached();
  const before = await tokens(page);

  // Digits act on the focused column; a key moves to the next one.
  await keyboard.press('4');
  await expect(page.locator('#a-score-0-4')).toBeChecked();
  await keyboard.press('.');
  await expect(page.locator('#b-column input:focus')).toBeAttached();
  for (const key of ['3', '2', '1']) {
    await keyboard.press(key);
  }
  await expect(page.locator('#b-score-2-1')).toBeChecked();
  await expect(page.locator('#a-score-2-1')).not.toBeChecked();
  const sent = page.waitForRequest('**/rpc/submit_rating');
  await keyboard.press('Enter');
  // The time is measured for this output, although others are shown next to it.
  expect(((await sent).postDataJSON() as { draft: object }).draft).toHaveProperty('active_ms', expect.any(Number));
  await expect(page.locator('#b-column')).toContainText('Submitted');

  // After a reload in the middle, submitted and open outputs are still known.
  await allDelivered(page);
  await page.reload();
  await hydrated(page);
  expect(await tokens(page)).toEqual(before);
  await expect(page.locator('#b-column')).toContainText('Submitted');
  await expect(page.locator('#a-score-0-4')).toBeChecked();

  // Withdrawn in place, and submitted again with all the others.
  await keyboard.press('u');
  await expect(page.locator('#b-column')).not.toContainText('Submitted');
  await expect(page.locator('#b-score-0-3')).toBeChecked();
  for (const [column, scores] of [['a', [4, 3, 5]], ['c', [1, 1, 1]]] as const) {
    for (const [place, score] of scores.entries()) {
      await page.locator(`#${column}-score-${place}-${score}`).check();
    }
  }
  await page.getByRole('button', { name: 'Submit all' }).click();
  await expect(page.locator('#a-column')).not.toContainText('Submitted');
  await expect.poll(() => tokens(page)).not.toEqual(before);
  // The next task was fetched before these were rated.
  await expect(page.locator('.grading-count')).toHaveText(/^3 rated, /);
  // The list has what the server has when it is opened.
  await allDelivered(page);
  await page.getByRole('link', { name: 'My ratings' }).click();
  await expect(page.locator('tbody tr')).toHaveCount(3);
});

test('on a narrow screen each output has a tab', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await logIn(page, demo.bo);
  await begin(page);
  await expect(page.locator('.column:visible')).toHaveCount(1);
  await page.getByRole('button', { name: 'Output C' }).click();
  await expect(page.locator('#c-column')).toBeVisible();
  await expect(page.locator('#a-column')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Output C' })).toHaveAttribute('aria-pressed', 'true');
});

test('the calibration comes one item at a time, then the columns', async ({ page }) => {
  const study = await besideStudy('First steps', [4]);
  await post('add_known_item', {
    study, 'item[task]': 1, 'item[pool]': 'calibration', 'item[code]': 'int answer() { return 42; }',
    'item[scores][0]': 4, 'item[scores][1]': 3, 'item[scores][2]': 5,
  });
  await post('set_quality', {
    study,
    'settings[calibration]': 'train',
    'settings[tolerance]': 1,
  });
  await logIn(page, demo.chen);
  await page.locator('li.card', { hasText: 'First steps' }).getByRole('link', { name: 'Start rating' }).click();
  await hydrated(page);
  await expect(page.getByText('Item 1 of 1')).toBeVisible();
  await expect(page).toHaveURL(/\/grade\//);
  // Its rating is final: it can be neither skipped nor withdrawn.
  await expect(page.getByRole('button', { name: 'Skip' })).toHaveCount(0);
  await atScales(page);
  await page.keyboard.press('s');
  await expect(page.getByText('This output cannot be skipped.').first()).toBeVisible();
  for (const [place, score] of [4, 3, 5].entries()) {
    await page.locator(`#score-${place}-${score}`).check();
  }
  await page.locator('form.rating').getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByRole('heading', { name: 'Known scores' })).toBeVisible();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Start rating' }).click();
  await expect(page).toHaveURL(/\/side-by-side\//);
  await expect(page.locator('.column')).toHaveCount(3);
});

test('side by side works without scripts', { tag: '@scriptless' }, async ({ page }) => {
  await logIn(page, demo.bo);
  await page.locator('li.card', { hasText: 'Beside' }).getByRole('link', { name: 'Start rating' }).click();
  await expect(page.locator('.column:visible')).toHaveCount(3);
  for (const id of ['a-score-0-2', 'a-score-1-2', 'a-score-2-2']) {
    await page.locator(`#${id}`).check();
  }
  await page.locator('#a-column').getByRole('button', { name: 'Submit' }).click();
  await expect(page).toHaveURL(/\/side-by-side\//);
  await expect(page.locator('#a-column')).toContainText('Submitted');
});

/** Gives every output of the task the same scores and submits them all. */
async function rateAll(page: Page, columns: number): Promise<void> {
  for (let column = 0; column < columns; column += 1) {
    for (const place of [0, 1, 2]) {
      await page.locator(`#${String.fromCharCode(97 + column)}-score-${place}-2`).check();
    }
  }
  await page.getByRole('button', { name: 'Submit all' }).click();
}

/** A submission with this many samples of each of two tasks; its number. */
async function samples(count: number): Promise<number> {
  const lines = ['S13', 'S14'].flatMap((task_id) =>
    Array.from({ length: count }, (_, n) => JSON.stringify({ task_id, code: `int ${task_id}_${n}() { return ${n}; }` })),
  );
  const admin = await visitor(server.url, demo.admin);
  const headers = { accept: 'application/json', 'sec-fetch-site': 'same-origin' };
  const file = { name: 'samples.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(lines.join('\n')) };
  const sent = await admin.post('/admin/upload/submission', { headers, multipart: { dataset: 'starter', file } });
  const { location } = (await sent.json()) as { location: string };
  await admin.dispose();
  const upload = Number(/uploads\/(\d+)/.exec(location)?.[1]);
  return post<number>('import_submission', { upload, dataset: 'starter', matching: 'task_id', model: 'Sampler' });
}

test('two tasks with fifteen outputs each are rated completely, and the study ends', async ({ page }) => {
  await besideStudy('Fifteen', [2], [await samples(15)], 2);
  let asked = 0;
  page.on('request', (request) => {
    asked += request.url().endsWith('/rpc/next_task_items') ? 1 : 0;
  });
  // Ratings are still waiting to be sent when the second task asks for the one after it.
  await page.route('**/rpc/submit_rating', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await route.continue();
  });
  await logIn(page, demo.ada);
  await page.locator('li.card', { hasText: 'Fifteen' }).getByRole('link', { name: /^(Start|Continue) rating$/ }).click();
  await hydrated(page);
  await expect(page.locator('.column')).toHaveCount(15);
  await expect(page.getByRole('heading', { name: 'Output O' })).toBeAttached();
  // The tab leads to a column beyond the edge of the screen.
  await page.getByRole('button', { name: 'Output O' }).click();
  await expect(page.locator('#o-column')).toBeInViewport();
  await expect(page.locator('#o-column input:focus')).toBeAttached();
  const first = await tokens(page);
  await rateAll(page, 15);
  await expect.poll(() => tokens(page)).not.toEqual(first);
  await expect(page.locator('.column')).toHaveCount(15);
  const second = await tokens(page);
  expect(second.filter((token) => first.includes(token))).toEqual([]);
  await rateAll(page, 15);
  await expect(page.locator('.column')).toHaveCount(0);
  // One request for the page, one ahead for each task, and those that found nothing more.
  expect(asked).toBeLessThan(8);
  await page.getByRole('link', { name: 'My ratings' }).click();
  await expect(page.locator('tbody tr')).toHaveCount(25);
  await page.getByRole('link', { name: 'Next page' }).click();
  await expect(page.locator('tbody tr')).toHaveCount(5);
});

for (const [width, height] of [[1440, 900], [1280, 720]]) {
  test(`code, scores and the rubric are in sight together at ${width} x ${height}`, async ({ page }) => {
    const low = height < 800;
    await page.setViewportSize({ width, height });
    await besideStudy(`Laptop ${width}`, [4]);
    await logIn(page, demo.chen);
    await page.locator('li.card', { hasText: `Laptop ${width}` }).getByRole('link', { name: 'Start rating' }).click();
    await hydrated(page);
    await expect(page.locator('.column')).toHaveCount(3);
    for (const column of ['a', 'b', 'c']) {
      const of = page.locator(`#${column}-column`);
      const code = await of.locator('.code:visible').boundingBox();
      // A column with surrounding text has less.
      expect(code?.height).toBeGreaterThan(height / 6);
      if (low) {
        const line = await of.locator('.code:visible .line').first().evaluate((of) => parseFloat(getComputedStyle(of).lineHeight));
        const said = await of.locator('.said').count();
        expect((code?.height ?? 0) / line).toBeGreaterThanOrEqual(said > 0 ? 14 : 15);
      }
      for (const place of [0, 1, 2]) {
        await expect(of.locator(`#${column}-scale-${place}`)).toBeInViewport({ ratio: 1 });
      }
      // In a low window it waits for its key.
      if (!low) {
        await expect(of.getByLabel('Comment')).toBeInViewport({ ratio: 1 });
      }
      await expect(of.getByRole('button', { name: 'Submit' })).toBeInViewport({ ratio: 1 });
    }
    // One rubric, which follows the keyboard.
    const rubric = page.locator('.shared-rubric');
    await expect(page.getByRole('heading', { name: 'Rubric' })).toHaveCount(1);
    await expect(rubric.locator('.shared-dimension:visible')).toHaveCount(1);
    await expect(rubric).toContainText('Correctness');
    await expect(rubric.locator('.shared-dimension:visible li').last()).toBeInViewport({ ratio: 1 });
    await expect(page.locator('#a-column input:focus')).toBeAttached();
    await page.keyboard.press('4');
    await expect(rubric.locator('.shared-dimension:visible')).not.toContainText('Correctness');
    expect(await page.evaluate(() => document.documentElement.scrollHeight <= window.innerHeight)).toBe(true);
    if (low) {
      await page.keyboard.press('c');
      await expect(page.locator('#a-comment')).toBeInViewport({ ratio: 1 });
      await expect(page.locator('#a-comment')).toBeFocused();
    }
    // Lines that only one output has are marked by a sign, once the rater asks for it.
    const marked = page.locator('.line.only-here .line-mark').first();
    const sign = () => marked.evaluate((mark) => getComputedStyle(mark, '::before').content);
    expect(await sign()).not.toContain('\u25c6');
    await page.getByLabel('Mark what only one output has').check();
    expect(await sign()).toContain('\u25c6');
  });
}
