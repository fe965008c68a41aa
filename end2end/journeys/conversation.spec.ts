import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { atScales, hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serve, test } from '../support/test.ts';

/** A judge that finds the first instruction followed and the second not. */
const endpoint = createServer((request, answer) => {
  request.resume();
  request.on('end', () => {
    const scores = { correctness: 4, code_quality: 3, maintainability: 5, instruction_1: 1, instruction_2: 0 };
    const content = JSON.stringify({ comment: '', scores });
    const choices = [{ message: { role: 'assistant', content }, finish_reason: 'stop' }];
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ model: 'j-1', choices }));
  });
});
await new Promise<void>((ready) => endpoint.listen(0, '127.0.0.1', ready));
endpoint.unref();

serve('--demo', '--endpoint', `local=http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`);

// One story: conversations are imported, a study rates their last answers, the comparison shows the
// instructions, and a judge model answers about them.
test.describe.configure({ mode: 'serial' });

/** Tasks of our own in the benchmark's format. */
const tasks = [1, 2].map((id) => ({
  task_id: id,
  prompt: `Write a function f${id}.`,
  test: ['assert True'],
  code: `def f${id}(): return ${id}`,
  requirements: {
    'Edge Case Handling': { requirement: 'Return 0 for an empty list.', unit_test: ['assert True'] },
    'Annotation Coverage': { requirement: 'Annotate <every> parameter.', unit_test: ['assert True'] },
  },
  'multi-turn': ['Edge Case Handling', 'Annotation Coverage'],
}));

/** What a model answered, turn by turn. */
const answers = tasks.flatMap(({ task_id }) => [
  { task_id, code: `def f${task_id}(xs):\n    return sum(xs)\n` },
  { task_id, code: `def f${task_id}(xs):\n    if not xs:\n        return 0\n    return sum(xs)\n` },
  { task_id, code: `def f${task_id}(xs: list[int]):\n    if not xs:\n        return 0\n    return sum(xs)\n` },
].map((line, turn) => ({ ...line, way: 'n', turn })));

const file = (name: string, lines: object[]) => ({
  name,
  mimeType: 'application/jsonl',
  buffer: Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
});

let study = '';

test('conversations are imported, and a study rates their last answers', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/datasets');
  await page.getByLabel('Files or archive').setInputFiles(file('L_1_part_1.jsonl', tasks));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.waitForURL(/imported=codeif-bench-/);
  const dataset = new URL(page.url()).searchParams.get('imported');
  await open(page, `/admin/upload?dataset=${dataset}`);
  await page.getByLabel('Outputs').setInputFiles(file('talker_n.jsonl', answers));
  await page.getByRole('button', { name: 'Upload and preview' }).click();
  await hydrated(page);
  await page.getByLabel('Model').fill('Talker');
  await page.getByRole('button', { name: /^Import 6 outputs/ }).click();
  await page.waitForURL(/\/admin\/submissions\/\d+$/);

  await open(page, '/admin/rubrics/new?from=aixbench');
  await page.getByLabel('Short name').fill('instructed');
  await page.getByLabel('One item for each instruction of a conversation').check();
  await page.getByRole('button', { name: 'Save version' }).click();
  await expect(page.getByText('Saved as version 1.')).toBeVisible();

  await open(page, `/admin/studies/new?dataset=${dataset}`);
  await page.getByLabel('Title').fill('Conversations');
  await page.getByLabel('Rubric').selectOption('instructed 1');
  await page.getByRole('group', { name: 'Submissions to rate' }).getByRole('checkbox').check();
  for (const name of [/^ada\b/, /^bo\b/]) {
    await page.getByRole('checkbox', { name }).check();
  }
  await page.getByLabel('Raters per output').fill('2');
  await expect(page.getByLabel('Answers to rate')).toHaveValue('last');
  await page.getByRole('button', { name: 'Preview plan' }).click();
  await expect(page.getByText('The last answer of each conversation')).toBeVisible();
  await page.getByRole('button', { name: 'Start study' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  study = /\d+/.exec(new URL(page.url()).pathname)?.[0] ?? '';
});

for (const [who, follows] of [['ada', '1'], ['bo', '0']] as const) {
  test(`${who} reads the conversation and answers for each instruction`, async ({ page }) => {
    await logIn(page, demo[who]);
    const card = page.locator('li.card').filter({ hasText: 'Conversations' });
    await card.getByRole('link', { name: 'Start' }).click();
    await hydrated(page);
    for (let n = 0; n < 2; n += 1) {
      await expect(page.getByText(new RegExp(`^${n} rated, `)).first()).toBeVisible();
      await atScales(page);
      const conversation = page.locator('.conversation');
      await expect(conversation).toContainText('Turn 2 · Type annotations');
      await expect(conversation).toContainText('Annotate <every> parameter.');
      await expect(page.locator('body')).not.toContainText('Talker');
      // What changed since the previous answer, by signs and elements, not by color alone.
      const changes = conversation.getByRole('region', { name: 'Turn 2: Changes since the previous answer' });
      await expect(changes.locator('ins')).toContainText('Added: + def f');
      await expect(changes.locator('del')).toContainText('Removed: − def f');
      // Earlier answers are folded.
      const first = conversation.getByRole('region', { name: 'Turn 0: Answer', includeHidden: true });
      await expect(first).toBeHidden();
      await conversation.locator('summary').first().click();
      await expect(first).toContainText('return sum(xs)');
      await page.locator('#score-0-4').focus();
      for (const key of ['4', '3', '5', follows, '1']) {
        await page.keyboard.press(key);
      }
      await expect(page.locator('#score-4-1')).toBeChecked();
      await page.keyboard.press('Enter');
    }
    await expect(page.getByText('Conversations').first()).toBeVisible();
    await expect(page.locator('form.rating')).toHaveCount(0);
  });
}

test('the comparison shows the share of followed instructions', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, `/admin/studies/${study}`);
  const compare = await page.locator('a[href^="/admin/compare/codeif-bench"]').first().getAttribute('href');
  await open(page, compare ?? '');
  const table = page.getByRole('group', { name: /^Instructions followed/ });
  // Bo says no to the first instruction of both outputs, and both say yes to the second.
  await expect(table.getByRole('row').filter({ hasText: 'Edge cases' })).toContainText('50%');
  await expect(table.getByRole('row').filter({ hasText: 'Type annotations' })).toContainText('100%');
});

