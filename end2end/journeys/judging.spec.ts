import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { logIn, open, openMenu } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

/** A judge that forgets a dimension when it is first asked, and then gives the same scores to all. */
const asked: { messages: { role: string; content: string }[] }[] = [];
const endpoint = createServer((request, answer) => {
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    asked.push(JSON.parse(body));
    const whole = { correctness: 3, code_quality: 2, maintainability: 4 };
    const scores = asked.length === 1 ? { correctness: 3 } : whole;
    const content = JSON.stringify({ comment: 'Fine, <b>really</b>.', scores });
    const choices = [{ message: { role: 'assistant', content }, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 11, completion_tokens: 22 };
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ model: 'j-1', choices, usage }));
  });
});
await new Promise<void>((ready) => endpoint.listen(0, '127.0.0.1', ready));
endpoint.unref();
const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`;

serve('--demo=results', '--endpoint', `local=${url}`);

test('a model judges the outputs of a study', async ({ page, watch }) => {
  watch.expect(/422/);
  await logIn(page, demo.admin);
  await open(page, '/admin/studies/1');
  await openMenu(page);
  await page.getByRole('link', { name: 'Judge with a model' }).first().click();
  await page.getByLabel('Judge model').fill('Judge A');
  await page.getByLabel('Order of levels').selectOption('worst_first');
  await page.getByText('Sampling and limits').click();
  await page.getByLabel('Maximum tokens per response').fill('100');
  await page.getByLabel('Additional request fields').fill('nonsense');
  await page.getByRole('button', { name: 'Preview prompts and cost' }).click();
  await expect(page.getByText('this is not a JSON object')).toBeVisible();
  await page.getByLabel('Additional request fields').fill('');
  await page.getByRole('button', { name: 'Preview prompts and cost' }).click();

  // A draft shows its prompts and sends nothing.
  await expect(page.getByText('You grade code that was written for a task').first()).toBeVisible();
  expect(asked).toHaveLength(0);
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByText('Finished', { exact: true })).toBeVisible();
  expect(asked.filter((one) => one.messages[1].content.includes('An earlier answer could not be used'))).toHaveLength(1);

  // Answers with their scores; what a judge writes is text.
  await page.getByRole('row', { name: 'no valid answer' }).getByRole('link').first().click();
  await expect(page.getByText('The answer is not valid: the dimension "code_quality" has no score.')).toBeVisible();
  const judged = page.getByRole('row').filter({ has: page.locator('.scores') }).last();
  await expect(judged.locator('.score')).toHaveText(['3', '2', '4']);
  await judged.getByRole('link').first().click();
  await expect(page.getByText('Scores:').locator('.score')).toHaveText(['3', '2', '4']);
  await expect(page.getByText('<b>really</b>')).toBeVisible();
  await page.getByRole('link', { name: 'Comparison with people' }).click();
  await expect(page.getByRole('heading', { name: 'Judge models and human ratings' })).toBeVisible();
});
