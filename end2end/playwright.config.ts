import { defineConfig } from '@playwright/test';

import { browser } from './support/browser.ts';

/**
 * Journeys through the built program in a real browser. `cargo xtask test` builds it and names it in
 * AIXGRADE_BINARY. Most run hydrated; what must work without scripts is tagged @scriptless and runs
 * in a browser that has them switched off.
 */
export default defineConfig({
  testDir: 'journeys',
  outputDir: 'test-results/traces',
  forbidOnly: true,
  // Spec files run in parallel, each with a server, a data folder and a port of its own; the tests of a file run in
  // order, because they tell one story. Two cores carry two browsers.
  workers: Number(process.env.AIXGRADE_WORKERS ?? 2),
  fullyParallel: false,
  // A journey that passes at its second try has found something.
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [
    ['list'],
    ['json', { outputFile: process.env.AIXGRADE_REPORT ?? 'test-results/report.json' }],
  ],
  use: { ...browser, trace: 'retain-on-failure' },
  projects: [
    { name: 'hydrated', grepInvert: /@scriptless/ },
    { name: 'scriptless', grep: /@scriptless/, use: { javaScriptEnabled: false } },
  ],
});
