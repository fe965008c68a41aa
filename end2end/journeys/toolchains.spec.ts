import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { hydrated, logIn, open } from '../support/steps.ts';
import { demo, expect, serveIn, test } from '../support/test.ts';

/** A folder at the front of the server's search path, with the npm of this story. */
const bin = path.join(tmpdir(), `aixgrade-npm-${process.pid}`);

test.beforeAll(() => mkdir(bin));

const server = serveIn({ PATH: `${bin}:${process.env.PATH}` }, '--demo');

test.afterAll(() => rm(bin, { recursive: true, force: true }));

/** Replaces npm by a shell script, so that no registry is needed. */
async function npm(script: string): Promise<void> {
  const file = path.join(bin, 'npm');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
}

/** What `npm ci` leaves: the module, once the story lets it end. */
const installs = `
while [ ! -e '${bin}/ends' ]; do sleep 0.05; done
mkdir -p node_modules/js-md5/src
echo '{"name": "js-md5", "version": "0.7.3", "main": "src/md5.js"}' > node_modules/js-md5/package.json
echo 'module.exports = String;' > node_modules/js-md5/src/md5.js`;

test('an admin installs what a submission lacks from its page, and runs it', async ({ page }) => {
  await promisify(execFile)(process.env.AIXGRADE_BINARY ?? '', ['--data', server.data, 'import', 'starter-languages']);
  await npm('echo "no network" >&2; exit 1');
  await logIn(page, demo.admin);
  await open(page, '/admin/submissions?dataset=starter-javascript');
  const submission = page.getByRole('row').filter({ hasText: 'starter-javascript' }).filter({ hasText: 'Northwind 2' });
  await submission.getByRole('link').first().click();
  await page.waitForURL(/\/admin\/submissions\/\d+$/);
  await hydrated(page);
  const notice = page.locator('.notice').filter({ hasText: 'JavaScript' });
  const install = page.getByRole('button', { name: "Install JavaScript's toolchain" });
  await expect(notice).toContainText('Outputs in JavaScript cannot be run on this machine: the module js-md5 was not found');
  await expect(notice).toContainText('checks every file by its recorded hash');

  // A failure says why, and leaves the button.
  await install.click();
  await expect(notice).toContainText("JavaScript's toolchain could not be installed");
  await expect(notice).toContainText('no network');

  await npm(installs);
  await install.click();
  await expect(notice).toContainText("Installing JavaScript's toolchain, part 1 of 1: js-md5 0.7.3");
  await expect(install).toHaveCount(0);
  await writeFile(path.join(bin, 'ends'), '');
  await expect(notice).toContainText("JavaScript's toolchain is installed.");
  await expect(notice).not.toContainText('cannot be run');

  await page.getByRole('button', { name: 'Run tests' }).click();
  await page.waitForURL(/\/admin\/runs\/\d+$/);
  await expect(page.locator('.run-state .badge')).toHaveText('Finished', { timeout: 600_000 });
  await expect(page.getByText(/^4 of 4 \(100%\)$/)).toBeVisible();
  const verdicts = page.getByRole('table', { name: 'Verdicts' });
  await expect(verdicts.getByRole('row').filter({ hasText: 'passed' }).first()).toContainText('4');

  await open(page, '/admin/audit');
  await expect(page.getByRole('row').filter({ hasText: 'toolchain' })).toHaveCount(2);
});
