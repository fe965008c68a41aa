import AxeBuilder from '@axe-core/playwright';

import { hydrated, logIn, open, openMenu, rate } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo', '--webhook-host', 'http://127.0.0.1:9');

test('a token is created, used and revoked', async ({ page, playwright }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/api');
  await page.getByRole('link', { name: 'Access tokens' }).click();
  await expect(page.getByText('No tokens yet')).toBeVisible();
  await page.getByLabel('Label', { exact: true }).fill('Nightly runs');
  await page.getByLabel('write:runs').check();
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.getByLabel('Token', { exact: true }).inputValue();
  expect(token).toMatch(/^axg_.{40,}$/);
  const row = page.getByRole('row').filter({ hasText: 'Nightly runs' });
  await expect(row.getByText('active', { exact: true })).toBeVisible();

  const program = await playwright.request.newContext({
    baseURL: server.url,
    extraHTTPHeaders: { authorization: `Bearer ${token}` },
  });
  const me = await program.get('/api/v1/me');
  expect(await me.json()).toMatchObject({ name: 'admin', scopes: ['read', 'write:runs'] });
  expect((await program.get('/api/v1/comparisons/starter')).status()).toBe(200);
  const refused = await program.post('/api/v1/tokens', { data: { label: 'x', scopes: ['admin'] } });
  expect(refused.status()).toBe(403);
  expect(refused.headers()['content-type']).toBe('application/problem+json');

  await page.reload();
  await hydrated(page);
  // Shown once.
  await expect(page.getByLabel('Token', { exact: true })).toHaveCount(0);
  await expect(row.getByText('never')).toHaveCount(0);
  await row.getByRole('button', { name: 'Revoke' }).click();
  await expect(row.getByText('revoked')).toBeVisible();
  expect((await program.get('/api/v1/me')).status()).toBe(401);
  await program.dispose();
});

test('a webhook is created, tested and deleted', async ({ page, watch }) => {
  // A host that is not allowed.
  watch.expect(/422 \(Unprocessable Entity\)/);
  await logIn(page, demo.admin);
  await open(page, '/admin/api/webhooks');
  await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:10/hook');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await expect(page.getByText('the operator does not allow webhooks to this host')).toBeVisible();
  await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:9/hook');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await expect(page.getByLabel('Secret', { exact: true })).toHaveValue(/^whsec_/);
  // Nobody listens there, which the page reports.
  await page.getByRole('button', { name: 'Send test' }).click();
  await expect(page.getByText('waiting').first()).toBeVisible();
  await page.getByRole('link', { name: 'Deliveries' }).click();
  const line = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'test', exact: true }) });
  await expect(line.getByText('waiting')).toBeVisible();
  await page.locator('summary', { hasText: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete permanently' }).click();
  await expect(page.getByText('No webhooks yet')).toBeVisible();
});

test('a closed study\'s public page can be read until its link is revoked', async ({ page, browser }) => {
  await rate(server.url, demo.ada, 6, (n) => [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1]);
  await rate(server.url, demo.bo, 6, (n) => [4 - (n % 4), 3 - (n % 3), 5 - (n % 5)]);
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/1');
  await expect(page.getByText('after the study is closed')).toBeVisible();
  await openMenu(page);
  await page.locator('summary', { hasText: 'Close' }).click();
  await page.getByRole('button', { name: 'Close study', exact: true }).click();
  await page.getByLabel('Purpose').fill('Which model writes the better Java?');
  await page.getByLabel('License').fill('CC BY 4.0');
  await page.getByLabel("Also show the tasks and the models' code").check();
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByLabel('Link', { exact: true }).inputValue();
  expect(link.startsWith(`${server.url}/public/`)).toBe(true);

  for (const javaScriptEnabled of [true, false]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled, colorScheme });
      const anybody = await context.newPage();
      const answer = await anybody.goto(link);
      expect(answer?.headers()['x-robots-tag']).toContain('noindex');
      await expect(anybody.getByRole('heading', { level: 2, name: 'Human ratings', exact: true })).toBeVisible();
      const text = (await anybody.textContent('main')) ?? '';
      expect(text).toContain('Northwind');
      expect(text).not.toMatch(/\b(ada|bo|chen)\b/);
      expect(text).toContain('Which model writes the better Java?');
      expect(text).toContain('CC BY 4.0');
      // The picture for other sites is on the page, too.
      const picture = anybody.locator('.public-embed');
      await picture.scrollIntoViewIfNeeded();
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(100);
      if (javaScriptEnabled) {
        await hydrated(anybody);
        await expect(anybody.locator('#embed-html')).toHaveValue(new RegExp(`src="${server.url}/public/[^"]+/embed.svg`));
        expect((await new AxeBuilder({ page: anybody }).analyze()).violations).toEqual([]);
      }
      await anybody.locator('.public-tasks a').first().click();
      await expect(anybody.getByRole('heading', { level: 2, name: 'Northwind', exact: false })).toBeVisible();
      await expect(anybody.locator('pre').first()).toBeVisible();
      if (javaScriptEnabled) {
        await hydrated(anybody);
        expect((await new AxeBuilder({ page: anybody }).analyze()).violations).toEqual([]);
      }
      await context.close();
    }
  }

  await page.locator('#public').getByRole('button', { name: 'Revoke' }).click();
  await expect(page.locator('#public').getByText('revoked')).toBeVisible();
  const stranger = await browser.newPage();
  expect((await stranger.goto(link))?.status()).toBe(404);
  await stranger.close();
});
