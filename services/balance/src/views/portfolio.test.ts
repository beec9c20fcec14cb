import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { startAlteredNode, type AlteredNode } from '@hindsight/chain/test/support/altered-node.ts';
import { addressTopic, ETHER_LOGS, TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { runBalance, type RunningBalance } from '../../test/support/run-balance.ts';

let devchain: Devchain;
let balance: RunningBalance;
let altered: AlteredNode;
const { ledger } = buildPlan();

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  altered = await startAlteredNode(devchain.url);
  balance = await runBalance(devchain.url);
});
afterAll(async () => {
  await balance.stop();
  await altered.close();
  await devchain.stop();
});

const ask = (query: Record<string, string>): ReturnType<RunningBalance['ask']> =>
  balance.ask(`/v1/eth-mainnet/portfolio?${new URLSearchParams(query).toString()}`);

/** A holder's amounts in the ledger, of tokens whose events name their holders. */
function truth(holder: string, height: number): Record<string, string> {
  const listed = Object.values(TOKENS).filter(
    ({ address, standard, since }) =>
      standard !== 'erc1155' && since <= height && address !== TOKENS.kitties.address,
  );
  const held = listed.map(({ address }) => [address, ledger.balanceAt(address, holder, height)] as const);
  const { items } = TOKENS;
  const ids = items.since <= height ? [0n, 1n, 2n] : [];
  const ofItems = ids.map(
    (id) => [`${items.address} ${id}`, ledger.itemAt(items.address, holder, id, height)] as const,
  );
  return Object.fromEntries(
    [...held, ...ofItems].filter(([, value]) => value > 0n).map(([at, value]) => [at, value.toString()]),
  );
}

interface Body {
  tokens: { token_address: string; token_id?: string; balance: string }[];
  asked: { tokens: string[]; token_ids: number; unread: string[] };
}
const toTruth = ({ tokens }: Body): Record<string, string> =>
  Object.fromEntries(
    tokens.map(({ token_address, token_id, balance: held }) => [
      token_id === undefined ? token_address : `${token_address} ${token_id}`,
      held,
    ]),
  );

