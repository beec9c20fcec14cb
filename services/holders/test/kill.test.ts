/** The service in a process of its own, killed with -9 at moments all through its walk. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startAlteredNode, type AlteredNode } from '@hindsight/chain/test/support/altered-node.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, TOKENS } from '@hindsight/devchain/world.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckdbEngine } from '../src/adapters/duckdb-engine.ts';
import { createDuckdbIndex } from '../src/adapters/duckdb-index.ts';
import { SCHEMA } from '../src/adapters/duckdb-schema.ts';
import { ALL_TOKENS } from '../src/domain/tracks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const WITHIN_MS = 600_000;
const KILLS = rounds(4);

let devchain: Devchain;
let node: AlteredNode;
/** Ranges of logs that the node was asked for. */
let ranges = 0;
const folders: string[] = [];

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  node = await startAlteredNode(devchain.url);
  node.alter((method, result) => {
    if (method === 'eth_getLogs') ranges += 1;
    return result;
  });
});
afterAll(async () => {
  await node.close();
  await devchain.stop();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function fresh(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holders-'));
  folders.push(folder);
  return folder;
}

const LISTENS = /listens at (http:\/\/[\d.]+:\d+)/;

/**
 * Runs the service until `moment` resolves, then ends it. The system gives it its port: no search can lose it again. Where it
 * may end in order, it leaves the code that it compiled to the next ones: a start is most of a round.
 */
async function runUntil(
  dataDir: string,
  moment: (urlOf: () => string | undefined) => Promise<unknown>,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
): Promise<void> {
  const child = spawn(process.execPath, ['services/holders/src/main.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
      ETH_RPC_URL: node.url,
      BALANCE_URL: 'http://127.0.0.1:9',
      INDEX_TOKENS: 'all',
      INDEX_FROM: String(CHAIN.story),
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'exit');
  try {
    await moment(() => LISTENS.exec(output)?.[1]);
  } finally {
    child.kill(signal);
    await ended;
  }
}

/** Every row of a file. */
async function contentsOf(dataDir: string): Promise<{ position: Position | null; rows: readonly string[] }> {
  const engine = new DuckdbEngine(join(dataDir, 'holders.duckdb'), { memoryMb: 128, threads: 1 }, SCHEMA);
  try {
    const position = await createDuckdbIndex(engine).position(ALL_TOKENS);
    const sql = "SELECT concat_ws(' ', hex(token), hex(holder), hex(id), block) FROM touched ORDER BY ALL";
    const rows = await engine.use((session) => session.read(sql));
    return { position, rows: rows.map(([row]) => row!) };
  } finally {
    await engine.close();
  }
}

/** Lets the service run until it says that all finalized blocks are in. */
async function runWhole(dataDir: string): Promise<void> {
  await runUntil(
    dataDir,
    (urlOf) =>
      until(
        'all is in',
        async () => {
          const ready = await fetch(`${urlOf() ?? ''}/readyz`).catch(() => undefined);
          const [, done, of] = /following: block (\d+) of (\d+)/.exec((await ready?.text()) ?? '') ?? [];
          return done !== undefined && done === of;
        },
        WITHIN_MS,
        50,
      ),
    'SIGTERM',
  );
}

it(
  `has each touched point once after ${KILLS} kills, and nothing beyond its position`,
  async () => {
    const reference = fresh();
    await runWhole(reference);
    const whole = await contentsOf(reference);
    expect(whole.rows.length).toBeGreaterThan(400);
    expect(new Set(whole.rows).size).toBe(whole.rows.length);
    expect(whole.rows.join('\n')).toContain(TOKENS.uni.address.slice(2).toUpperCase());

    let killed = fresh();
    for (let kill = 0; kill < KILLS; kill++) {
      const before = ranges;
      await runUntil(killed, async () => {
        await until('the walk reads', () => ranges > before, WITHIN_MS, 1);
        await sleep((kill * 7) % 45);
      });
      const { position, rows } = await contentsOf(killed);
      const upTo = position?.number ?? -1;
      expect(rows).toEqual(whole.rows.filter((row) => Number(row.split(' ').at(-1)) <= upTo));
      // Once all is in there is nothing left to interrupt: the next kills are of another walk.
      if (upTo === whole.position?.number && kill < KILLS - 1) killed = fresh();
    }
    await runWhole(killed);
    expect(await contentsOf(killed)).toEqual(whole);
  },
  (KILLS + 2) * WITHIN_MS,
);
