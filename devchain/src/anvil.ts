/** anvil as a process: started, watched, ended with its parent however that dies. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import { ask } from './client.ts';
import { CHAIN } from './world.ts';

const require = createRequire(import.meta.url);
const START_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 2_000;
/** Longest part of anvil's stderr in an error message. */
const STDERR_LIMIT = 2_000;

/**
 * anvil lives on when its parent is killed. So a shell starts that becomes anvil and leaves a watcher behind,
 * which reads a pipe that this process alone holds open. When the pipe ends (this process stopped, or died by
 * any signal), the watcher kills anvil. A line on the pipe dismisses the watcher: anvil is gone already, and
 * its process id may soon belong to another process.
 */
const WATCHED = `exec 3<&0
(read -r line <&3 || kill -9 $$) >/dev/null 2>&1 &
exec "$0" "$@" </dev/null 3<&-`;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export interface Anvil {
  pid: number;
  url: string;
  /** Ends anvil at once; resolves when it is gone. It leaves nothing on disk. */
  stop: () => Promise<void>;
}

export interface AnvilOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  log: (line: string) => void;
  /** The rules of its chain, by anvil's names; default cancun. */
  hardfork?: string;
  /** Default: mainnet's. */
  chainId?: number;
  /** Height of its first block; default: the story's. */
  first?: number;
  /** Unix seconds of its first block; default: the story's. */
  time?: number;
}

/**
 * A chain without a story, for tests that only need one; it starts at once. Changed state shows once a block
 * is mined.
 */
export function startEmptyChain(options: Pick<AnvilOptions, 'chainId'> = {}): Promise<Anvil> {
  return startAnvil({ host: '127.0.0.1', port: 0, log: () => undefined, ...options });
}

interface FundedChain {
  readonly chainId: number;
  readonly account: string;
  readonly wei: bigint;
  /** Number of blocks after the first. */
  readonly blocks: number;
}

/** An empty chain on which an account has ether from the second block on. */
export async function startFundedChain({ chainId, account, wei, blocks }: FundedChain): Promise<Anvil> {
  const chain = await startEmptyChain({ chainId });
  await ask(chain.url, 'anvil_setBalance', account, `0x${wei.toString(16)}`);
  await ask(chain.url, 'anvil_mine', `0x${blocks.toString(16)}`);
  return chain;
}

/** Resolves when anvil listens; rejects if it is not installed or does not come up. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { log } = options;
  // A separate process group, so that Ctrl-C reaches the parent alone and answers can be finished; an empty
  // environment, because anvil needs none.
  const child = spawn('/bin/sh', ['-c', WATCHED, anvilBinary(), ...flags(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: {},
  });
  let stopping = false;
  const gone = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      child.stdin.end('gone\n');
      if (!stopping) log(`anvil ended by itself (${signal ?? `exit code ${code}`})`);
      resolve();
    });
    child.once('error', () => resolve());
  });
  // The watcher has ended first and closed the pipe: nothing to do.
  child.stdin.on('error', () => undefined);
  const stop = async () => {
    stopping = true;
    child.stdin.end();
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await gone;
    clearTimeout(late);
  };
  try {
    const address = await listening(child);
    if (child.pid === undefined) throw new Error('anvil has no process id');
    log(`anvil listens on ${address}`);
    return { pid: child.pid, url: `http://${address}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Reads the address from anvil's output, and keeps draining its pipes. */
async function listening(child: Child): Promise<string> {
  let complaint = '';
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-STDERR_LIMIT);
  });
  const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
  const address = new Promise<string>((resolve) => {
    const read = (text: string) => {
      printed += text;
      const found = /^Listening on (\S+)\s/m.exec(printed)?.[1];
      if (found === undefined) return;
      child.stdout.off('data', read).resume();
      resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', read);
  });
  const ended = once(child, 'exit', { signal: deadline }).then(
    () => {
      throw new Error(`anvil did not come up: ${complaint.trim() || 'it ended without a word'}`);
    },
    (error: unknown) => {
      if (!deadline.aborted) throw new Error('the dev chain cannot be started', { cause: error });
      throw new Error(`anvil did not listen within ${START_TIMEOUT_MS} ms`);
    },
  );
  return Promise.race([address, ended]);
}

function flags({ host, port, hardfork = 'cancun', chainId, first, time }: AnvilOptions): string[] {
  return [
    ...['--host', host, '--port', String(port), '--accounts', '0'],
    ...['--chain-id', String(chainId ?? CHAIN.id), '--number', String(first ?? CHAIN.story)],
    ...['--timestamp', String(time ?? CHAIN.storyTime), '--hardfork', hardfork],
    // All states stay in memory: by default the oldest are moved to disk and lost.
    ...['--prune-history', '1000000'],
    ...['--order', 'fifo', '--base-fee', '0', '--no-mining', '--auto-impersonate'],
  ];
}

/** npm installs anvil's binary for this machine only, as an optional dependency of its package. */
function anvilBinary(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${arch}/bin/anvil`;
  try {
    const wrapper = require.resolve('@foundry-rs/anvil/package.json');
    return createRequire(wrapper).resolve(name);
  } catch (error) {
    throw new Error(
      `anvil is not installed (${name}): the dev chain needs npm's optional dependencies; without it set ETH_RPC_URL`,
      { cause: error },
    );
  }
}
