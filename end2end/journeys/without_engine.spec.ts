import { logIn, open } from '../support/steps.ts';
import { demo, expect, serveIn, test } from '../support/test.ts';

// This search path has neither a JDK nor bubblewrap.
const server = serveIn({ PATH: '/nonexistent' }, '--demo');

const words = { en: 'This server cannot run tests yet', zh: '此服务器暂时无法运行测试' };

for (const [lang, sentence] of Object.entries(words)) {
  test(`pages that start runs name what the engine lacks (${lang})`, async ({ page }) => {
    await logIn(page, demo.admin);
    await open(page, '/admin/submissions');
    const submission = await page.locator('a[href^="/admin/submissions/"]').first().getAttribute('href');
    await page.request.post('/lang', { form: { lang, next: '/admin' } });
    for (const address of ['/admin/runs', submission ?? '']) {
      await open(page, address);
      const notice = page.getByRole('status').filter({ hasText: sentence });
      await expect(notice).toContainText('JDK');
      await expect(notice).toContainText('bubblewrap');
    }
  });
}

test('the server reports missing requirements at its start', () => {
  expect(server.output).toContain(words.en);
});
