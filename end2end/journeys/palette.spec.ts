import AxeBuilder from '@axe-core/playwright';

import { hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

test('the palette opens, searches and goes there by the keyboard alone', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/people');
  const link = page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Studies', exact: true });
  await link.focus();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search or go to' });
  const input = palette.getByRole('combobox');
  await expect(input).toBeFocused();
  await expect(palette.getByRole('option').first()).toHaveAttribute('aria-selected', 'true');
  expect((await new AxeBuilder({ page }).include('dialog.palette').analyze()).violations).toEqual([]);

  // Escape closes it, and the focus is where it was.
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
  await expect(link).toBeFocused();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('starter');
  const dataset = palette.getByRole('group', { name: 'Datasets' }).getByRole('option');
  await expect(dataset.first()).toContainText('starter');
  const options = palette.getByRole('option');
  const place = await options.evaluateAll((all) => all.findIndex((one) => one.getAttribute('href') === '/admin/datasets/starter'));
  for (let n = 0; n < place; n += 1) {
    await page.keyboard.press('ArrowDown');
  }
  await expect(dataset.first()).toHaveAttribute('aria-selected', 'true');
  await expect(input).toHaveAttribute('aria-activedescendant', (await dataset.first().getAttribute('id')) ?? '');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/admin\/datasets\/starter$/);
  await expect(palette).toBeHidden();

  // From the last to the first and back.
  await page.keyboard.press('Control+k');
  await page.keyboard.press('ArrowUp');
  await expect(palette.getByRole('option').last()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(palette.getByRole('option').first()).toHaveAttribute('aria-selected', 'true');

  await page.keyboard.type('nothing like it anywhere');
  await expect(palette.getByRole('option')).toHaveCount(0);
  await expect(palette.getByRole('status')).toContainText('Nothing found');
  await page.keyboard.press('Escape');
});

test('recent places come first', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/1');
  const title = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
  await expect.poll(async () => page.evaluate(() => sessionStorage.getItem('places') ?? '')).toContain('/admin/studies/1');
  await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'People' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible();
  await page.keyboard.press('Control+k');
  const recent = page.getByRole('dialog').getByRole('group', { name: 'Recent' }).getByRole('option');
  await expect(recent.first()).toContainText(title);
});

test('pages and actions are found by name', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/runs');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('rubric');
  const palette = page.getByRole('dialog');
  await expect(palette.getByRole('group', { name: 'Pages' }).getByRole('option', { name: 'Rubrics' })).toBeVisible();
  const action = palette.getByRole('group', { name: 'Actions' }).getByRole('option', { name: 'New rubric' });
  await action.click();
  await expect(page).toHaveURL(/\/admin\/rubrics\/new$/);
});

test('theme and language are switched where one is, and logging out is found, too', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/runs?q=x');
  const html = page.locator('html');
  for (const [words, attribute, value] of [
    ['dark theme', 'data-theme', 'dark'],
    ['切换到中文', 'lang', 'zh-Hans'],
    ['switch to english', 'lang', 'en'],
  ]) {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(words);
    await expect(page.getByRole('dialog').getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Enter');
    await expect(html).toHaveAttribute(attribute, value);
    await expect(page).toHaveURL(/\/admin\/runs\?q=x$/);
    await hydrated(page);
  }
  await page.keyboard.press('Control+k');
  await page.keyboard.type('log out');
  await page.getByRole('dialog').getByRole('option', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/log-in/);
});

test('on a phone, the button opens the palette', async ({ browser }) => {
  const context = await browser.newContext({
    baseURL: server.url,
    locale: 'en-GB',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  });
  const page = await context.newPage();
  await logIn(page, demo.admin);
  await open(page, '/admin/runs');
  await page.getByRole('link', { name: 'Search or go to' }).tap();
  const palette = page.getByRole('dialog');
  await palette.getByRole('combobox').fill('ada');
  await palette.getByRole('group', { name: 'People' }).getByRole('option', { name: 'ada' }).tap();
  await expect(page).toHaveURL(/\/admin\/people\?q=ada$/);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  expect(wide).toBe(false);
  await context.close();
});

test('the first use loads the palette and opens it in a browser that reports no idle time', async ({ page }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(window, 'requestIdleCallback');
  });
  await logIn(page, demo.admin);
  await open(page, '/admin/runs');
  await expect(page.locator('dialog.palette')).toHaveCount(0);
  // Half of the word is typed before the code of the palette arrives.
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\.wasm$/, (route) => released.then(() => route.continue()));
  await page.keyboard.press('Control+k');
  await page.keyboard.type('star');
  release();
  const palette = page.getByRole('dialog', { name: 'Search or go to' });
  await expect(palette.getByRole('combobox')).toBeFocused();
  await expect(palette.getByRole('combobox')).toHaveValue('star');
  // It is still open once the page has had time to react.
  await page.keyboard.type('ter');
  await expect(palette.getByRole('group', { name: 'Datasets' }).getByRole('option').first()).toContainText('starter');
});

test('without scripts the button is a link to a page that searches', { tag: '@scriptless' }, async ({ browser }) => {
  const context = await browser.newContext({ baseURL: server.url, locale: 'en-GB', javaScriptEnabled: false });
  const page = await context.newPage();
  await logIn(page, demo.admin);
  await page.goto('/admin');
  await page.getByRole('link', { name: 'Search or go to' }).click();
  await page.getByRole('main').getByRole('searchbox').fill('starter');
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click();
  await page.getByRole('main').getByRole('link', { name: 'starter', exact: true }).click();
  await expect(page).toHaveURL(/\/admin\/datasets\/starter$/);
  await context.close();
});

test('a rater has no palette', async ({ page }) => {
  await logIn(page, demo.ada);
  await open(page, '/my-studies');
  await expect(page.locator('dialog.palette, .palette-button')).toHaveCount(0);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  await page.keyboard.press('Control+k');
  await page.waitForTimeout(500);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(requests.filter((path) => path.includes('find') || path.includes('admin'))).toEqual([]);
  const answer = await page.request.post('/rpc/find', { data: { words: 'starter' } });
  expect(answer.status()).toBe(403);
});
