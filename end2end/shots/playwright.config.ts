import { defineConfig } from '@playwright/test';

import { browser } from '../support/browser.ts';

/**
 * Pictures of every page, for people to look at; no test. `npm run shots` with AIXGRADE_BINARY set;
 * SHOTS says where they go (a fresh folder under the system's temporary one otherwise).
 */
export default defineConfig({
  testDir: '.',
  outputDir: '../test-results/shots',
  workers: 1,
  retries: 0,
  reporter: [['list']],
  use: { ...browser },
});
