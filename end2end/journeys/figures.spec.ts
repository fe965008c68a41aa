import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { logIn, open, rate } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

const server = serve('--demo');

/** The text of a figure's elements, as a reader sees it. */
function words(svg: string): string[] {
  const drawn = svg.slice(svg.indexOf('</style>'));
  return [...drawn.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((found) => found[1] ?? '');
}

test('a figure is exported and read back', async ({ page }) => {
  await rate(server.url, demo.ada, 18, (n) => [(n % 4) + 1, (n % 3) + 1, (n % 5) + 1]);
  await rate(server.url, demo.bo, 18, (n) => [((n + 1) % 4) + 1, ((n + 2) % 3) + 1, ((n + 1) % 5) + 1]);
  await logIn(page, demo.admin);
  await open(page, '/admin/compare/starter');

  // The same figure on the page.
  const ranking = page.getByRole('table', { name: 'Correctness', exact: true });
  const models = await ranking.locator('tbody th').allTextContents();
  const means = await ranking.locator('tbody td.mean').allTextContents();
  const tasks = await ranking.locator('tbody td.num:nth-child(5)').allTextContents();
  expect(models).toHaveLength(3);

  // From the page, as wide as a journal's page.
  const head = page.locator('.figure-head').filter({ hasText: 'Correctness 1–4' });
  await head.getByText('Export figure').click();
  const taken = async (name: string): Promise<Buffer> => {
    const download = page.waitForEvent('download');
    await head.getByRole('link', { name }).click();
    return readFile(await (await download).path());
  };
  const svg = (await taken('SVG, Full page, 183 mm')).toString('utf8');
  expect(svg).toContain('width="183mm"');
  const found = words(svg);
  for (const needed of [...models, 'Mean correctness (1–4)', '1', '2', '3', '4', 'n']) {
    expect(found, needed).toContain(needed);
  }
  for (const [at, mean] of means.entries()) {
    expect(found.some((text) => text.startsWith(`${mean} [`)), mean).toBe(true);
    expect(found).toContain(tasks[at]);
  }
  // The caption on the page is that of the file, in both languages.
  const caption = (await head.locator('.caption-text[lang=en]').textContent()) ?? '';
  expect(caption).toMatch(/^Correctness on .+: mean score by people \(1–4\).+95% intervals.+n is the number of tasks/);
  expect(svg).toContain(caption.replace(/'/g, '&#39;'));
  const address = '/admin/compare/starter/figures/correctness-means';
  const text = async (query: string): Promise<string> => (await page.request.get(`${address}.txt?${query}`)).text();
  expect((await text('words=en')).trim()).toBe(caption);
  expect((await text('words=zh')).trim()).toBe(await head.locator('.caption-text[lang=zh-CN]').textContent());

  // The same in the other formats.
  const column = (await taken('SVG, One column, 89 mm')).toString('utf8');
  expect(column).toContain('width="89mm"');
  expect((await taken('PNG, One column, 89 mm')).subarray(1, 4).toString('latin1')).toBe('PNG');
  const pdf = await taken('PDF, One column, 89 mm');
  expect(pdf.subarray(0, 5).toString('latin1')).toBe('%PDF-');
  expect(pdf.includes('AixGradeSans')).toBe(true);
  expect(pdf.includes('/Subtype /Image')).toBe(false);
  const csv = (await taken('Data, CSV')).toString('utf8').trim().split(/\r?\n/);
  expect(csv[0]).toBe('name,value,low,high,n,group');
  expect(csv.slice(1).map((line) => Number(line.split(',')[1]).toFixed(2))).toEqual(means);

  // And by the command line, to the byte.
  const binary = process.env.AIXGRADE_BINARY ?? '';
  const args = ['export', 'figure', '--dataset', 'starter', '--figure', 'correctness-means', '--width', 'page', '--format', 'svg'];
  const { stdout } = await promisify(execFile)(binary, ['--data', server.data, ...args], { maxBuffer: 1 << 24 });
  expect(stdout).toBe(svg);
  const wrong = promisify(execFile)(binary, ['--data', server.data, 'export', 'figure', '--dataset', 'starter', '--figure', 'x']);
  await expect(wrong).rejects.toThrow(/Choose from: .*correctness-means/);
});
