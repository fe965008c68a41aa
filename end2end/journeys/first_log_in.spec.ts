import { expect, serve, test } from '../support/test.ts';
import { hydrated, logIn, open } from '../support/steps.ts';

const server = serve();

// The second continues where the first ends.
test.describe.configure({ mode: 'serial' });

test('the first admin logs in with the printed password and chooses another', async ({ page }) => {
  let printed = '';
  await expect(() => {
    printed = /Log in as admin with the password (\S+)/.exec(server.output)?.[1] ?? '';
    expect(printed).not.toBe('');
  }).toPass();

  // Visitors who are not logged in are redirected to the login, and then back.
  await open(page, '/admin/datasets');
  await expect(page).toHaveURL(/\/log-in\?next=/);
  await page.getByLabel('Name').fill('admin');
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByText('Incorrect username or password.')).toBeVisible();
  await expect(page.getByLabel('Name')).toHaveValue('admin');
  await page.getByLabel('Password').fill(printed);
  await page.getByRole('button', { name: 'Log in' }).click();

  // The printed password is for one login. Nothing else opens before another is chosen.
  await expect(page.getByRole('heading', { level: 1, name: 'Choose a new password' })).toBeVisible();
  await open(page, '/admin/people');
  await expect(page).toHaveURL(/\/new-password\?next=/);
  await page.getByLabel('New password').fill(printed);
  await page.getByRole('button', { name: 'Set password and continue' }).click();
  await expect(page.getByText('This is your present password. Choose another.')).toBeVisible();
  await page.getByLabel('New password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Set password and continue' }).click();
  await expect(page).toHaveURL(/\/admin\/people$/);
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/log-in$/);

  await logIn(page, { name: 'admin', password: 'correct horse battery' });
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
});

test('an invitation creates one rater', async ({ page, browser }) => {
  await logIn(page, { name: 'admin', password: 'correct horse battery' });
  await open(page, '/admin/people');
  await page.getByLabel('Label', { exact: true }).fill('Dana');
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByLabel('Invitation link').inputValue();
  const path = /\/join\/\S+$/.exec(link)?.[0] ?? '';

  const other = await browser.newContext({ baseURL: server.url });
  const theirs = await other.newPage();
  await theirs.goto(path);
  await hydrated(theirs);
  await theirs.getByLabel('Name').fill('dana');
  await theirs.getByLabel('Password').fill('a long enough password');
  await theirs.getByRole('button', { name: 'Create account' }).click();
  await expect(theirs.getByText('No studies yet')).toBeVisible();
  // A rater may not open the admin's pages.
  expect((await theirs.goto('/admin/people'))?.status()).toBe(403);
  await theirs.goto(path);
  await expect(theirs.getByText('This invitation is no longer valid')).toBeVisible();
  await other.close();
});
