import { defineConfig } from '@playwright/test';

import { browser } from './support/browser.ts';

/**
 * Journeys through the built program in a real browser. `cargo xtask test` builds it and passes it in
 * AIXGRADE_BINARY. Most run hydrated; those that must work without scripts are tagged @scriptless and run
 * in a browser with scripts disabled.
 */
export default defineConfig({
  testDir: 'journeys',
  outputDir: 'test-results/traces',
  forbidOnly: true,
  // Spec files run in parallel, each with its own server, data folder and port; the tests of a file run in
  // order, because they tell one story. Two cores suffice for two browsers.
  workers: Number(process.env.AIXGRADE_WORKERS ?? 2),
  fullyParallel: false,
  // A journey that passes only on retry has found a problem.
  retries: 0,
  // Generous: a slow machine is not a failure, and what hangs still ends. Some tests visit every page.
  timeout: 1_800_000,
  expect: { timeout: 120_000 },
  reporter: [
    ['list'],
    ['json', { outputFile: process.env.AIXGRADE_REPORT ?? 'test-results/report.json' }],
  ],
  // A trace of each action takes a third of the time. CI keeps no files, so it has no use for them.
  use: {
    ...browser,
    trace: process.env.CI ? 'off' : 'retain-on-failure',
    // A click on what stays disabled would otherwise wait as long as its test may take.
    actionTimeout: 120_000,
    navigationTimeout: 600_000,
  },
  projects: [
    { name: 'hydrated', grepInvert: /@scriptless/ },
    { name: 'scriptless', grep: /@scriptless/, use: { javaScriptEnabled: false } },
  ],
});
