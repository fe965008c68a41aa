import { defineConfig } from '@playwright/test';

import { browser } from '../support/browser.ts';

/**
 * Screenshots of every page, for people to look at; not a test. `npm run shots` with AIXGRADE_BINARY set;
 * SHOTS is the output folder (otherwise a new folder under the system's temporary one).
 */
export default defineConfig({
  testDir: '.',
  outputDir: '../test-results/shots',
  workers: 1,
  retries: 0,
  reporter: [['list']],
  use: { ...browser },
});
