import { demo, expect, serve, test } from '../support/test.ts';
import { atScales, hydrated, logIn, open } from '../support/steps.ts';
import type { Page } from '@playwright/test';

serve('--demo');

/** Opens the first study and waits for its first output. */
async function begin(page: Page): Promise<string> {
  await page.getByRole('link', { name: /^(Start|Continue) rating$/ }).first().click();
  await hydrated(page);
  await atScales(page);
  return (await page.locator('form.rating').getAttribute('data-token')) ?? '';
}

/** Skips outputs that are cut off, of which there is no formatted view. */
async function toFormatted(page: Page): Promise<void> {
  while ((await page.locator('.laid-out').count()) === 0) {
    const token = await page.locator('form.rating').getAttribute('data-token');
    await page.keyboard.press('s');
    await expect(page.locator(`form.rating:not([data-token="${token}"])`)).toBeVisible();
    await atScales(page);
  }
}

/** Waits until the server has everything that this page submitted. */
async function delivered(page: Page): Promise<void> {
  const waiting = () => page.evaluate(() => Object.keys(localStorage).filter((k) => k.startsWith('aixgrade:out:')).length);
  await expect.poll(waiting).toBe(0);
}

test('line notes by keyboard: written, changed, removed, submitted, seen by the admin', async ({ page, browser, baseURL }) => {
  const { keyboard } = page;
  await logIn(page, demo.ada);
  await begin(page);
  await toFormatted(page);

  // To the code, down two lines, open, write, save.
  await keyboard.press('l');
  await expect(page.locator('.laid-out .line-mark:focus')).toHaveAttribute('data-line', '0');
  await keyboard.press('ArrowDown');
  await keyboard.press('ArrowDown');
  const line = page.locator('.line-mark:focus');
  await expect(line).toHaveAttribute('aria-label', /^Line \d+: ./);
  const at = await line.getAttribute('data-line');
  await keyboard.press('Enter');
  await expect(page.getByLabel(/^Note on line/)).toBeFocused();
  // Digits and letters are text here.
  await keyboard.type('off by 1, 看这里');
  await keyboard.press('Enter');
  await expect(page.locator('.laid-out .note-text')).toHaveText('off by 1, 看这里');
  await expect(page.locator('.line-mark:focus')).toHaveAttribute('data-line', at ?? '');
  await expect(page.getByText('Draft saved')).toBeVisible();

  // Escape restores the previous text.
  await keyboard.press('Enter');
  await keyboard.type(' and more');
  await keyboard.press('Escape');
  await expect(page.locator('.laid-out .note-text')).toHaveText('off by 1, 看这里');

  // The same note is shown in the original code.
  await keyboard.press('r');
  await expect(page.locator('.code.raw .note-text')).toBeVisible();
  await keyboard.press('r');

  // It survives a reload, and is submitted with the rating.
  await expect(page.getByText('Draft saved')).toBeVisible();
  await page.reload();
  await hydrated(page);
  await atScales(page);
  await expect(page.locator('.laid-out .note-text')).toHaveText('off by 1, 看这里');
  for (const key of ['2', '2', '2']) {
    await keyboard.press(key);
  }
  await expect(async () => {
    await keyboard.press('Enter');
    await expect(page.getByText(/^1 rated, /).first()).toBeVisible({ timeout: 500 });
  }).toPass();
  await delivered(page);

  // On the rater's own list, and next to the code for the admin.
  await page.getByRole('link', { name: 'My ratings' }).click();
  await page.getByText('1 line note').click();
  await expect(page.getByText('off by 1, 看这里')).toBeVisible();
  const context = await browser.newContext({ baseURL });
  const admin = await context.newPage();
  await logIn(admin, demo.admin);
  const csv = await (await admin.request.get('/admin/studies/1/ratings.csv')).text();
  expect(csv).toContain('off by 1, 看这里');
  await context.close();
});

test('line notes by mouse are edited and removed', async ({ page }) => {
  await logIn(page, demo.chen);
  await begin(page);
  await page.locator('.laid-out .line').nth(1).click();
  await page.getByLabel('Note on line 2', { exact: true }).fill('wrong type');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Edit the note on line 2' }).click();
  await page.getByLabel('Note on line 2', { exact: true }).fill('wrong name');
  await page.keyboard.press('Enter');
  await expect(page.locator('.laid-out .note-text')).toHaveText('wrong name');
  await page.getByRole('button', { name: 'Delete the note on line 2' }).click();
  await expect(page.locator('.laid-out .note')).toHaveCount(0);
});

