/** A node that leaves logs out or answers for another block: every endpoint says so, or is right all the same. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startAlteredNode, type AlteredNode } from '@hindsight/chain/test/support/altered-node.ts';
import { addressTopic, TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const { alice, bob, market } = HOLDERS;
const UNI = TOKENS.uni.address;
const EARLIER = LANDMARKS.aliceIsSpent[0];
const LATER = CHAIN.head - 2;
/** In addition to the block. */
const VIEWS: readonly (readonly [path: string, body?: Readonly<Record<string, unknown>>])[] = [
  [`balance/single?token_address=${UNI}&holder=${alice}`],
  [`balance/native?holder=${alice}`],
  [`allowance/single?token_address=${TOKENS.usdc.address}&owner=${alice}&spender=${HOLDERS.relay}`],
  [`supply?token_address=${TOKENS.steth.address}`],
  [`nft/owner?token_address=${TOKENS.bayc.address}&token_id=100`],
  [`nft/balance?token_address=${TOKENS.items.address}&holder=${alice}&token_id=0`],
  [`vault/assets?token_address=${TOKENS.savings.address}&holder=${alice}`],
  [`portfolio?holder=${alice}`],
  [`allowance/list?owner=${alice}`],
  ['call', { target: UNI, function: 'balanceOf(address) returns (uint256)', args: [[alice], [bob]] }],
];

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

let devchain: Devchain;
let honest: RunningBalance;
let node: AlteredNode;
beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  honest = await runBalance(devchain.url);
  node = await startAlteredNode(devchain.url);
});
beforeEach(() => node.alter((_method, result) => result));
afterAll(async () => {
  await honest.stop();
  await node.close();
  await devchain.stop();
});

async function ask(service: RunningBalance, path: string, sent?: unknown): Promise<Answer> {
  const { status, body } = await service.ask(`/v1/eth-mainnet/${path}`, sent);
  return { status, body };
}

/** Asks services with empty caches, one on the altered node. */
async function onBoth(path: string, body?: unknown): Promise<{ told: Answer; truth: Answer }> {
  const service = await runBalance(node.url);
  try {
    return { told: await ask(service, path, body), truth: await ask(honest, path, body) };
  } finally {
    await service.stop();
  }
}

/** Without what is different for every request. */
async function askAt(
  service: RunningBalance,
  [path, body]: (typeof VIEWS)[number],
  height: number,
): Promise<Answer> {
  const answer = body
    ? await ask(service, path, { ...body, block_height: height })
    : await ask(service, `${path}&block_height=${height}`);
  return { ...answer, body: { ...answer.body, request_id: undefined } };
}

describe('a node that answers a later question with the state of an earlier block', () => {
  it.each(VIEWS)('is no answer to %s', async (...view) => {
    const service = await runBalance(node.url);
    try {
      const kept = new Map<string, unknown>();
      node.alter((method, result, params) => {
        if (method !== 'eth_call') return result;
        const { data } = params[0] as { data: string };
        if (!kept.has(data)) kept.set(data, result);
        return kept.get(data);
      });
      await askAt(service, view, LATER - 1);
      const { status } = await askAt(service, view, LATER);
      expect(status).toBeGreaterThanOrEqual(502);
      node.alter((_method, result) => result);
      expect(await askAt(service, view, LATER)).toEqual(await askAt(honest, view, LATER));
    } finally {
      await service.stop();
    }
  });

  it.each([
    `balance/series?token_address=${UNI}&holder=${alice}&from=${EARLIER}&to=${LATER}&points=5`,
    `balance/changes?token_address=${UNI}&holder=${alice}&from=${EARLIER}&to=${LATER}`,
  ])('is no answer to %s', async (path) => {
    let first: unknown;
    node.alter((method, result) => {
      if (method === 'eth_call') first ??= result;
      return method === 'eth_call' ? first : result;
    });
    const { told, truth } = await onBoth(path);
    expect([truth.status, told.status]).toEqual([200, 502]);
  });
});

interface RawLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockNumber: string;
}

interface RawFilter {
  readonly fromBlock: string;
  readonly blockHash?: string;
  readonly topics: readonly unknown[];
}

function alterLogs(alter: (logs: readonly RawLog[], filter: RawFilter) => unknown): void {
  node.alter((method, result, [filter]) =>
    method === 'eth_getLogs' ? alter(result as RawLog[], filter as RawFilter) : result,
  );
}

