import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serveIn, test } from '../support/test.ts';

const { AIXGRADE_TOOLCHAINS = '' } = process.env;
/** An environment with pytest. */
const environment = path.join(AIXGRADE_TOOLCHAINS, 'projects');
const isThere = AIXGRADE_TOOLCHAINS !== '' && existsSync(path.join(environment, 'bin/python'));

test.skip(!isThere, 'needs a Python environment with pytest, in the folder of AIXGRADE_TOOLCHAINS');

/** The operator's folder with projects. */
const folder = path.join(tmpdir(), `aixgrade-projects-${process.pid}`);

// Before the server starts, which reads the folder.
test.beforeAll(async () => {
  const project = path.join(folder, 'Source_Code/Text/shapes');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(project, name)), { recursive: true });
    await writeFile(path.join(project, name), text);
  }
  await symlink(environment, path.join(project, '.venv'));
});

const server = serveIn({ AIXGRADE_TOOLCHAINS, AIXGRADE_REPOSITORIES: folder }, '--demo');

// One story: projects are prepared, tasks imported, and answers run with the tests of a project.
test.describe.configure({ mode: 'serial' });

test.afterAll(() => rm(folder, { recursive: true, force: true }));

/** A project of our own with a task, in the benchmark's format. */
const code = '    def area(self):\n        return self.side ** 2\n';
const files = {
  'shapes/__init__.py': '',
  'shapes/square.py': `class Square:\n    def __init__(self, side):\n        self.side = side\n\n${code}`,
  'tests/test_square.py': `import pytest

from shapes.square import Square


def test_area():
    assert Square(3).area() == 9


def test_negative_side():
    with pytest.raises(ValueError):
        Square(-1).area()
`,
};
const test_id = (name: string) => `tests/test_square.py::${name}`;
const task = {
  namespace: 'shapes.square.Square.area',
  type: 'method',
  prompt: 'Write the method area of Square.',
  code,
  project_path: 'Text/shapes',
  completion_path: 'Text/shapes/shapes/square.py',
  signature_position: [5, 5],
  body_position: [6, 6],
  indent: 4,
  tests: [test_id('test_area')],
  requirements: {
    'Exception Handling': {
      requirement: 'Raise ValueError for a negative side.',
      unit_test: ['def test_negative_side(): pass'],
      test: test_id('test_negative_side'),
    },
    // A defect of the data: pytest finds no such file.
    'Code Standard': {
      requirement: 'Follow PEP 8.',
      unit_test: ['def test_style(): pass'],
      test: `'${test_id('test_style')}`,
    },
  },
  'multi-turn': ['Exception Handling', 'Code Standard'],
};

const careful = 'def area(self):\n    if self.side < 0:\n        raise ValueError\n    return self.side ** 2\n';
/** Answers, with the verdicts that the authors would have published. */
const answers = [
  { type: 'Exception Handling', completion: `\`\`\`python\n${careful}\`\`\``, Result: 'Pass' },
  { type: 'Code Standard', completion: `\`\`\`python\n${careful}\`\`\``, Result: 'Error' },
].map((answer) => ({ namespace: task.namespace, way: 'single', ...answer }));

const file = (name: string, lines: object[]) => ({
  name,
  mimeType: 'application/jsonl',
  buffer: Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
});

/** What a command prints on both streams, and whether it succeeds. */
async function aixgrade(...args: string[]): Promise<{ text: string; succeeds: boolean }> {
  const env = { ...process.env, AIXGRADE_TOOLCHAINS };
  return promisify(execFile)(process.env.AIXGRADE_BINARY ?? '', ['--data', server.data, ...args], { env }).then(
    ({ stdout, stderr }) => ({ text: stdout + stderr, succeeds: true }),
    ({ stdout, stderr }) => ({ text: stdout + stderr, succeeds: false }),
  );
}

test('the command line says which projects are ready, and how to get the others', async ({}, info) => {
  const checkout = info.outputPath('checkout');
  await mkdir(path.join(checkout, 'repo'), { recursive: true });
  await writeFile(path.join(checkout, 'repo/L_9.jsonl'), `${JSON.stringify(task)}\n`);
  // The operator's own project is in no recipe, so it is not asked for here.
  const unknown = await aixgrade('codeif', 'prepare', folder, 'Text/shapes', '--benchmark', checkout);
  expect(unknown.succeeds).toBe(false);
  expect(unknown.text).toContain('CodeIF-Bench has no project Text/shapes; its projects are: ');
  const without = await aixgrade('codeif', 'prepare', folder, 'Scientific-Engineering/folium', '--benchmark', checkout);
  expect(without.succeeds).toBe(false);
  expect(without.text).toContain('FAIL  Scientific-Engineering/folium: ');
  expect(without.text).toContain('0 of 1 projects are ready');
});

test('the server runs answers with the tests of a project', async ({ page }) => {
  await logIn(page, demo.admin);
  await open(page, '/admin/datasets');
  await page.getByLabel('Files or archive').setInputFiles(file('L_9.jsonl', [task]));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.waitForURL(/imported=codeif-bench-l-9/);
  await open(page, '/admin/datasets/codeif-bench-l-9');
  await expect(page.getByText('begins with a quotation mark')).toBeVisible();

  await open(page, '/admin/upload?dataset=codeif-bench-l-9');
  await page.getByLabel('Outputs').setInputFiles(file('talker_single.jsonl', answers));
  await page.getByRole('button', { name: 'Upload and preview' }).click();
  await hydrated(page);
  await page.getByLabel('Model').fill('Talker');
  await page.getByRole('button', { name: /^Import 2 outputs/ }).click();
  await page.waitForURL(/\/admin\/submissions\/\d+$/);
  await hydrated(page);
  await page.getByRole('button', { name: 'Run tests' }).click();
  await page.waitForURL(/\/admin\/runs\/\d+$/);
  await expect(page.locator('.run-state .badge')).toHaveText('Finished', { timeout: 600_000 });
  const verdicts = page.getByRole('table', { name: 'Verdicts' });
  await expect(verdicts.getByRole('row').filter({ hasText: 'passed' }).first()).toContainText('1');
  // The defect of the data is no verdict: the guarded figure does not count it.
  await expect(page.getByText(/1 output is not counted/)).toBeVisible();

  await open(page, '/admin/conversations');
  const row = page.getByRole('row').filter({ hasText: 'Talker' }).first();
  await expect(row).toContainText('1 / 2');
  await expect(row).toContainText('1 not counted');
  // The verdicts as published equal the authors'.
  const { text } = await aixgrade('runs', 'conversations');
  expect(text).toContain('2/2 (1/1 without defects)');
});