test('an adjudicator answers about an instruction on which raters disagree', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, `/admin/studies/${study}/quality`);
  await page.locator('[name="settings[spread]"]').fill('1');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Settings saved.')).toBeVisible();
  await open(page, `/admin/studies/${study}/disagreements`);
  const card = page.locator('ul.disagreements > li').first();
  await expect(card.getByRole('columnheader', { name: 'Turn 1 · Edge cases' })).toBeVisible();
  await expect(card.getByRole('row').filter({ hasText: 'bo' })).toContainText('No');
  await card.getByRole('link', { name: /^Adjudicate/ }).click();
  // The list that was left has a table for each output.
  await expect(page.getByRole('button', { name: 'Save final scores' })).toBeVisible();
  await hydrated(page);
  // The answers are beside the scores, and the instruction above its yes and no.
  await expect(page.getByRole('region', { name: 'Ratings to compare' })).toContainText('Turn 2 · Type annotations');
  await expect(page.getByRole('group', { name: /^Turn 1 · Edge cases/ })).toContainText('Return 0 for an empty list.');
  for (const [place, value] of ['4', '3', '5', '1', '1'].entries()) {
    await page.locator(`[name="scores[${place}]"][value="${value}"]`).check();
  }
  await page.getByRole('button', { name: 'Save final scores' }).click();
  await expect(page.getByText('Your adjudication is saved.')).toBeVisible();
  await open(page, `/admin/studies/${study}`);
  const compare = await page.locator('a[href^="/admin/compare/codeif-bench"]').first().getAttribute('href');
  await open(page, `${compare ?? ''}&scores=final`);
  // Bo's no counts for one of the two outputs only.
  const table = page.getByRole('group', { name: /^Instructions followed/ });
  await expect(table.getByRole('row').filter({ hasText: 'Edge cases' })).toContainText('75%');
});

test('a judge model answers for each instruction, beside people', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, `/admin/judgings/new?study=${study}`);
  await page.getByLabel('Judge model').fill('Judge A');
  await page.getByRole('button', { name: 'Preview prompts and cost' }).click();
  await expect(page.getByText(/<<<instruction_2 [0-9a-f]{16}>>>\s+Annotate <every> parameter\./).first()).toBeVisible();
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByText('Finished', { exact: true })).toBeVisible();
  const judged = page.getByRole('row').filter({ has: page.locator('.scores') }).last();
  await expect(judged.locator('.score')).toHaveText(['4', '3', '5']);
  await judged.getByRole('link').first().click();
  await expect(page.getByText('Instructions: Turn 1: followed, Turn 2: not followed')).toBeVisible();
  await page.getByRole('link', { name: 'Comparison with people' }).click();
  const row = page.locator('#judges').getByRole('row').filter({ hasText: 'Instruction: Type annotations' }).first();
  // Both people say yes to the second instruction.
  await expect(row).toContainText('judge model and people');
  await expect(row).toContainText('0%');
});