const SEARCHES = [`portfolio?holder=${bob}`, `allowance/list?owner=${alice}`].map(
  (path) => `${path}&block_height=${EARLIER + 100}`,
);

describe('a node that leaves logs out', () => {
  it.each(SEARCHES)('changes no amount of %s where another log names the same', async (path) => {
    // Of each contract and topics the last one is left.
    alterLogs((logs) => [...new Map(logs.map((log) => [log.address + log.topics.join(), log])).values()]);
    const { told, truth } = await onBoth(path);
    expect(truth.status).toBe(200);
    expect(told).toMatchObject({ status: 200, body: truth.body });
  });

  it('of a token: it is not among those that were asked, and the others are exact', async () => {
    alterLogs((logs) => logs.filter(({ address }) => address !== TOKENS.usdt.address.toLowerCase()));
    const { told, truth } = await onBoth(SEARCHES[0]!);
    const isOther = ({ token_address }: { token_address: string }): boolean =>
      token_address !== TOKENS.usdt.address;
    const [held, all] = [told, truth].map(({ body }) => body.tokens as { token_address: string }[]);
    expect(all!.some((token) => !isOther(token))).toBe(true);
    expect(held).toEqual(all!.filter(isOther));
    expect((told.body.asked as { tokens: string[] }).tokens).not.toContain(TOKENS.usdt.address);
  });

  it.each(SEARCHES)('and says so: %s is not complete', async (path) => {
    alterLogs((logs, { fromBlock }) =>
      Number(fromBlock) < EARLIER ? new Error('pruned history unavailable') : logs,
    );
    const { told } = await onBoth(path);
    expect([told.status, told.body.asked]).toMatchObject([200, { from_block: EARLIER, complete: false }]);
  });

  it.each(SEARCHES)('of every block is no answer to %s', async (path) => {
    alterLogs(() => new Error('pruned history unavailable'));
    const { told } = await onBoth(path);
    expect(told.status).toBeGreaterThanOrEqual(502);
  });
});

interface Change {
  readonly block: number;
  readonly cause: string;
}

describe('changes', () => {
  const path = `balance/changes?token_address=${UNI}&holder=${alice}&from=${CHAIN.story}&to=${CHAIN.head}`;
  const amounts = ({ body }: Answer): unknown =>
    (body.changes as Record<string, unknown>[]).map(({ block, balance_before, balance_after }) => [
      block,
      balance_before,
      balance_after,
    ]);

  it.each([
    ['every second log', (logs: readonly RawLog[]) => logs.filter((_log, i) => i % 2 === 1)],
    ['all logs', () => []],
  ])('are all found where a node leaves out %s, as changes that no event explains', async (_what, left) => {
    alterLogs(left);
    const { told, truth } = await onBoth(path);
    expect(amounts(told)).toEqual(amounts(truth));
    const causes = (told.body.changes as Change[]).map(({ cause }) => cause);
    expect(causes).toContain('state');
  });

  it('are none in a block that a log names without a change', async () => {
    const log = {
      address: UNI,
      topics: [TOPICS.transfer, addressTopic(bob), addressTopic(alice)],
      data: `0x${'1'.repeat(64)}`,
      blockNumber: `0x${CHAIN.head.toString(16)}`,
      blockHash: CHAIN.headHash,
      transactionHash: CHAIN.headHash,
    };
    let isPlanted = false;
    alterLogs((logs, { blockHash, topics }) => {
      if (blockHash !== CHAIN.headHash || topics[2] !== addressTopic(alice)) return logs;
      isPlanted = true;
      return [...logs, log];
    });
    const { told, truth } = await onBoth(path);
    expect(amounts(told)).toEqual(amounts(truth));
    expect(isPlanted).toBe(true);
  });

  it('are no answer where logs are of another chain', async () => {
    alterLogs((logs) => logs.map((log) => ({ ...log, blockHash: `0x${'1'.repeat(64)}` })));
    const { told } = await onBoth(path);
    expect(told.status).toBe(502);
  });

  it('of an allowance that was spent are not in the list of those that are open', async () => {
    const at = LANDMARKS.aliceIsSpent[2];
    const { told } = await onBoth(`allowance/list?owner=${alice}&block_height=${at}`);
    const open = told.body.allowances as { token_address: string; spender: string }[];
    expect(open.filter((one) => one.token_address === UNI && one.spender === market)).toEqual([]);
  });
});
