/**
 * Questions before Ethereum's next fork and after it (geth 1.17, Amsterdam), by the gas that a node grants an `eth_call`:
 * requests at the node, calls in them, and milliseconds, in rounds that take turns.
 */
import { startNodeProxy } from '@hindsight/chain/test/support/node-proxy.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { median } from '../../tests/support/steady-load.ts';
import { FROM_BYZANTIUM } from '../../tests/truth/networks.ts';
import { seedGeth } from '../../tests/truth/nodes.ts';
import { startService } from '../../tests/truth/service.ts';

const CAPS_IN_MILLIONS = [50, 30, 10];
const ROUNDS = 9;
const TOKEN = TOKENS.uni.address;
const ACCOUNTS = Object.values(HOLDERS);
const [POINTS, ROWS, SNAPSHOT_ROWS] = [200, 1_000, 5_000];

/** A round's own question: a repeated one may be answered from a cache. */
interface Asked {
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
}

/** A node with a service before it. */
interface Side {
  /** Answers, and returns what that took. */
  ask(asked: (height: number) => Asked): Promise<Taken>;
  stop(): Promise<void>;
}

/** Cost of an answer. */
interface Taken {
  readonly requests: number;
  readonly calls: number;
  readonly ms: number;
}

const holder = (i: number): string => `0x${(0xabc_000_000 + i).toString(16).padStart(40, '1')}`;
const account = (round: number): string => ACCOUNTS[round % ACCOUNTS.length]!;

const QUESTIONS: Readonly<Record<string, (round: number, height: number) => Asked>> = {
  'one balance': (round, height) => ({
    path: `balance/single?token_address=${TOKEN}&holder=${holder(round)}&block_height=${height}`,
  }),
  [`a series of ${POINTS} points`]: (round, height) => ({
    path: `balance/series?token_address=${TOKEN}&holder=${holder(round)}&from=${height - POINTS + 1}&to=${height}&step=1`,
  }),
  'changes over all blocks': (round, height) => ({
    path: `balance/changes?token_address=${TOKEN}&holder=${account(round)}&from=1&to=${height}&limit=1000`,
  }),
  'a portfolio': (round, height) => ({ path: `portfolio?holder=${account(round)}&block_height=${height}` }),
  [`a batch of ${ROWS} rows at 100 blocks`]: (round, height) => ({
    path: 'balance/batch',
    type: 'application/json',
    body: JSON.stringify(
      Array.from({ length: ROWS }, (_, i) => ({
        token_address: TOKEN,
        holder: holder(round * ROWS + i),
        block_height: height - (i % 100),
      })),
    ),
  }),
  [`a snapshot of ${SNAPSHOT_ROWS} holders`]: (round, height) => ({
    path: `balance/snapshot?token_address=${TOKEN}&block_height=${height}`,
    type: 'text/plain',
    body: Array.from({ length: SNAPSHOT_ROWS }, (_, i) => holder(round * SNAPSHOT_ROWS + i)).join('\n'),
  }),
};

/** Runs the benchmark and prints its table. */
export async function run(): Promise<void> {
  console.log('| question | gas cap | requests (calls) before | after | ms before | after | ratio |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const millions of CAPS_IN_MILLIONS) {
    const sides = await Promise.all([startSide(millions), startSide(millions, 0)]);
    try {
      for (const [name, question] of Object.entries(QUESTIONS))
        await compare(name, millions, question, sides);
    } finally {
      await Promise.all(sides.map((side) => side.stop()));
    }
  }
}

async function startSide(millions: number, amsterdamAt?: number): Promise<Side> {
  const plan = buildPlan();
  const node = await seedGeth(plan, {
    release: 'geth-1.17',
    history: 'archive',
    stateScheme: 'hash',
    gasCap: millions * 1_000_000,
    ...(amsterdamAt === undefined ? {} : { amsterdamAt }),
  });
  const proxy = await startNodeProxy(node.url);
  const service = await startService(proxy.url, FROM_BYZANTIUM);
  const height = node.heightOf(CHAIN.head - 100);
  return {
    async ask(asked) {
      const { path, body, type = '' } = asked(height);
      const before = { requests: proxy.requests, calls: proxy.calls };
      const begun = performance.now();
      const response = await fetch(
        `${service.url}/v1/eth-mainnet/${path}`,
        body === undefined ? {} : { method: 'POST', headers: { 'content-type': type }, body },
      );
      const text = await response.text();
      const ms = performance.now() - begun;
      if (response.status !== 200 || text.includes('"error"'))
        throw new Error(`${node.name}: ${path}: ${response.status} ${text.slice(0, 500)}`);
      return { requests: proxy.requests - before.requests, calls: proxy.calls - before.calls, ms };
    },
    async stop() {
      await service.stop();
      await proxy.close();
      await node.stop();
    },
  };
}

async function compare(
  name: string,
  millions: number,
  question: (round: number, height: number) => Asked,
  sides: readonly Side[],
): Promise<void> {
  const taken = sides.map((): Taken[] => []);
  for (let round = 0; round <= ROUNDS; round++) {
    const turns = [...sides.entries()];
    for (const [i, side] of round % 2 === 0 ? turns : turns.reverse()) {
      const one = await side.ask((height) => question(round, height));
      // The first of them warms up.
      if (round > 0) taken[i]!.push(one);
    }
  }
  const [before, after] = taken.map((all) => ({
    ms: median(all.map(({ ms }) => ms)),
    sent: `${median(all.map(({ requests }) => requests))} (${median(all.map(({ calls }) => calls))})`,
  }));
  const cells = [
    name,
    `${millions}M`,
    before!.sent,
    after!.sent,
    before!.ms.toFixed(1),
    after!.ms.toFixed(1),
  ];
  console.log(`| ${[...cells, (after!.ms / before!.ms).toFixed(2)].join(' | ')} |`);
}
