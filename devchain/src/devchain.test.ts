import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Interface, toQuantity } from 'ethers';
import { existsSync, readFileSync } from 'node:fs';
import { anvilNode } from './anvil-node.ts';
import { startEmptyChain } from './anvil.ts';
import { ask, askAll, blockTag, callAt, callQuestion, type Question } from './client.ts';
import { mine } from './control.ts';
import { startDevchain, type Devchain } from './devchain.ts';
import type { LedgerEntry } from './ledger.ts';
import { buildPlan } from './plan.ts';
import { OrderedRpc } from './rpc.ts';
import { CHAIN, TOKENS, UNUSED_ADDRESS } from './world.ts';

const { ledger, blocks } = buildPlan();
const abi = new Interface([
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
]);
const itemAbi = new Interface(['function balanceOf(address, uint256) view returns (uint256)']);

const MOST_CPU_MS = 10_000;
/** A tick of the kernel's clock, in which it counts the processor time of others. */
const TICK_MS = 10;

let chain: Devchain;
let cpuMs: number;

beforeAll(async () => {
  const before = process.cpuUsage();
  chain = await startDevchain();
  const { user, system } = process.cpuUsage(before);
  cpuMs = (user + system) / 1_000 + cpuMsOf(chain.pid);
});
afterAll(() => chain.stop());

/** Milliseconds of processor time that a process has used; 0 where the system does not say. */
function cpuMsOf(pid: number): number {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) return 0;
  // After the name, which may contain spaces: the 12th and 13th fields are user and system time.
  const [user, system] = readFileSync(stat, 'utf8').split(') ')[1]!.split(' ').slice(11, 13).map(Number);
  return (user! + system!) * TICK_MS;
}

describe('the dev chain', () => {
  // Not wall time, which other work on the machine lengthens.
  it('needs at most ten seconds of processor time to start, and usually two', () => {
    process.stdout.write(`the dev chain's start took ${Math.round(cpuMs)} ms of processor time\n`);
    expect(cpuMs).toBeGreaterThan(0);
    expect(cpuMs).toBeLessThan(MOST_CPU_MS);
  });

  it('is the same chain every time, hash for hash', async () => {
    const again = await startDevchain();
    await again.stop();
    const { head: number, headTime: timestamp, headHash: hash } = CHAIN;
    expect(chain.head).toEqual({ number, timestamp, hash });
    expect(again.head).toEqual(chain.head);
  });

  it('has every transaction of the plan in its block, in order, with the intended result', async () => {
    const answers = await askAll(
      chain.url,
      blocks.map((block) => ['eth_getBlockReceipts', blockTag(block.number)]),
    );
    const seen = answers.map(({ result }) =>
      (result as { from: string; status: string }[]).map(({ from, status }) => [from, status === '0x0']),
    );
    const planned = blocks.map(({ transactions }) =>
      transactions.map((t) => [t.from.toLowerCase(), t.fails]),
    );
    expect(seen).toEqual(planned);
    expect(planned.flat().filter(([, fails]) => fails)).toHaveLength(1);
  });

  it('has blocks of more transactions than anvil takes in order at once', async () => {
    const { url, stop } = await startEmptyChain();
    const rpc = new OrderedRpc(url);
    try {
      const number = CHAIN.story + 1;
      const from = UNUSED_ADDRESS;
      const transactions = Array.from({ length: 300 }, (_, nonce) => ({
        ...{ from, nonce, to: from, data: '0x', value: 0n, gas: 21_000, fails: false },
      }));
      await anvilNode(rpc).make([{ number, timestamp: CHAIN.storyTime + 12, transactions }]);
      const block = await rpc.call('eth_getBlockByNumber', 'latest', true);
      const nonces = (block as { transactions: { nonce: string }[] }).transactions.map(({ nonce }) =>
        Number(nonce),
      );
      expect(nonces).toEqual(transactions.map(({ nonce }) => nonce));
    } finally {
      await rpc.close();
      await stop();
    }
  });

  it('calls block head - 64 finalized', async () => {
    const finalized = await ask(chain.url, 'eth_getBlockByNumber', 'finalized', false);
    expect(finalized).toMatchObject({ number: blockTag(CHAIN.head - 64) });
  });
});

