import type { PlaywrightTestOptions, PlaywrightWorkerOptions } from '@playwright/test';

/** Debian's Chromium, or the one that CHROMIUM names. Playwright's own download is never used. */
export const browser: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> = {
  locale: 'en-GB',
  timezoneId: 'UTC',
  viewport: { width: 1280, height: 800 },
  launchOptions: {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      // The tests may run as root in a container, where Chromium's own sandbox cannot start.
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      // Only our own server may be contacted; these features would call home.
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  },
};
