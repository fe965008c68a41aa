import { readFile } from 'node:fs/promises';

import { logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

test('an admin finds a change in the audit log, filters and downloads', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/people');
  await page.getByLabel('Label', { exact: true }).fill('dora');
  await page.getByRole('button', { name: 'Create link' }).click();
  await expect(page.getByLabel('Invitation link')).toBeVisible();

  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Audit log' })).toBeVisible();
  const rows = page.locator('tbody tr');
  const first = rows.first();
  await expect(first.getByRole('rowheader')).toHaveText('Created an invitation');
  await expect(first).toContainText('admin');
  await expect(first.locator('.audit-detail li')).toHaveText(['Label: dora', 'Role: Rater', 'Expires after (days): 14']);
  await expect(first).toContainText('Browser 127.0.0.1');

  await page.getByLabel('Action').selectOption({ label: 'Created a study' });
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page).toHaveURL(/\?action=study\.create$/);
  await expect(rows).toHaveCount(1);
  await expect(first).toContainText('Command line');
  const study = await first.getByRole('link').getAttribute('href');
  expect(study).toMatch(/^\/admin\/studies\/\d+$/);

  const arriving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const lines = (await readFile(await (await arriving).path(), 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toBe('id,at,person,action,object,detail,via,token,address');
  expect(lines[1]).toContain(',study.create,');

  await page.getByLabel('From', { exact: true }).fill('2001-01-01');
  await page.getByLabel('To', { exact: true }).fill('2001-01-02');
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page.getByText('No entries match')).toBeVisible();

  await page.goBack();
  await first.getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`${study}$`));
});

test('the audit log is filtered with scripts switched off', { tag: '@scriptless' }, async ({ page }) => {
  await logIn(page, demo.admin);
  await page.goto('/admin/audit');
  const rows = page.locator('tbody tr');
  expect(await rows.count()).toBeGreaterThan(1);
  await page.getByLabel('Action').selectOption({ label: 'Created a study' });
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(rows).toHaveCount(1);
  await expect(page.getByLabel('Action')).toHaveValue('study.create');
  const csv = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
  expect(csv).toBe('/admin/audit.csv?action=study.create');
});