/** The question to the chain for an entry of the ledger, and the ledger's answer at that block. */
function check(entry: LedgerEntry, block: number): { question: Question; truth: bigint } | undefined {
  switch (entry.kind) {
    case 'balance': {
      const data = abi.encodeFunctionData('balanceOf', [entry.holder]);
      const truth = ledger.balanceAt(entry.token, entry.holder, block);
      return { question: callQuestion(entry.token, data, block), truth };
    }
    case 'item': {
      const data = itemAbi.encodeFunctionData('balanceOf', [entry.holder, entry.id]);
      const truth = ledger.itemAt(entry.token, entry.holder, entry.id, block);
      return { question: callQuestion(entry.token, data, block), truth };
    }
    case 'allowance': {
      const data = abi.encodeFunctionData('allowance', [entry.owner, entry.spender]);
      const truth = ledger.allowanceAt(entry.token, entry.owner, entry.spender, block);
      return { question: callQuestion(entry.token, data, block), truth };
    }
    case 'native': {
      const truth = ledger.nativeAt(entry.holder, block);
      return { question: ['eth_getBalance', entry.holder, blockTag(block)], truth };
    }
    case 'name':
      // Has no amount; ens.test.ts covers names.
      return undefined;
  }
}

describe('the ledger', () => {
  it('agrees with the chain for every entry: at its block, at the one before and at the head', async () => {
    const since = new Map<string, number>(Object.values(TOKENS).map((token) => [token.address, token.since]));
    const checks = ledger.entries.flatMap((entry) => {
      const first = 'token' in entry ? since.get(entry.token)! : CHAIN.genesis;
      const heights = [entry.block - 1, entry.block, CHAIN.head].filter((block) => block >= first);
      return heights.flatMap((block) => check(entry, block) ?? []);
    });
    const questions = checks.map(({ question }) => question);
    const answers = (await askAll(chain.url, questions)).map(({ result }) => BigInt(result as string));
    const wrong = checks.filter(({ truth }, i) => answers[i] !== truth);
    expect(wrong).toEqual([]);
    expect(checks.length).toBeGreaterThan(3_000);
  });

  it('agrees with the chain for an account that never held anything, at the first and the last block', async () => {
    const data = abi.encodeFunctionData('balanceOf', [UNUSED_ADDRESS]);
    for (const { address, since, standard } of Object.values(TOKENS)) {
      if (standard === 'erc1155') continue;
      for (const block of [since, CHAIN.head]) {
        const balance = BigInt(await callAt(chain.url, address, data, block));
        expect([address, block, balance]).toEqual([
          address,
          block,
          ledger.balanceAt(address, UNUSED_ADDRESS, block),
        ]);
      }
    }
    const wei = await ask(chain.url, 'eth_getBalance', UNUSED_ADDRESS, blockTag(CHAIN.genesis));
    expect(BigInt(wei as string)).toBe(0n);
  });
});

// Last, because it moves the head.
describe('after seeding', () => {
  it('grows on request: at the given time, or a slot later', async () => {
    const latest = () => ask(chain.url, 'eth_getBlockByNumber', 'latest', false);
    const time = CHAIN.headTime + 24;
    await mine(chain.url, { timestamp: time });
    const first = {
      number: blockTag(CHAIN.head + 1),
      parentHash: CHAIN.headHash,
      timestamp: toQuantity(time),
    };
    expect(await latest()).toMatchObject(first);
    await mine(chain.url);
    expect(await latest()).toMatchObject({
      number: blockTag(CHAIN.head + 2),
      timestamp: toQuantity(time + 12),
    });
    await expect(mine(chain.url, { timestamp: CHAIN.storyTime })).rejects.toThrow();
  });
});
