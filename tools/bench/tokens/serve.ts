/** Requests for pages of a large list, against a bare route and against each other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { load, report, type LoadResult } from '../load.ts';
import { startService } from '../service-process.ts';

const LIST = '/v1/eth-mainnet/token';
/** The requests: page 1 and page 10,000 of each list, and searches, broad and narrow, first and deep. */
const QUESTIONS = {
  'page 1': '?limit=10&page=1',
  'page 10,000': '?limit=10&page=10000',
  'page 1, token_type=erc20': '?limit=10&page=1&token_type=erc20',
  'page 10,000, token_type=erc20': '?limit=10&page=10000&token_type=erc20',
  'search "u"': '?limit=10&search=u',
  'search "uniswap v2", page 10,000': '?limit=10&search=uniswap+v2&page=10000',
  'search "moon dragon", erc721': '?limit=10&search=moon+dragon&token_type=erc721',
} as const;
type Question = keyof typeof QUESTIONS;

const ROUNDS = 5;
const CONNECTIONS = 16;
const REQUESTS = 8_000;
const LATENCY_REQUESTS = 1_500;

/** Measures and prints. `folder` holds a filled index. */
export async function serve(folder: string): Promise<void> {
  const service = await startService('tokens', {
    DATA_DIR: folder,
    ETH_RPC_URL: 'http://127.0.0.1:1',
    TOKENS_INDEX: 'off',
    LOG_LEVEL: 'info',
  });
  try {
    const names = Object.keys(QUESTIONS) as Question[];
    for (const name of names) await expectFull(service.url, name);
    const latency = await inTurns(names, (name) => ask(service.url, name, 1, LATENCY_REQUESTS));
    for (const name of names) {
      const baseline = latency[name.includes('erc20') ? 'page 1, token_type=erc20' : 'page 1'].p50;
      const { p50 } = latency[name];
      const micros = `${Math.round(p50 * 1000)} µs`;
      console.log(
        `${name.padEnd(40)} p50 ${micros.padStart(8)}  ratio to page 1: ${(p50 / baseline).toFixed(2)}`,
      );
    }
    await againstBareRoute(folder, service.url);
  } finally {
    await service.stop();
  }
}

async function expectFull(url: string, name: Question): Promise<void> {
  const { body } = await request(url + LIST + QUESTIONS[name]);
  const { tokens, total } = (await body.json()) as { tokens: unknown[]; total: number };
  if (tokens.length !== 10) throw new Error(`${name} has ${tokens.length} rows of ${total}`);
}

function ask(url: string, name: Question, connections: number, requests: number): Promise<LoadResult> {
  const path = LIST + QUESTIONS[name];
  return load({ url, connections, requests, request: () => ({ method: 'GET', path }) });
}

/** Each in turn, several rounds; of each the median round. The first round warms up. */
async function inTurns<T extends string>(
  names: readonly T[],
  measure: (name: T) => Promise<LoadResult>,
): Promise<Record<T, LoadResult>> {
  const results = new Map<T, LoadResult[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of names) {
      const result = await measure(name);
      if (round > 0) results.get(name)?.push(result);
    }
  }
  const median = (all: LoadResult[]): LoadResult =>
    all.sort((a, b) => a.perSecond - b.perSecond)[Math.floor(all.length / 2)] ?? {
      perSecond: 0,
      p50: 0,
      p99: 0,
    };
  return Object.fromEntries([...results].map(([name, all]) => [name, median(all)])) as Record<T, LoadResult>;
}

async function againstBareRoute(folder: string, url: string): Promise<void> {
  const page = await (await request(`${url}${LIST}${QUESTIONS['page 10,000']}`)).body.text();
  const file = join(folder, 'page.json');
  writeFileSync(file, page);
  const bare = spawn(process.execPath, [join(import.meta.dirname, 'bare-route.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(bare.stdout, 'data')) as [Buffer];
    const bareUrl = /at (\S+)/.exec(line.toString())?.[1] ?? '';
    const results = await inTurns(['bare', 'list'], (which) =>
      which === 'bare'
        ? load({
            url: bareUrl,
            connections: CONNECTIONS,
            requests: REQUESTS,
            request: () => ({ method: 'GET', path: '/page' }),
          })
        : ask(url, 'page 10,000', CONNECTIONS, REQUESTS),
    );
    report('bare Fastify route, the same body', results.bare);
    report('page 10,000', results.list, results.bare);
  } finally {
    bare.kill('SIGTERM');
    rmSync(file);
  }
}
