import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

/** An endpoint that is busy when it is first asked, and then answers each prompt with a program. */
const asked: { authorization?: string; body: string }[] = [];
const endpoint = createServer((request, answer) => {
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    asked.push({ authorization: request.headers.authorization, body });
    if (asked.length === 1) {
      answer.writeHead(429, { 'retry-after': '0' }).end('{"error": {"message": "busy"}}');
      return;
    }
    const content = 'Here it is <b>now</b>:\n\n```java\npublic int collected() { return 1; }\n```';
    const usage = { prompt_tokens: 11, completion_tokens: 22 };
    const choices = [{ message: { role: 'assistant', content }, finish_reason: 'stop' }];
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ model: 'm-1', choices, usage }));
  });
});
await new Promise<void>((ready) => endpoint.listen(0, '127.0.0.1', ready));
endpoint.unref();
const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`;

serve('--demo', '--endpoint', `local=${url}`);

test('outputs are collected from an endpoint, looked at and imported', async ({ page, watch }) => {
  watch.expect(/422/);
  await logIn(page, demo.admin);
  await open(page, '/admin/submissions');
  await page.getByRole('link', { name: 'Collections' }).click();
  await expect(page.getByText('No collections yet')).toBeVisible();
  await page.getByRole('link', { name: 'New collection' }).first().click();
  await page.getByLabel('Dataset').selectOption('starter');
  await page.getByLabel('Model', { exact: true }).fill('Collected model');
  await page.getByLabel('Samples per task').fill('2');
  await page.getByText('Sampling, prompts and limits').click();
  await page.getByLabel('Maximum tokens per response').fill('100');
  await page.getByLabel('Additional request fields').fill('nonsense');
  await page.getByRole('button', { name: 'Preview prompts and cost' }).click();
  await expect(page.getByText('this is not a JSON object')).toBeVisible();
  await page.getByLabel('Additional request fields').fill('{"top_k": 3}');
  await page.getByRole('button', { name: 'Preview prompts and cost' }).click();

  // A draft says what it would send, and sends nothing.
  await expect(page.getByText('80 requests with about')).toBeVisible();
  await expect(page.getByText('at most 8,000 response tokens')).toBeVisible();
  await expect(page.getByText('Implement this in Java').first()).toBeVisible();
  expect(asked).toHaveLength(0);
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('80 of 80', { exact: true })).toBeVisible();
  expect(asked).toHaveLength(81);
  expect(JSON.parse(asked[80].body)).toMatchObject({ model: 'Collected model', max_tokens: 100, top_k: 3 });
  expect(asked[80].authorization).toBeUndefined();

  // A request with its texts; a response is text, never markup.
  await page.getByRole('row').nth(1).getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'Unmodified response' })).toBeVisible();
  await expect(page.getByText('Here it is <b>now</b>:')).toBeVisible();

  await page.getByRole('button', { name: 'Preview and import' }).click();
  await expect(page.getByText('collection-1.jsonl.gz').first()).toBeVisible();
  await expect(page.getByLabel('Model', { exact: true })).toHaveValue('Collected model');
  await page.getByRole('button', { name: /Import/ }).last().click();
  await expect(page.getByRole('link', { name: 'Collection 1' })).toBeVisible();
  await page.getByRole('link', { name: 'Collection 1' }).click();
  await expect(page.getByRole('link', { name: /submission \d+/ })).toBeVisible();
});
