import { type Page, expect, test as base } from '@playwright/test';

import { Server } from './server.ts';

export { expect } from '@playwright/test';
export { demo } from './server.ts';

let current: Server | undefined;

/** Forbidden behavior of a page. */
class Watch {
  readonly faults: string[] = [];
  // Navigating before the client has arrived aborts its loading, before or after the response has begun; that is no fault.
  private readonly expected: RegExp[] = [/Response body loading was aborted/, /^TypeError: Failed to fetch$/];

  /** Ignores a browser message that this journey provokes. */
  expect(complaint: RegExp): void {
    this.expected.push(complaint);
  }

  follow(page: Page): void {
    page.on('request', (request) => {
      const url = new URL(request.url());
      const ours = !url.protocol.startsWith('http') || url.origin === current?.url;
      if (!ours) {
        this.faults.push(`asked another host: ${request.url()}`);
      }
    });
    page.on('pageerror', (error) => this.complain(`${error}`));
    // Violations of the Content-Security-Policy and hydration mismatches arrive here.
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') {
        this.complain(`${message.type()}: ${message.text()}`);
      }
    });
  }

  private complain(text: string): void {
    if (!this.expected.some((expected) => expected.test(text))) {
      this.faults.push(text);
    }
  }
}

/**
 * Every test runs against the server of its spec file (`serve`), and fails if a page contacts another host,
 * violates the Content-Security-Policy, or logs an error.
 */
export const test = base.extend<{ watch: Watch }>({
  baseURL: async ({}, use) => {
    await use(current?.url);
  },
  watch: [
    async ({ page }, use) => {
      const watch = new Watch();
      // Without scripts nothing uses the code that a document preloads, and on a busy machine not within a few seconds.
      watch.expect(/was preloaded using link preload but not used/);
      watch.follow(page);
      await use(watch);
      expect(watch.faults).toEqual([]);
    },
    { auto: true },
  ],
});

/** Gives a spec file a new server; `--demo` adds accounts, the starter dataset and a study. */
export function serve(...args: string[]): Server {
  return serveIn({}, ...args);
}

/** The same with other environment variables for the server. */
export function serveIn(env: Record<string, string>, ...args: string[]): Server {
  const server = new Server(args, env);
  test.beforeAll(async () => {
    current = server;
    await server.start();
  });
  test.afterAll(async () => {
    await server.stop();
  });
  return server;
}
