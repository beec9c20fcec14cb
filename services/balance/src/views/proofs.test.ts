/** `proof=storage`: proofs of amounts, and the errors where there is none. */
import { describe, expect, it } from '@jest/globals';
import { ask as askNode, blockTag, callAt } from '@hindsight/devchain/client.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { decodeRlp, Interface, keccak256 } from 'ethers';
import { runBehindAlteredNode, runOnDevchain } from '../../test/support/on-devchain.ts';
import type { RunningBalance } from '../../test/support/run-balance.ts';
import { slotOf } from '../../test/support/slots.ts';

type Nodes = readonly string[];
interface Proof {
  readonly header_rlp: string;
  readonly account_proof: Nodes;
  readonly storage: readonly { readonly key: string; readonly value: string; readonly proof: Nodes }[];
  readonly claim: string;
  readonly shares?: string;
}
type Asked = Readonly<Record<string, string>>;

const balance = forAllTests(runOnDevchain, 'stop');
const { alice, bob, carol, market } = HOLDERS;
const { uni, usdt, usdc, weth, mkr, steth, bayc, kitties } = TOKENS;
const HEIGHT = 18_000_000;
const ERC20 = new Interface([
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
]);
/** Position of the state root among a header's fields. */
const STATE_ROOT = 3;

async function ask(
  path: string,
  query: Asked,
  from: Pick<RunningBalance, 'ask'> = balance,
): Promise<{ status: number; body: Readonly<Record<string, unknown>> }> {
  const asked = new URLSearchParams({ block_height: String(HEIGHT), proof: 'storage', ...query });
  return from.ask(`/v1/eth-mainnet/${path}?${asked.toString()}`);
}

/** The proof of an answer; its header is checked against the block's hash, its first node against the state root. */
async function proofOf(path: string, query: Asked): Promise<{ body: Asked; proof: Proof }> {
  const { status, body } = await ask(path, query);
  expect([status, body.message]).toEqual([200, undefined]);
  const proof = body.proof as Proof;
  expect(keccak256(proof.header_rlp)).toBe(body.block_hash);
  expect(decodeRlp(proof.header_rlp)[STATE_ROOT]).toBe(keccak256(proof.account_proof[0]!));
  return { body: body as Asked, proof };
}

describe('the proof of a balance of ether', () => {
  it.each([
    ['an account', alice],
    ['an account without anything', UNUSED_ADDRESS],
    ['a name', 'alice.eth'],
  ])('proves the balance of %s', async (_what, holder) => {
    for (const height of [LANDMARKS.traffic + 20, HEIGHT, CHAIN.head].map(String)) {
      const { body, proof } = await proofOf('balance/native', { holder, block_height: height });
      expect(proof).toMatchObject({ storage: [], claim: 'account-is-balance' });
      const plain = await balance.ask(
        `/v1/eth-mainnet/balance/native?holder=${holder}&block_height=${height}`,
      );
      expect({ ...plain.body, proof }).toEqual(body);
    }
  });
});

