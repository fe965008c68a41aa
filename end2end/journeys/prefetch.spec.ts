import { atScales, hydrated, logIn } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

serve('--demo');

interface Item {
  token: string;
  raw_nl: string;
}

test('the next output is prefetched', async ({ page }) => {
  await logIn(page, demo.ada);
  const ahead: Item[] = [];
  page.on('response', async (response) => {
    if (response.url().includes('/rpc/next_item')) {
      // The last answer may come when the test has ended; then it has no body.
      const answer = (await response.json().catch(() => ({}))) as { Item?: Item };
      if (answer.Item) {
        ahead.push(answer.Item);
      }
    }
  });
  await page.getByRole('link', { name: 'Start rating' }).click();
  await hydrated(page);
  const first = (await page.locator('form.rating').getAttribute('data-token')) ?? '';
  // If the client was ready, the first output came in the same way. A prefetch during a submission may
  // return the output that is being rated; the page ignores it.
  const behind = () =>
    ahead.filter(({ token }, n) => token !== first && ahead.findIndex((item) => item.token === token) === n);
  const shown = [first];
  const times: number[] = [];
  // The page cannot show an answer of the server after Enter: the server does not answer.
  for (let n = 0; n < 8; n += 1) {
    const ready = () => behind().filter(({ token }) => !shown.includes(token));
    await expect.poll(() => ready().length).toBeGreaterThanOrEqual(1);
    await atScales(page);
    for (const [place, score] of [2, 2, 2].entries()) {
      await page.keyboard.press(`${score}`);
      await expect(page.locator(`#score-${place}-${score}`)).toBeChecked();
    }
    await expect(page.getByText('Draft saved')).toBeVisible();
    const known = ready();
    const before = await page.evaluate(() => performance.getEntriesByName('aixgrade-shown').length);
    await page.keyboard.press('Enter');
    await expect(page.locator('form.rating')).not.toHaveAttribute('data-token', shown[n]);
    const now = (await page.locator('form.rating').getAttribute('data-token')) ?? '';
    const item = known.find(({ token }) => token === now);
    expect(item, 'what is shown was there before').toBeDefined();
    shown.push(now);
    await expect(page.locator('.task-text')).toHaveText(item?.raw_nl ?? '');
    await expect(page.getByText(new RegExp(`^${n + 1} rated, `)).first()).toBeVisible();
    await expect.poll(() => page.evaluate(() => performance.getEntriesByName('aixgrade-shown').length)).toBe(before + 1);
    times.push(
      await page.evaluate(() => {
        const last = (name: string) => performance.getEntriesByName(name).at(-1)?.startTime ?? Number.NaN;
        return last('aixgrade-shown') - last('aixgrade-submitted');
      }),
    );
  }
  expect(new Set(shown).size).toBe(9);
  console.log(`next output shown after Enter, in ms: ${times.map((ms) => ms.toFixed(1)).join(', ')}`);
});
