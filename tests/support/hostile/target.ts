/** The one-process installation, which reports the processor time of its event loop for a request. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFastKey } from '../fast-key.ts';
import { startHindsight, type HindsightProcess } from '../hindsight-process.ts';
import type { PortalPlace } from './portal-inputs.ts';
import type { HostileInput } from './requests.ts';
import { RawClient } from './raw-client.ts';

/** Cost of requests. */
export interface Cost {
  readonly ms: number;
  /** Milliseconds of processor time between two turns of a timer of 5 ms. */
  readonly longestTurnMs: number;
  readonly statuses: readonly number[];
}

/** An installation under attack. */
export interface Target {
  readonly portal: PortalPlace;
  /**
   * Sends requests one after another.
   * @returns milliseconds of processor time on the event loop's thread for all of them, and their statuses
   */
  cost(inputs: readonly HostileInput[]): Promise<Cost>;
  stop(): Promise<void>;
}

const HOOK = new URL('report-processor-time.ts', import.meta.url).href;
const PASSWORD = 'a few unrelated words';
const EMAIL = 'ada@example.org';

/**
 * Starts it with a project that no limit stops, and a reader who is signed in. @param nodeUrl by default a
 * new dev chain
 */
export async function startTarget(nodeUrl?: string): Promise<Target> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-hostile-'));
  const hindsight = await startHindsight({
    DATA_DIR: dataDir,
    ...(nodeUrl === undefined ? {} : { ETH_RPC_URL: nodeUrl }),
    LOG_LEVEL: 'fatal',
    // Every request comes from another address, so that no limit of an address answers.
    TRUST_PROXY: '127.0.0.1',
    NODE_OPTIONS: `--import=${HOOK}`,
  });
  const key = await makeFastKey(dataDir, { monthlyLimit: 1_000_000_000, rate: 100_000 });
  const cookie = await signUp(hindsight.portalUrl);
  const servers = {
    gateway: {
      client: new RawClient(hindsight.url),
      host: new URL(hindsight.url).host,
      own: `x-api-key: ${key}`,
    },
    portal: {
      client: new RawClient(hindsight.portalUrl),
      host: new URL(hindsight.portalUrl).host,
      own: `cookie: ${cookie}`,
    },
  };
  let sent = 0;
  return {
    portal: { origin: hindsight.portalUrl, project: await projectOf(hindsight.portalUrl, cookie) },
    async cost(inputs) {
      // Made beforehand: the measurement is of reading them.
      const requests = inputs.map((input) => {
        const { client, host, own } = servers[input.server];
        sent += 1;
        const address = `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`;
        return { client, bytes: input.bytes({ host, headers: [own, `x-forwarded-for: ${address}`] }) };
      });
      const statuses: number[] = [];
      const before = await processorTime(hindsight);
      for (const { client, bytes } of requests) statuses.push(await client.send(bytes));
      const after = await processorTime(hindsight);
      const ms = (after.spent - before.spent) / 1_000;
      return { ms, longestTurnMs: after.longest / 1_000, statuses };
    },
    async stop() {
      for (const { client } of Object.values(servers)) client.close();
      await hindsight.end('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Microseconds since its start, and of the longest turn since the last question. */
function processorTime({ child }: HindsightProcess): Promise<{ spent: number; longest: number }> {
  return new Promise((resolve, reject) => {
    let output = '';
    const ended = (): void => reject(new Error(`the installation has ended:\n${output}`));
    const onData = (chunk: Buffer): void => {
      output += chunk.toString();
      const [, spent, longest] = /^processor time (\d+), longest turn (\d+)\n/m.exec(output) ?? [];
      if (spent === undefined) return;
      child.stdout?.off('data', onData);
      child.off('exit', ended);
      resolve({ spent: Number(spent), longest: Number(longest) });
    };
    child.stdout?.on('data', onData);
    child.once('exit', ended);
    child.kill('SIGUSR2');
  });
}

/** The path of the reader's own project. */
async function projectOf(portal: string, cookie: string): Promise<string> {
  const { status, headers } = await fetch(`${portal}/dashboard`, { headers: { cookie }, redirect: 'manual' });
  if (status !== 303) throw new Error(`the dashboard was answered ${status}`);
  return headers.get('location') ?? '';
}

/** Signs a user up. @returns the cookies of the session */
export async function signUp(portal: string): Promise<string> {
  const cookies = new Map<string, string>();
  const post = async (path: string, fields: Record<string, string>): Promise<void> => {
    const answer = await fetch(portal + path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: portal, cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      redirect: 'manual',
    });
    await answer.arrayBuffer();
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
  };
  await post('/sign-up', { email: EMAIL, password: PASSWORD, next: '/account' });
  const mails = await (await fetch(`${portal}/outbox`)).text();
  const [, token = ''] = /\/verify\?token=([\w-]+)/.exec(mails) ?? [];
  await post('/verify', { token });
  if (!cookies.has('hindsight-session')) throw new Error('no user is signed in');
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}