test('the last submission is undone with its scores, and earlier ratings are a key away', async ({ page }) => {
  const { keyboard } = page;
  await logIn(page, demo.bo);
  const first = await begin(page);
  for (const key of ['3', '2', '4']) {
    await keyboard.press(key);
  }
  await expect(page.locator('#score-2-4')).toBeChecked();
  await expect(async () => {
    await keyboard.press('Enter');
    await expect(page.locator(`form.rating:not([data-token="${first}"])`)).toBeVisible({ timeout: 500 });
  }).toPass();
  await delivered(page);

  await keyboard.press('u');
  await expect(page.locator('form.rating')).toHaveAttribute('data-token', first);
  await expect(page.locator('#score-0-3')).toBeChecked();
  await expect(page.locator('#score-2-4')).toBeChecked();
  await expect(page.getByText(/^0 rated, /).first()).toBeVisible();
  await expect(page.locator('fieldset.scale input:focus')).toBeAttached();
  // Corrected and submitted again: one rating.
  await page.locator('#score-0-3').focus();
  await keyboard.press('1');
  await expect(page.locator('#score-0-1')).toBeChecked();
  await expect(async () => {
    await keyboard.press('Enter');
    await expect(page.getByText(/^1 rated, /).first()).toBeVisible({ timeout: 500 });
  }).toPass();

  // Back to it and forward again.
  await keyboard.press('b');
  await expect(page.locator('form.rating')).toHaveAttribute('data-token', first);
  await expect(page.locator('#score-0-1')).toBeChecked();
  await keyboard.press('n');
  await expect(page.locator(`form.rating:not([data-token="${first}"])`)).toBeVisible();
});

test('a flag has details, whatever its reason', async ({ page, browser, baseURL }) => {
  const { keyboard } = page;
  await logIn(page, demo.bo);
  await begin(page);
  const details = page.getByLabel('Details (optional)');
  await expect(details).toBeHidden();
  await keyboard.press('f');
  const flag = page.getByLabel('Flag');
  await expect(flag).toBeFocused();
  await flag.selectOption('Something else');
  await expect(page.getByLabel('What is the problem?')).toBeVisible();
  await flag.selectOption('I cannot judge this');
  await details.fill('I have never used this library.');
  // The reason can change without losing the words.
  await flag.selectOption('Description is unclear');
  await expect(details).toHaveValue('I have never used this library.');
  await flag.selectOption('I cannot judge this');
  for (const radio of ['#score-0-2', '#score-1-2', '#score-2-2']) {
    await page.locator(radio).check();
  }
  await page.getByRole('button', { name: /^Submit/ }).click();
  await delivered(page);

  const context = await browser.newContext({ baseURL });
  const admin = await context.newPage();
  await logIn(admin, demo.admin);
  await open(admin, '/admin/studies/1/flags');
  const card = admin.getByRole('main').getByRole('listitem').filter({ hasText: 'I have never used this library.' });
  await expect(card.getByText('I cannot judge this', { exact: true })).toBeVisible();
  await expect(card.getByText('I have never used this library.', { exact: true })).toBeVisible();
  await context.close();
});

test('custom shortcuts work, are shown, and may not collide', async ({ page, browser, baseURL }) => {
  await logIn(page, demo.ada);
  await open(page, '/account');
  const comment = page.getByLabel('write a comment');
  await comment.fill('f');
  await expect(page.getByText('This key is already used for "Add a flag".')).toBeVisible();
  await comment.fill('/');
  await expect(page.getByText('The browser uses this key.')).toBeVisible();
  await comment.fill('k');
  await page.getByRole('button', { name: 'Save shortcuts' }).click();
  await expect(page.getByText('Your keyboard shortcuts are saved.')).toBeVisible();

  // They belong to the account: another browser has them, too.
  const context = await browser.newContext({ baseURL });
  const other = await context.newPage();
  await logIn(other, demo.ada);
  await begin(other);
  await other.keyboard.press('k');
  await expect(other.getByLabel('Comment')).toBeFocused();
  await other.keyboard.press('Escape');
  await expect(other.locator('label[for=comment] kbd')).toHaveText('k');
  await other.keyboard.press('?');
  await expect(other.getByRole('dialog').getByText('write a comment')).toBeVisible();
  await expect(other.locator('.help-keys div', { hasText: 'write a comment' }).locator('kbd')).toHaveText('k');
  // If shortcuts are off, no character key acts; that is stored, too.
  await Promise.all([
    other.waitForResponse('**/rpc/set_keys*'),
    other.getByLabel('Keyboard shortcuts on').uncheck(),
  ]);
  await other.getByRole('button', { name: /Close/ }).click();
  await other.reload();
  await hydrated(other);
  await atScales(other);
  await other.keyboard.press('k');
  await expect(other.getByLabel('Comment')).not.toBeFocused();
  await context.close();

  await open(page, '/account');
  await page.getByRole('button', { name: 'Reset to defaults' }).click();
  await expect(page.getByLabel('write a comment')).toHaveValue('c');
});

