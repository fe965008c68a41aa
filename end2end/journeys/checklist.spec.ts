import { atScales, hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

// One story: the rubric that is written first is used, and the raters' agreement on it is shown.
test.describe.configure({ mode: 'serial' });

let study = '';

test('a rubric gets a checklist, and a study scores by it', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/rubrics/new?from=aixbench');
  await page.getByLabel('Short name').fill('listed');
  await page.getByRole('button', { name: 'Remove: dimension 3' }).click();
  for (const [n, key, name] of [[1, 'tested', 'Tested'], [2, 'closes', 'Closes files']] as const) {
    await page.getByRole('button', { name: 'Add a checklist item' }).click();
    const field = page.getByLabel(`Name in exports: checklist item ${n}`);
    await expect(field).toBeFocused();
    await field.fill(key);
    await page.getByLabel(`Name (English): checklist item ${n}`).fill(name);
  }
  await page.getByLabel('Statement (optional) (English): checklist item 1').fill('The code handles an empty input.');
  await page.getByRole('button', { name: 'Move up: checklist item 2' }).click();
  await expect(page.getByLabel('Name (English): checklist item 1')).toHaveValue('Closes files');
  await page.getByLabel('Name (English): checklist item 1').blur();
  const preview = page.getByRole('region', { name: 'As raters see it' });
  await expect(preview.getByRole('group', { name: 'Tested The code handles an empty input.' })).toBeVisible();
  await expect(preview.getByRole('heading', { name: 'Checklist' })).toBeVisible();
  await page.getByRole('button', { name: 'Save version' }).click();
  await expect(page.getByText('Saved as version 1.')).toBeVisible();
  await open(page, '/admin/rubrics');
  await expect(page.getByText('Closes files yes/no, Tested yes/no')).toBeVisible();

  await open(page, '/admin/studies/new?dataset=starter');
  await page.getByLabel('Title').fill('With a checklist');
  await page.getByLabel('Rubric').selectOption('listed 1');
  for (const box of await page.getByRole('group', { name: 'Submissions to rate' }).getByRole('checkbox').all()) {
    await box.check();
  }
  for (const name of [/^ada\b/, /^bo\b/]) {
    await page.getByRole('checkbox', { name }).check();
  }
  await page.getByLabel('Raters per output').fill('2');
  // Nine outputs: both rate nearly all of them.
  await page.locator('details.more summary').click();
  await page.locator('#study-tasks').fill('3');
  await page.getByRole('button', { name: 'Preview plan' }).click();
  await page.getByRole('button', { name: 'Start study' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  await page.getByRole('navigation', { name: 'Pages of this study' }).getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('link', { name: 'listed 1' })).toBeVisible();
  study = /\d+/.exec(new URL(page.url()).pathname)?.[0] ?? '';
});

for (const [who, every] of [['ada', 2], ['bo', 3]] as const) {
  test(`${who} rates with it by keyboard`, async ({ page }) => {
    await logIn(page, demo[who]);
    const card = page.locator('li.card').filter({ hasText: 'With a checklist' });
    await card.getByRole('link', { name: 'Start' }).click();
    await hydrated(page);
    for (let n = 0; n < 8; n += 1) {
      await expect(page.getByText(new RegExp(`^${n} rated, `)).first()).toBeVisible();
      await atScales(page);
      await expect(page.locator('fieldset.item')).toHaveCount(2);
      await page.keyboard.press('3');
      // 0 is an answer of the checklist, not a score.
      await page.keyboard.press('0');
      await expect(page.locator('#scale-1 input:checked')).toHaveCount(0);
      await page.keyboard.press('2');
      if (n === 0) {
        await page.keyboard.press('1');
        await expect(page.locator('#score-2-1')).toBeChecked();
        // An item without an answer is not complete.
        await page.keyboard.press('Enter');
        await expect(page.getByText('Tested has no score yet.').first()).toBeVisible();
        await expect(page.getByText('Draft saved')).toBeVisible();
        await page.reload();
        await hydrated(page);
        await expect(page.locator('#scale-3 input:focus')).toBeAttached();
        await expect(page.locator('#score-2-1')).toBeChecked();
      } else {
        await page.keyboard.press('1');
      }
      await page.keyboard.press(n % every === 0 ? '0' : '1');
      await expect(page.locator(`#score-3-${n % every === 0 ? 0 : 1}`)).toBeChecked();
      await page.keyboard.press('Enter');
    }
    await expect(page.getByText(/^8 rated, /).first()).toBeVisible();
    await page.getByRole('link', { name: 'My ratings' }).click();
    await expect(page.locator('tbody tr').first()).toContainText('32YesYes');
    await expect(page.locator('tbody tr').last()).toContainText('32YesNo');
  });
}

test('the comparison shows the share of yes and the agreement on each item', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, `/admin/compare/starter?studies=${study}&runs=none`);
  await expect(page.getByRole('heading', { name: /^Tested share of yes/ })).toBeVisible();
  const ranking = page.locator('#dimension-tested').locator('xpath=ancestor::section[1]').locator('table.ranking');
  await expect(ranking).toContainText('%');
  await page.locator('summary').filter({ hasText: 'Details' }).last().click();
  const row = page.locator('section.agreement tbody tr').filter({ hasText: 'Tested' }).first();
  // Exact agreement of the answers; "within one" says nothing about them.
  await expect(row).toContainText(/\d+%/);
  await expect(row.locator('td').nth(6)).toHaveText('–');
});
