import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The accounts that `aixgrade serve --demo` creates. */
export const demo = {
  admin: { name: 'admin', password: 'demo-password-admin' },
  ada: { name: 'ada', password: 'demo-password-ada' },
  bo: { name: 'bo', password: 'demo-password-bo' },
  chen: { name: 'chen', password: 'demo-password-chen' },
};

/** An endpoint at which nothing listens, so that the form for collections can be shown. */
const ENDPOINTS = { AIXGRADE_ENDPOINTS: 'nobody=http://127.0.0.1:9/v1' };

/** The images of toolchains, which all servers share: each would spend a minute of processor time on its own. */
const IMAGES = fileURLToPath(new URL('../../target/images', import.meta.url));

/** The program, on a free port, with its own data folder. */
export class Server {
  private process?: ChildProcess;
  private folder = '';
  private printed = '';
  private address = '';
  /** Settles when the previous process has ended: until then the port is in use. */
  private ended: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly args: string[],
    private readonly env: Record<string, string> = {},
  ) {}

  /** Its address, such as `http://127.0.0.1:34567`. */
  get url(): string {
    return this.address;
  }

  /** Its output so far, both streams. */
  get output(): string {
    return this.printed;
  }

  /** The data folder, for a second program over the same data. */
  get data(): string {
    return this.folder;
  }

  /** Starts it over a new data folder. */
  async start(): Promise<void> {
    this.folder = await mkdtemp(path.join(tmpdir(), 'aixgrade-journey-'));
    // Journeys begin with an unrated study and without runs.
    const args = this.args.map((arg) => (arg === '--demo' ? '--demo=study' : arg));
    await this.launch(`127.0.0.1:${await port()}`, args);
  }

  /** Kills it, like a power failure: no handler runs, nothing is flushed. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Starts it again with the same address and data, and with more environment variables. */
  async restart(env: Record<string, string> = {}): Promise<void> {
    await this.ended;
    await this.launch(new URL(this.address).host, [], env);
  }

  /** Ends it and removes its data. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    // A sandbox that was being prepared may still write for a moment.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  private async launch(listen: string, args: string[], env: Record<string, string> = {}): Promise<void> {
    const binary = process.env.AIXGRADE_BINARY;
    if (!binary) {
      throw new Error('AIXGRADE_BINARY names no program; run the journeys with `cargo xtask test`');
    }
    const started = spawn(binary, ['serve', '--listen', listen, '--data', this.folder, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // None of the developer's own settings.
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        AIXGRADE_IMAGES: process.env.AIXGRADE_IMAGES ?? IMAGES,
        ...ENDPOINTS,
        ...this.env,
        ...env,
      },
    });
    this.process = started;
    const from = this.printed.length;
    await new Promise<void>((resolve, reject) => {
      const read = (text: string) => {
        this.printed += text;
        const found = /AixGrade is at (http:\/\/\S+)/.exec(this.printed.slice(from));
        if (found) {
          this.address = found[1];
          resolve();
        }
      };
      for (const stream of [started.stdout, started.stderr]) {
        stream?.setEncoding('utf8').on('data', read);
      }
      started.once('error', reject);
      started.once('exit', (code) => reject(new Error(`the server ended (${code}):\n${this.printed}`)));
    });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const running = this.process;
    this.process = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) {
      return;
    }
    this.ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await this.ended;
  }
}

/**
 * A free port outside the range of automatically assigned ones: while a server is down for a restart, a
 * retrying browser could otherwise be assigned the server's own port as its source, connect to itself, and
 * keep the server from coming back.
 */
async function port(): Promise<number> {
  // Each worker draws from its own range, so that two never try the same port at the same time.
  const worker = Number(process.env.TEST_PARALLEL_INDEX ?? 0) % 4;
  for (;;) {
    const tried = 10_000 + worker * 5_000 + Math.floor(Math.random() * 5_000);
    const free = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(false));
      probe.listen(tried, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (free) {
      return tried;
    }
  }
}