test('the tour points at things, works by keyboard, and counts nothing', async ({ page }) => {
  const { keyboard } = page;
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await logIn(page, demo.chen);
  await open(page, '/my-studies');
  await page.getByRole('link', { name: 'Start the tour' }).click();
  await hydrated(page);
  const tour = page.locator('.tour');
  await expect(tour.getByRole('heading', { name: 'Guided tour' })).toBeVisible();
  await expect(tour.locator('li:visible')).toHaveCount(1);
  /** The step is beside its element: neither covers the other, and both are in the window. */
  const pointsAt = async (place: string, n: number) => {
    await expect(tour).toContainText(`Step ${n} of 5`);
    await expect(page.locator(place)).toHaveCSS('outline-style', 'solid');
    await expect(page.locator('.rating .submit')).toBeInViewport({ ratio: 1 });
    await expect(tour).toBeInViewport({ ratio: 1 });
    const [step, submit] = [await tour.boundingBox(), await page.locator('.rating .submit').boundingBox()];
    if (!step || !submit) {
      throw new Error('the step or the button is not drawn');
    }
    const apart = step.x + step.width <= submit.x || step.y + step.height <= submit.y;
    expect(apart, `${JSON.stringify(step)} covers the button at ${JSON.stringify(submit)}`).toBe(true);
  };
  await pointsAt('.task', 1);
  await page.locator('#score-0-3').focus();
  await keyboard.press('n');
  await pointsAt('.rating-body', 2);
  await keyboard.press('2');
  await keyboard.press('1');
  await expect(tour.locator('li:visible')).toHaveClass(/done/);
  await keyboard.press('n');
  await pointsAt('.code-box', 3);
  await keyboard.press('b');
  await pointsAt('.rating-body', 2);
  await keyboard.press('n');
  await keyboard.press('l');
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await keyboard.type('begins with 0');
  await keyboard.press('Enter');
  await expect(tour.locator('li:visible')).toHaveClass(/done/);
  await tour.getByRole('button', { name: 'Next step' }).click();
  await pointsAt('.extra', 4);
  await keyboard.press('c');
  await keyboard.type('so close');
  await keyboard.press('Escape');
  await keyboard.press('n');
  await pointsAt('.rating-foot', 5);
  await page.locator('#score-0-2').focus();
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'You are ready to rate' })).toBeFocused();
  await page.getByRole('button', { name: 'Go to my studies' }).click();
  await expect(page.getByRole('link', { name: 'Repeat the tour' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Start the tour' })).toHaveCount(0);
});

test('on a phone the tour leaves the Submit button reachable', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await logIn(page, demo.ada);
  await open(page, '/tour');
  const tour = page.locator('.tour');
  for (const n of [2, 3, 4, 5]) {
    await tour.getByRole('button', { name: 'Next step' }).click();
    await expect(tour).toContainText(`Step ${n} of 5`);
  }
  // The button is above the step, not below it.
  for (const id of ['#score-0-3', '#score-1-2']) {
    await page.locator(id).check();
  }
  await page.locator('.rating .submit').click();
  await expect(page.getByRole('heading', { name: 'You are ready to rate' })).toBeFocused();
});

test('the rubric is a page of its own, with every level', async ({ page }) => {
  await logIn(page, demo.ada);
  await open(page, '/my-studies');
  await page.getByRole('link', { name: 'Rubric' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Rubric' })).toBeVisible();
  await expect(page.locator('.sheet-level')).toHaveCount(12);
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.header')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
});