describe('the proof of a number of a token', () => {
  it('has the slot of the balance', async () => {
    const { body, proof } = await proofOf('balance/single', { token_address: usdt.address, holder: alice });
    expect(proof).toMatchObject({ claim: 'slot-is-balance', storage: [{ key: slotOf(alice, 1) }] });
    expect(BigInt(proof.storage[0]!.value).toString()).toBe(body.balance);
    expect(BigInt(body.balance!)).toBeGreaterThan(0n);
  });

  it.each([
    ['an ERC-20', uni],
    ['one that returns nothing', usdt],
    ['one behind a proxy', usdc],
    ['wrapped ether', weth],
    ['one with a name of bytes32', mkr],
    ['an ERC-721', bayc],
    ['one from before ERC-165', kitties],
  ])('proves the balance of every holder of %s', async (_what, { address: token }) => {
    for (const holder of [alice, bob, carol, UNUSED_ADDRESS]) {
      const { body, proof } = await proofOf('balance/single', { token_address: token, holder });
      const raw = await callAt(
        balance.devchain.url,
        token,
        ERC20.encodeFunctionData('balanceOf', [holder]),
        HEIGHT,
      );
      expect(proof.storage.map(({ value }) => BigInt(value))).toEqual([BigInt(String(raw))]);
      expect(body.balance).toBe(BigInt(String(raw)).toString());
    }
  });

  it('proves an allowance', async () => {
    const query = { token_address: uni.address, owner: alice, spender: market };
    const at = String(LANDMARKS.aliceIsSpent[0] + 1);
    const { body, proof } = await proofOf('allowance/single', { ...query, block_height: at });
    expect(BigInt(proof.storage[0]!.value).toString()).toBe(body.allowance);
  });

  it.each([uni, usdt, usdc, mkr, kitties])('proves the supply of $symbol', async ({ address }) => {
    const { body, proof } = await proofOf('supply', { token_address: address });
    expect(BigInt(proof.storage[0]!.value).toString()).toBe(body.total_supply);
  });

  it.each([
    [
      'balance/single',
      { token_address: steth.address, holder: bob },
      /^proof: the token keeps shares, from which .*: the slot 0x[0-9a-f]{64} holds \d+ shares, which proof=shares proves$/,
    ],
    ['supply', { token_address: steth.address }, /^proof: the contract reads no slot for this amount alone$/],
    ['supply', { token_address: weth.address }, /^proof: the contract reads no slot for this amount alone$/],
  ])('is refused where no slot holds the amount: %s', async (path, query, message) => {
    expect(await ask(path, query)).toMatchObject({
      status: 422,
      body: { code: 'not_provable', message: expect.stringMatching(message) },
    });
    const plain = new URLSearchParams({ block_height: String(HEIGHT), ...query });
    const { status } = await balance.ask(`/v1/eth-mainnet/${path}?${plain.toString()}`);
    expect(status).toBe(200);
  });

  it('is refused for another kind of proof', async () => {
    expect(await ask('balance/native', { holder: alice, proof: 'all' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter', message: expect.stringMatching(/^proof: expected storage/) },
    });
  });
});

describe('the proof of the shares of a balance', () => {
  const world = forAllTests(runBehindAlteredNode, 'stop');
  const SHARES = new Interface(['function sharesOf(address) view returns (uint256)']);
  /** The mapping of shares, by the source (devchain/contracts). */
  const INDEX = 2;
  const { address: token } = steth;
  const sharesOf = async (holder: string, height = HEIGHT): Promise<bigint> =>
    BigInt(
      String(
        await callAt(balance.devchain.url, token, SHARES.encodeFunctionData('sharesOf', [holder]), height),
      ),
    );

  it('has the slot of the shares, beside the balance of an answer without a proof', async () => {
    for (const height of [LANDMARKS.slashing - 1, LANDMARKS.slashing, HEIGHT]) {
      for (const holder of [alice, bob, UNUSED_ADDRESS]) {
        const query = { token_address: token, holder, block_height: String(height) };
        const { body, proof } = await proofOf('balance/single', { ...query, proof: 'shares' });
        const shares = await sharesOf(holder, height);
        expect(proof).toMatchObject({ claim: 'slot-is-shares', shares: `${shares}` });
        expect(proof.storage).toMatchObject([
          { key: slotOf(holder, INDEX), value: `0x${shares.toString(16)}` },
        ]);
        const plain = await balance.ask(
          `/v1/eth-mainnet/balance/single?${String(new URLSearchParams(query))}`,
        );
        expect({ ...plain.body, proof }).toEqual(body);
      }
    }
    expect(await sharesOf(bob)).toBeGreaterThan(0n);
  });

  it('is refused where the token states no shares', async () => {
    const asked = { token_address: uni.address, holder: alice, proof: 'shares' };
    expect(await ask('balance/single', asked)).toMatchObject({
      status: 422,
      body: { code: 'not_provable', message: expect.stringMatching(/^proof: the token states no shares/) },
    });
  });

  it('is refused where the token states another number than the slot holds', async () => {
    const shares = await sharesOf(bob);
    world.node.alter((method, result) => (method === 'eth_call' ? raised(String(result), shares) : result));
    const asked = { token_address: token, holder: bob, proof: 'shares' };
    const { status, body } = await ask('balance/single', asked, world);
    expect({ status, ...body }).toMatchObject({ status: 422, code: 'not_provable' });
    expect(body.message).toMatch(
      new RegExp(
        `^proof: the token states ${shares + 1n} shares, and the slot 0x[0-9a-f]+ holds 0x${shares.toString(16)}`,
      ),
    );
  });

  it.each([
    ['balance/native', { holder: alice }],
    ['allowance/single', { token_address: token, owner: alice, spender: market }],
    ['supply', { token_address: token }],
  ])('is no proof of %s', async (path, query: Asked) => {
    expect(await ask(path, { ...query, proof: 'shares' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter', message: expect.stringMatching(/^proof: expected storage/) },
    });
  });
});

describe('the place of a balance', () => {
  const world = forAllTests(runBehindAlteredNode, 'stop');
  let lists = 0;
  const prove = async (token: string, holder: string, height: number): Promise<number> => {
    lists = 0;
    world.node.alter((method, result) => {
      if (method === 'eth_createAccessList') lists += 1;
      return result;
    });
    const asked = { token_address: token, holder, block_height: String(height) };
    const { status, body } = await ask('balance/single', asked, world);
    expect(status).toBe(200);
    const { storage } = body.proof as Proof;
    expect(storage.map(({ value }) => BigInt(value).toString())).toEqual([body.balance]);
    return lists;
  };

  it('is found once a token, with two lists, for all holders and blocks', async () => {
    expect(await prove(usdt.address, alice, HEIGHT)).toBe(2);
    // Of nothing it is found once more.
    expect(await prove(usdt.address, UNUSED_ADDRESS, HEIGHT - 50)).toBe(2);
    for (const height of [HEIGHT, HEIGHT - 100, HEIGHT + 100])
      for (const holder of [alice, bob, UNUSED_ADDRESS])
        expect(await prove(usdt.address, holder, height)).toBe(0);
    expect(await prove(uni.address, alice, HEIGHT)).toBe(2);
  });

  it('is found again where a proxy runs another code', async () => {
    const upgraded = LANDMARKS.usdcUpgrade;
    const found: number[] = [];
    for (const height of [upgraded + 10, HEIGHT, upgraded - 10, upgraded - 20, upgraded + 11])
      found.push(await prove(usdc.address, alice, height));
    expect(found).toEqual([2, 0, 2, 0, 2]);
  });

  it('is asked for again, once, where the answer is another number', async () => {
    expect(await prove(mkr.address, alice, HEIGHT)).toBe(2);
    const data = ERC20.encodeFunctionData('balanceOf', [bob]);
    const held = BigInt(String(await callAt(balance.devchain.url, mkr.address, data, HEIGHT)));
    lists = 0;
    world.node.alter((method, result) => {
      if (method === 'eth_createAccessList') lists += 1;
      return method === 'eth_call' ? raised(String(result), held) : result;
    });
    const { status, body } = await ask('balance/single', { token_address: mkr.address, holder: bob }, world);
    expect({ status, code: body.code, lists }).toEqual({ status: 422, code: 'not_provable', lists: 2 });
  });
});

/** An answer of a node in which an amount is one more. */
function raised(answer: string, amount: bigint): string {
  const [word, more] = [amount, amount + 1n].map((each) => each.toString(16).padStart(64, '0'));
  return answer.replaceAll(word!, more!);
}

describe('a node that cannot prove', () => {
  const world = forAllTests(runBehindAlteredNode, 'stop');
  const wanted = { token_address: uni.address, holder: alice };

  it.each([
    [
      'has dropped the trie',
      'eth_getProof',
      'missing trie node 1234 (path )',
      `the state of block ${HEIGHT}`,
    ],
    [
      'has no proofs',
      'eth_getProof',
      'the method eth_getProof does not exist',
      'no node can prove the state',
    ],
    ['has no lists', 'eth_createAccessList', 'the method does not exist', 'No node lists the slots'],
  ])('is a 501 where it %s', async (_what, of, text, said) => {
    world.node.alter((method, result) => (method === of ? new Error(text) : result));
    const { status, body } = await ask('balance/single', wanted, world);
    expect({ status, ...body }).toMatchObject({ status: 501, code: 'proof_unavailable' });
    expect(body.message).toContain(said);
    expect(
      (await world.ask(`/v1/eth-mainnet/balance/single?${String(new URLSearchParams(wanted))}`)).status,
    ).toBe(200);
  });

  it('is a 501 where the header is of an unknown fork', async () => {
    world.node.alter((method, result) => {
      if (method !== 'eth_getBlockByHash') return result;
      return { ...(result as object), mixHash: `0x${'1'.repeat(64)}` };
    });
    const { status, body } = await ask('balance/native', { holder: alice }, world);
    expect({ status, ...body }).toMatchObject({ status: 501, code: 'proof_unavailable' });
    expect(body.message).toMatch(/of a fork that is not known here/);
  });

  it('is a 502 where it proves another balance than it answered', async () => {
    const { body: plain } = await balance.ask(
      `/v1/eth-mainnet/balance/native?holder=${alice}&block_height=${HEIGHT}`,
    );
    const wei = BigInt(plain.balance as string);
    world.node.alter((method, result) => (method === 'eth_call' ? raised(String(result), wei) : result));
    expect(await ask('balance/native', { holder: alice }, world)).toMatchObject({
      status: 502,
      body: { code: 'node_failed' },
    });
  });

  it('is a 502 where its proof does not verify', async () => {
    const { url } = world.devchain;
    const { accountProof: nodes } = (await askNode(url, 'eth_getProof', alice, [], blockTag(HEIGHT))) as {
      accountProof: Nodes;
    };
    for (const at of nodes.keys()) {
      world.node.alter((method, result) => {
        if (method !== 'eth_getProof') return result;
        const accountProof = nodes.map((node, i) => (i === at ? `${node.slice(0, -2)}00` : node));
        return { ...(result as object), accountProof };
      });
      expect(await ask('balance/native', { holder: alice }, world)).toMatchObject({
        status: 502,
        body: { code: 'node_failed' },
      });
    }
  });
});