describe('GET portfolio', () => {
  it('matches the ledger for every holder: rebased, wrapped, moved, minted', async () => {
    const heights = [CHAIN.story + 30, LANDMARKS.slashing, CHAIN.head];
    for (const [name, holder] of Object.entries(HOLDERS)) {
      for (const height of heights) {
        const { status, body } = await ask({ holder, block_height: String(height) });
        expect([name, height, status]).toEqual([name, height, 200]);
        expect([name, height, toTruth(body as unknown as Body)]).toEqual([
          name,
          height,
          truth(holder, height),
        ]);
        expect(body.native_balance).toBe(ledger.nativeAt(holder, height).toString());
      }
    }
  });

  it('names its block, the tokens and which contracts were asked', async () => {
    const { body, headers } = await ask({ holder: 'alice.eth', block_height: '18000000' });
    expect(body).toMatchObject({
      network_name: 'eth-mainnet',
      chain_id: 1,
      holder: HOLDERS.alice,
      checked_at_block: 18_000_000,
      finalized: true,
      asked: { how: 'logs', from_block: CHAIN.genesis, complete: true, unread: [] },
    });
    expect((body as unknown as Body).tokens).toContainEqual({
      token_address: TOKENS.uni.address,
      token_name: 'Uniswap',
      token_symbol: 'UNI',
      token_decimals: 18,
      token_type: 'erc20',
      balance: ledger.balanceAt(TOKENS.uni.address, HOLDERS.alice, 18_000_000).toString(),
    });
    expect((body as unknown as Body).asked.tokens).toContain(TOKENS.uni.address);
    expect(headers.get('x-hindsight-units')).toBe('5');
    expect(headers.get('cache-control')).toContain('immutable');
    const again = await ask({ holder: 'alice.eth', block_height: '18000000' });
    expect(again.headers.get('x-hindsight-units')).toBe('5');
  });

  it('of a node without old logs says where its logs begin, and is exact for what was asked', async () => {
    const first = LANDMARKS.treasuryMoves;
    altered.alter((method, result, [filter]) => {
      if (method !== 'eth_getLogs') return result;
      const isOld = Number((filter as { fromBlock: string }).fromBlock) < first;
      return isOld ? new Error('pruned history unavailable') : result;
    });
    const pruned = await runBalance(altered.url);
    try {
      const url = `/v1/eth-mainnet/portfolio?holder=${HOLDERS.bob}&block_height=${CHAIN.head - 70}`;
      const { status, headers, body } = await pruned.ask(url);
      expect([status, body.asked]).toMatchObject([200, { from_block: first, complete: false }]);
      expect(headers.get('cache-control')).toContain('no-cache');
      const whole = truth(HOLDERS.bob, CHAIN.head - 70);
      const { tokens: asked } = (body as unknown as Body).asked;
      const found = toTruth(body as unknown as Body);
      // Of an ERC-1155 contract, the ids in its events are read.
      const expected = Object.entries(whole).filter(([of]) => asked.includes(of) || of in found);
      expect(found).toEqual(Object.fromEntries(expected));
    } finally {
      await pruned.stop();
    }
  });

  it('has a row for each id of an ERC-1155, with the id', async () => {
    const { body } = await ask({ holder: HOLDERS.alice, block_height: String(CHAIN.head) });
    const { tokens, asked } = body as unknown as Body;
    const rows = tokens.filter(({ token_address }) => token_address === TOKENS.items.address);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows[0]).toMatchObject({
      token_name: 'Dev Chain Items',
      token_symbol: 'ITEM',
      token_type: 'erc1155',
    });
    expect(asked.tokens).toContain(TOKENS.items.address);
    expect(asked.token_ids).toBeGreaterThanOrEqual(rows.length);
  });

  it('of a contract that names more ids than can be asked about says that not all were', async () => {
    const word = (value: number): string => value.toString(16).padStart(64, '0');
    const ids = Array.from({ length: 600 }, (_, i) => word(i));
    const event = (data: string): object => ({
      address: TOKENS.items.address,
      topics: [TOPICS.batch, ...[UNUSED_ADDRESS, UNUSED_ADDRESS, HOLDERS.carol].map(addressTopic)],
      data: `0x${data}`,
      blockNumber: `0x${CHAIN.head.toString(16)}`,
      blockHash: CHAIN.headHash,
      transactionHash: CHAIN.headHash,
    });
    const noList = event('f'.repeat(128));
    altered.alter((method, result, [filter]) => {
      const { topics, blockHash } = (filter ?? {}) as { topics?: unknown[]; blockHash?: string };
      const isReceived = method === 'eth_getLogs' && blockHash === CHAIN.headHash && topics?.length === 4;
      const named = event(word(64) + word(0) + word(ids.length) + ids.join(''));
      return isReceived ? [...(result as object[]), noList, named] : result;
    });
    const spammed = await runBalance(altered.url);
    try {
      const url = `/v1/eth-mainnet/portfolio?holder=${HOLDERS.carol}&block_height=${CHAIN.head}`;
      const { status, body } = await spammed.ask(url);
      expect([status, body.asked]).toMatchObject([
        200,
        { complete: false, token_ids: 500, unread: [TOKENS.items.address] },
      ]);
      expect(toTruth(body as unknown as Body)).toEqual(truth(HOLDERS.carol, CHAIN.head));
    } finally {
      await spammed.stop();
    }
  });

  it('takes the logs of ether transfers for no token’s (EIP-7708)', async () => {
    const word = (value: number): string => value.toString(16).padStart(64, '0');
    const ether = {
      address: ETHER_LOGS,
      topics: [TOPICS.transfer, addressTopic(HOLDERS.bob), addressTopic(HOLDERS.carol)],
      data: `0x${word(7)}`,
      blockNumber: `0x${CHAIN.head.toString(16)}`,
      blockHash: CHAIN.headHash,
      transactionHash: CHAIN.headHash,
    };
    let added = 0;
    altered.alter((method, result, [filter]) => {
      const { topics, blockHash } = (filter ?? {}) as { topics?: unknown[]; blockHash?: string };
      const isReceived = method === 'eth_getLogs' && blockHash === CHAIN.headHash && topics?.length === 3;
      if (!isReceived) return result;
      added += 1;
      return [...(result as object[]), ether];
    });
    const forked = await runBalance(altered.url);
    try {
      const url = `/v1/eth-mainnet/portfolio?holder=${HOLDERS.carol}&block_height=${CHAIN.head}`;
      const { status, body } = await forked.ask(url);
      expect([status, added]).toEqual([200, 1]);
      const { asked } = body as unknown as Body;
      expect(asked.tokens.map((token) => token.toLowerCase())).not.toContain(ETHER_LOGS);
      expect(toTruth(body as unknown as Body)).toEqual(truth(HOLDERS.carol, CHAIN.head));
    } finally {
      await forked.stop();
    }
  });

  it('of an account that never did anything is empty', async () => {
    const { status, body } = await ask({ holder: UNUSED_ADDRESS });
    expect([status, body.native_balance, body.tokens]).toEqual([200, '0', []]);
  });

  it.each([
    ['no holder', {}, 400, /^holder is required/],
    ['an empty holder', { holder: '' }, 400, /^holder: it is empty/],
    ['a malformed holder', { holder: '0x12' }, 400, /^holder: /],
    ['a name without an address', { holder: 'unregistered.eth' }, 404, /^holder: the name/],
    ['an unknown parameter', { holder: UNUSED_ADDRESS, limit: '5' }, 400, /^unknown parameter limit/],
    ['two blocks', { holder: UNUSED_ADDRESS, block_height: '1', date: '2023-08-26' }, 400, /given together/],
    [
      'a block above the head',
      { holder: UNUSED_ADDRESS, block_height: '99999999' },
      404,
      /does not exist yet/,
    ],
  ])('is refused for %s', async (_what, query, status, message) => {
    const { body, ...answer } = await ask(query);
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
    expect(answer.status).toBe(status);
  });
});
