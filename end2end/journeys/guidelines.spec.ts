import { atScales, hydrated, logIn, open, openMenu } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

// One story: what the admin writes, ada reads.
test.describe.configure({ mode: 'serial' });

const attack = [
  '# How to rate',
  'Read the **description** first. [Style guide](https://style.example/guide)',
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 2">',
  '[click](javascript:window.hacked=3)',
  '![pixel](https://evil.example/pixel.png)',
].join('\n\n');

test('an admin writes guidelines with a preview in which HTML stays text', async ({ page }) => {
  const elsewhere: string[] = [];
  page.on('request', (request) => void (request.url().includes('.example') && elsewhere.push(request.url())));
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/1');
  await openMenu(page);
  await page.getByRole('link', { name: 'Guidelines' }).click();
  await page.getByLabel('English').fill(attack);
  await page.getByRole('button', { name: 'Preview' }).click();
  const shown = page.getByRole('region', { name: 'As raters see it' });
  await expect(shown.getByRole('heading', { name: 'How to rate' })).toBeVisible();
  await expect(shown.getByText('<script>window.hacked = 1</script>')).toBeVisible();
  await expect(shown.getByRole('link')).toHaveCount(1);
  await expect(shown.getByRole('link', { name: 'Style guide' })).toHaveAttribute('rel', 'noopener nofollow');
  await expect(shown.locator('img, script')).toHaveCount(0);
  await page.getByRole('button', { name: 'Save version' }).click();
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(2);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  expect(elsewhere).toEqual([]);
});

test('a rater opens the guidelines from the list and next to the work, by keyboard', async ({ page }) => {
  await logIn(page, demo.ada);
  const link = page.getByRole('main').getByRole('link', { name: 'Guidelines' });
  await expect(link).toContainText('new');
  await page.locator('main a[href^="/grade/"]').first().click();
  await hydrated(page);
  await atScales(page);
  await expect(page.getByRole('link', { name: 'Guidelines' })).toContainText('new');
  await page.keyboard.press('g');
  const drawer = page.getByRole('dialog', { name: 'Guidelines' });
  await expect(drawer.getByRole('heading', { name: 'How to rate' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await expect(page.getByRole('link', { name: 'Guidelines' })).not.toContainText('new');
  // It opens again.
  await page.keyboard.press('g');
  await expect(drawer).toBeVisible();
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);

  await open(page, '/my-studies');
  await expect(link).not.toContainText('new');
  await link.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Guidelines' })).toBeVisible();
  await expect(page.getByText('<img src=x onerror="window.hacked = 2">')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Print' })).toBeVisible();
});

test('a rater sees that the guidelines have changed', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/guidelines/study/1');
  await page.getByLabel('English').fill('# How to rate\n\nTake your time.');
  await page.getByRole('button', { name: 'Save version' }).click();
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(3);
  await page.getByRole('button', { name: 'Log out' }).click();
  await logIn(page, demo.ada);
  await expect(page.getByRole('main').getByRole('link', { name: 'Guidelines' })).toContainText('changed');
});
