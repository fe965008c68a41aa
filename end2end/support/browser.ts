import { existsSync } from 'node:fs';

import type { PlaywrightTestOptions, PlaywrightWorkerOptions } from '@playwright/test';

/**
 * The popups of the address bar, which every window of Chromium loads as pages of their own: a fifth of the processor time
 * of a journey.
 */
const popups = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'];

/** What Playwright disables; Chromium reads only the last list on its command line. */
const playwrights = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'BoundaryEventDispatchTracksNodeRemoval',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'Translate',
  'AutoDeElevate',
  'RenderDocument',
  'OptimizationHints',
];

/** Debian's Chromium without windows, which takes a quarter less processor time, or with them. */
const [withoutWindows, withWindows] = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Debian's Chromium, or the one that CHROMIUM names. Playwright's own download is never used. */
export const browser: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> = {
  locale: 'en-GB',
  timezoneId: 'UTC',
  viewport: { width: 1280, height: 800 },
  launchOptions: {
    executablePath: process.env.CHROMIUM ?? (existsSync(withoutWindows) ? withoutWindows : withWindows),
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
      `--disable-features=${[...popups, ...playwrights].join(',')}`,
    ],
  },
};
