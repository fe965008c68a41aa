import { logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

test('many people are invited at once, and one of them joins', async ({ page, browser, baseURL, watch }) => {
  watch.expect(/status of 422/);
  await logIn(page, demo.admin);
  await open(page, '/admin/people');
  await page.getByText('Invite many at once').click();
  const names = page.getByLabel('Names, one per line');
  await names.fill('Ann Lee\n王芳\nAnn Lee');
  await page.getByRole('button', { name: 'Create links' }).click();
  await expect(page.getByText('line 3: "Ann Lee" occurs twice')).toBeVisible();
  await names.fill('Ann Lee\n王芳\nEve, admin');
  await page.getByRole('button', { name: 'Create links' }).click();
  await expect(page.getByText('Copy these links now')).toBeVisible();
  const list = await page.getByLabel('Labels and links, separated by tabs').inputValue();
  const links = list.split('\n').map((line) => line.split('\t'));
  expect(links.map(([label]) => label)).toEqual(['Ann Lee', '王芳', 'Eve']);
  // The form is ready for others.
  await expect(names).toHaveValue('');
  await page.locator('#invite-list + button').click();
  await expect(page.getByText(/^Copied|with your keyboard/)).toBeVisible();
  const ann = await (await browser.newContext({ baseURL })).newPage();
  await ann.goto(links[0][1]);
  await ann.getByLabel('Username').fill('ann');
  await ann.getByLabel('Password').first().fill('a-long-enough-password');
  await ann.getByLabel('Languages that you read').selectOption('zh');
  await ann.getByRole('button', { name: 'Create account' }).click();
  await expect(ann.getByRole('button', { name: 'Log out' })).toBeVisible();
  await open(page, '/admin/people');
  await expect(page.getByLabel('Languages: ann')).toHaveValue('zh');
});

test('an invitation to a study names it, and who accepts it takes part in the time zone of the device', async ({ page, browser, baseURL }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/people');
  await page.getByLabel('Label', { exact: true }).fill('Dora');
  const studies = page.locator('#invite-study');
  const title = await studies.locator('option').nth(1).innerText();
  await studies.selectOption({ index: 1 });
  await page.getByRole('button', { name: 'Create link', exact: true }).click();
  const link = await page.getByLabel('Invitation link').inputValue();
  const dora = await (await browser.newContext({ baseURL, timezoneId: 'Asia/Shanghai' })).newPage();
  await open(dora, link);
  await expect(dora.getByText(`You will take part in the study “${title}”.`)).toBeVisible();
  await dora.getByLabel('Username').fill('dora');
  await dora.getByLabel('Password').first().fill('a-long-enough-password');
  await dora.getByRole('button', { name: 'Create account' }).click();
  await expect(dora.getByRole('heading', { name: title })).toBeVisible();
  await dora.goto('/account');
  await expect(dora.getByLabel('Time zone')).toHaveValue('Asia/Shanghai');
});

test('a forgotten password is reset by a link that works once', async ({ page, browser, baseURL }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/people');
  await page.getByRole('button', { name: 'Reset password of chen' }).click();
  const link = await page.getByLabel('Password reset link').inputValue();
  const chen = await (await browser.newContext({ baseURL })).newPage();
  await chen.goto(link);
  await expect(chen.getByText('the account chen')).toBeVisible();
  await chen.getByLabel('Password').fill('another-long-password');
  await chen.getByRole('button', { name: 'Set password and log in' }).click();
  await expect(chen.getByRole('button', { name: 'Log out' })).toBeVisible();
  await chen.goto(link);
  await expect(chen.getByRole('heading', { name: 'This link is no longer valid' })).toBeVisible();
});

test('deactivating an account states its consequences and asks to confirm', async ({ page, browser, baseURL }) => {
  const bo = await (await browser.newContext({ baseURL })).newPage();
  await logIn(bo, demo.bo);
  await logIn(page, demo.admin);
  await open(page, '/admin/people');
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'bo', exact: true }) });
  await row.getByText('Deactivate bo').click();
  await expect(row.getByText(/^Unfinished ratings: \d+, in 1 study\./)).toBeVisible();
  await row.getByRole('button', { name: 'Deactivate bo' }).click();
  await expect(row.getByText('Deactivated')).toBeVisible();
  await bo.goto('/my-studies');
  await expect(bo).toHaveURL(/\/log-in/);
  await row.getByRole('button', { name: 'Activate bo' }).click();
  await expect(row.getByText('Active', { exact: true })).toBeVisible();
});
