import { type APIRequestContext, type Page, expect, request } from '@playwright/test';

/** A name and its password. */
export interface Account {
  name: string;
  password: string;
}

/** Waits for hydration, but on a page without a client. */
export async function hydrated(page: Page): Promise<void> {
  await expect(page.locator('html:is([data-hydrated], [data-plain])')).toBeAttached();
}

/** Opens an address and waits for hydration. */
export async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await hydrated(page);
}

/** Opens the last page of a list by following its links. */
export async function openLast(page: Page, address: string): Promise<void> {
  await open(page, address);
  const next = page.getByRole('link', { name: 'Next page' });
  while ((await next.count()) > 0) {
    await open(page, new URL((await next.getAttribute('href')) ?? '', page.url()).href);
  }
}

/** Opens the menu of a page's other actions. */
export async function openMenu(page: Page): Promise<void> {
  await page.locator('.more-menu > summary').click();
}

/** Logs in by the form. */
export async function logIn(page: Page, { name, password }: Account): Promise<void> {
  await page.goto('/log-in');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible();
}

/** Presses Tab until the named link, button or field has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    const here = await page.evaluate(() => {
      const element = document.activeElement;
      const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
      return (labels[0] ?? element)?.textContent?.trim() ?? '';
    });
    if (here === name) {
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`no Tab leads to “${name}”`);
}

/** A logged-in client of the server without a browser. */
export async function visitor(url: string, { name, password }: Account): Promise<APIRequestContext> {
  const context = await request.newContext({ baseURL: url, extraHTTPHeaders: { accept: 'text/html' } });
  const answer = await context.post('/log-in', { form: { name, password, next: '/my-studies' } });
  expect(answer.ok()).toBe(true);
  return context;
}

/** The address of the first study in a rater's list. */
export async function firstStudy(who: APIRequestContext): Promise<string> {
  const start = await (await who.get('/my-studies')).text();
  const found = /href="(\/grade\/[^"/]+)"/.exec(start);
  if (!found) {
    throw new Error('there is no open study on the start page');
  }
  return found[1];
}

/**
 * Rates up to `most` outputs by the form, as a browser without scripts does. `scores` gives the scores of
 * the nth.
 */
export async function rate(
  url: string,
  account: Account,
  most: number,
  scores: (n: number) => [number, number, number],
): Promise<number> {
  const who = await visitor(url, account);
  const study = await firstStudy(who);
  for (let n = 0; n < most; n += 1) {
    const page = await (await who.get(study)).text();
    const form = /<form[^>]*action="(\/grade\/[^"]+)"/.exec(page);
    const key = /name="key" value="([^"]+)"/.exec(page);
    if (!form || !key) {
      return n;
    }
    const [correctness, quality, maintainability] = scores(n).map(String);
    const answer = await who.post(form[1], {
      form: { action: 'submit', key: key[1], 'score-0': correctness, 'score-1': quality, 'score-2': maintainability },
    });
    expect(answer.url()).not.toContain('error=');
    expect(answer.ok()).toBe(true);
  }
  await who.dispose();
  return most;
}

/** Waits until the first scale has the focus: a digit pressed now is a score. */
export async function atScales(page: Page): Promise<void> {
  await expect(page.locator('fieldset.scale').first().locator('input:focus')).toBeAttached();
}
