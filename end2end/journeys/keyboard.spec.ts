import { demo, expect, serve, test } from '../support/test.ts';
import { atScales, hydrated, tabTo } from '../support/steps.ts';

serve('--demo');

const given = Array.from({ length: 10 }, (_, n) => [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1]);

test('a rater grades ten outputs by keyboard alone', async ({ page }) => {
  const { keyboard } = page;
  await page.goto('/');
  await hydrated(page);
  // The first field has the focus when the page opens.
  await expect(page.getByLabel('Name')).toBeFocused();
  await keyboard.type(demo.ada.name);
  await keyboard.press('Tab');
  await keyboard.type(demo.ada.password);
  await keyboard.press('Enter');

  await expect(page.getByRole('heading', { level: 1, name: 'My studies' })).toBeVisible();
  await hydrated(page);
  await tabTo(page, 'Start rating');
  await keyboard.press('Enter');

  const shown = new Set<string | null>();
  for (const [n, scores] of given.entries()) {
    await expect(page.getByText(new RegExp(`^${n} rated, `)).first()).toBeVisible();
    await atScales(page);
    shown.add(await page.locator('form.rating').getAttribute('data-token'));
    for (const [place, score] of scores.entries()) {
      await keyboard.press(`${score}`);
      await expect(page.locator(`#score-${place}-${score}`)).toBeChecked();
    }
    if (n === 3) {
      await keyboard.press('c');
      await expect(page.getByLabel('Comment')).toBeFocused();
      // Digits are text here, not scores.
      await keyboard.type('Misses the 2 empty cases.');
      await keyboard.press('Escape');
    }
    await keyboard.press('Enter');
  }
  await expect(page.getByText(/^10 rated, /).first()).toBeVisible();
  expect(shown.size, 'no output came twice').toBe(10);

  // Back once: the last rating can be changed, and the changed one counts instead.
  await atScales(page);
  await keyboard.press('b');
  await expect(page.getByText('You have already rated this output.')).toBeVisible();
  await expect(page.locator(`#score-0-${given[9][0]}`)).toBeChecked();
  await keyboard.press('4');
  await keyboard.press('Enter');
  // The server has it, and the next output is shown; before that, Tab would walk through a page that is
  // being replaced.
  await expect(page.getByText('You have already rated this output.')).toBeHidden();
  await expect(page.getByText(/^10 rated, /).first()).toBeVisible();
  await atScales(page);

  await tabTo(page, 'My ratings');
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'My ratings' })).toBeVisible();
  const rows = page.locator('tbody tr');
  await expect(rows).toHaveCount(10);
  await expect(page.getByText('comment', { exact: true })).toHaveCount(1);
});

test('missing scores are reported, and a draft survives a reload', async ({ page }) => {
  await page.goto('/log-in');
  await page.getByLabel('Name').fill(demo.bo.name);
  await page.getByLabel('Password').fill(demo.bo.password);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Start rating' }).click();
  await hydrated(page);
  await atScales(page);
  await page.keyboard.press('2');
  await expect(page.getByText('Draft saved')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Code Quality has no score yet.').first()).toBeVisible();

  await page.reload();
  await hydrated(page);
  await expect(page.locator('#score-0-2')).toBeChecked();
});
