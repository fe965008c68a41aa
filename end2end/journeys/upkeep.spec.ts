import { hydrated, logIn, open, openMenu } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

// One story: the last steps undo what the first ones did.
test.describe.configure({ mode: 'serial' });

test('a submission is renamed, archived and offered again', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/submissions');
  const names = page.getByRole('main').getByRole('table').getByRole('rowheader');
  const all = await names.count();
  await names.first().getByRole('link').click();
  await openMenu(page);
  await page.getByRole('link', { name: 'Rename, archive or delete' }).click();
  await page.getByRole('textbox', { name: 'Model' }).fill('Renamed model');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await expect(page.locator('nav.crumbs')).toContainText('Renamed model');
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(page.getByText('lists and forms leave it out')).toBeVisible();
  // At once, with a way back.
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('No longer archived.')).toBeVisible();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(page.getByText('lists and forms leave it out')).toBeVisible();

  await open(page, '/admin/submissions');
  await expect(names).toHaveCount(all - 1);
  await page.getByRole('link', { name: 'Archive', exact: true }).click();
  const archived = page.getByRole('row').filter({ hasText: 'Renamed model' });
  await archived.getByRole('button', { name: /^Unarchive/ }).click();
  await expect(archived).toHaveCount(0);
  await open(page, '/admin/submissions');
  await expect(names).toHaveCount(all);
});

test('a study without ratings is deleted, and the deletion is undone', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/1');
  await openMenu(page);
  await page.getByRole('link', { name: 'Rename, archive or delete' }).click();
  await expect(page.getByText('planned ratings:')).toBeVisible();
  await page.getByRole('button', { name: 'Delete permanently' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('button', { name: 'Delete permanently' })).toBeVisible();
  await open(page, '/admin/studies/1');
  await hydrated(page);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test('a study in use is not deleted, and its page says why', async ({ page, watch }) => {
  // The page that is left may be asking for the next outputs.
  watch.expect(/status of 401/);
  await logIn(page, demo.ada);
  await page.locator('main a[href^="/grade/"]').first().click();
  await expect(page.locator('fieldset.scale').first()).toBeVisible();
  await page.getByRole('button', { name: 'Log out' }).click();
  await logIn(page, demo.admin);
  await open(page, '/admin/upkeep/study/1');
  // The page holds the next outputs ready, too.
  await expect(page.getByText(/^unsubmitted ratings: [1-3]$/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete permanently' })).toHaveCount(0);
});
