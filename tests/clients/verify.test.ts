/** Answers of a real chain with their proofs, and every lie that can be planted into one. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { verify, type RefusalReason } from '@hindsight/client/verify';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { HOLDERS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { getAddress, solidityPackedKeccak256, toBeHex } from 'ethers';
import {
  prove,
  proveAllowance,
  proveBalance,
  proveEther,
  proveShares,
  proveSupply,
  slotOf,
  type WireAnswer,
} from '../support/proven-answers.ts';

const BLOCK = 17_999_900;
const UNI = TOKENS.uni.address;
const USDC = TOKENS.usdc.address;
const { alice, market, bob } = HOLDERS;
const { ledger } = buildPlan();
/** Alice's entry of the mapping 0, if the token were written in Vyper. */
const VYPER_SLOT = solidityPackedKeccak256(['uint256', 'uint256'], [0, alice]);

let at: { url: string; block: number };
let balance: WireAnswer;
let ether: WireAnswer;
beforeAll(async () => {
  at = { url: (await sharedDevchain(process.env)).url, block: BLOCK };
  balance = await proveBalance(at, UNI, alice);
  ether = await proveEther(at, alice);
});

const trust = (answer: WireAnswer) => ({ blockHash: answer.block_hash });
const check = (answer: WireAnswer, trusted = trust(answer)) => verify(answer, trusted);

/** A copy of an answer with something changed. */
function changed(answer: WireAnswer, change: (copy: WireAnswer) => void): WireAnswer {
  const copy = structuredClone(answer);
  change(copy);
  return copy;
}

describe('verify', () => {
  it('confirms a balance of a token, and says in which slot it is', () => {
    expect(check(balance)).toEqual({
      verified: true,
      claim: 'slot-is-balance',
      kind: 'balance',
      amount: ledger.balanceAt(UNI, alice, BLOCK),
      token: UNI.toLowerCase(),
      accounts: [alice.toLowerCase()],
      block: {
        hash: balance.block_hash,
        number: BLOCK,
        timestamp: Date.parse(balance.checked_at_date) / 1_000,
      },
      slot: { key: slotOf(0, alice), layout: 'solidity', index: 0n },
    });
  });

  it('confirms a balance of ether', () => {
    const amount = ledger.nativeAt(alice, BLOCK);
    expect(check(ether)).toMatchObject({ verified: true, kind: 'native', amount, token: null, slot: null });
  });

  it('confirms an allowance', async () => {
    const answer = await proveAllowance(at, UNI, [alice, market]);
    expect(check(answer)).toMatchObject({
      verified: true,
      kind: 'allowance',
      amount: ledger.allowanceAt(UNI, alice, market, BLOCK),
      accounts: [alice.toLowerCase(), market.toLowerCase()],
      slot: { layout: 'solidity', index: 1n },
    });
  });

  it('confirms a supply', async () => {
    const answer = await proveSupply(at, UNI);
    expect(check(answer)).toMatchObject({
      verified: true,
      kind: 'supply',
      amount: BigInt(answer.total_supply as string),
      slot: { layout: 'variable', index: 2n },
    });
  });

  it('confirms that an account had no ether', async () => {
    expect(check(await proveEther(at, UNUSED_ADDRESS))).toMatchObject({ verified: true, amount: 0n });
  });

  it('confirms a zero balance of a token only in a known slot', async () => {
    const nothing = await proveBalance(at, UNI, UNUSED_ADDRESS);
    expect(check(nothing)).toMatchObject({ verified: false, reason: 'slot_unknown' });
    const layout = 'solidity';
    for (const known of [
      { index: 0n, layout },
      { index: 0, layout },
      { key: slotOf(0, UNUSED_ADDRESS) },
    ] as const)
      expect(verify(nothing, { ...trust(nothing), ...known })).toMatchObject({ verified: true, amount: 0n });
    for (const known of [{ index: 0 }, { layout }] as const)
      expect(verify(nothing, { ...trust(nothing), ...known })).toMatchObject({ reason: 'slot_unknown' });
  });

  it('confirms no zero by the mapping of another compiler', async () => {
    const told = { ...balance, ...(await prove(at, UNI, VYPER_SLOT)), balance: '0' };
    expect(verify(told, { ...trust(told), index: 0 })).toMatchObject({ reason: 'slot_unknown' });
    expect(verify(told, { ...trust(told), index: 0, layout: 'solidity' })).toMatchObject({
      reason: 'other_slot',
    });
  });

  it('accepts only the index and the layout that are known', () => {
    for (const index of [0, 0n])
      expect(verify(balance, { ...trust(balance), index })).toMatchObject({ slot: { index: 0n } });
    for (const index of [1, 256n, 2n ** 256n - 1n])
      expect(verify(balance, { ...trust(balance), index })).toMatchObject({ reason: 'other_slot' });
    expect(verify(balance, { ...trust(balance), layout: 'vyper' })).toMatchObject({ reason: 'other_slot' });
    expect(verify(balance, { ...trust(balance), layout: 'solidity' })).toMatchObject({ verified: true });
    for (const index of [-1, 1.5, NaN, 2 ** 60, 2n ** 256n, '0' as never])
      expect(verify(balance, { ...trust(balance), index })).toMatchObject({
        reason: 'invalid_answer',
        message: expect.stringMatching(/^index: expected/),
      });
  });

  it('confirms what the client returns, with amounts that are bigint', () => {
    const answer = { ...balance, balance: BigInt(balance.balance as string), format: () => '' };
    expect(check(answer)).toMatchObject({ verified: true });
  });

  it('accepts hashes and addresses in upper case', () => {
    const blockHash = `0x${balance.block_hash.slice(2).toUpperCase()}`;
    const answer = { ...balance, holder: `0x${alice.slice(2).toUpperCase()}` };
    expect(verify(answer, { blockHash })).toMatchObject({ verified: true });
  });

  it('compares the slot only with the key, where that is known', () => {
    const key = slotOf(0, alice);
    const other = slotOf(9, alice);
    expect(verify(balance, { ...trust(balance), key })).toMatchObject({
      verified: true,
      slot: { layout: 'given', index: null },
    });
    expect(verify(balance, { ...trust(balance), key: other })).toMatchObject({ reason: 'other_slot' });
    expect(verify(balance, { ...trust(balance), key: 'no key' })).toMatchObject({ reason: 'invalid_answer' });
  });
});

type Lie = readonly [what: string, reason: RefusalReason, tell: () => WireAnswer | Promise<WireAnswer>];
const lie =
  (change: (copy: WireAnswer) => void, of: () => WireAnswer = () => balance) =>
  () =>
    changed(of(), change);

const LIES: readonly Lie[] = [
  ['another amount', 'amount', lie((copy) => (copy.balance = '1'))],
  ['nothing, where there was something', 'amount', lie((copy) => (copy.balance = '0'))],
  ['another amount, in the proof too', 'slot_value', lie(({ proof }) => (proof.storage[0]!.value = '0x1'))],
  [
    'another amount of ether',
    'amount',
    lie(
      (copy) => (copy.balance = '1'),
      () => ether,
    ),
  ],
  ['another holder', 'slot_unexplained', lie((copy) => (copy.holder = bob))],
  [
    'another holder of ether',
    'node_hash',
    lie(
      (copy) => (copy.holder = bob),
      () => ether,
    ),
  ],
  [
    'the slot of another holder',
    'slot_unexplained',
    async () => {
      const theirs = await proveBalance(at, UNI, bob);
      return { ...theirs, holder: alice };
    },
  ],
  [
    'another slot with the proof of the right one',
    'node_extra',
    lie(({ proof }) => (proof.storage[0]!.key = slotOf(1, alice))),
  ],
  ...(
    [
      [200, 'slot_unknown'],
      [300, 'slot_unexplained'],
    ] as const
  ).map(([index, reason]): Lie => [
    `nothing, by the empty slot of a mapping ${index} that does not exist`,
    reason,
    async () => ({ ...balance, ...(await prove(at, UNI, slotOf(index, alice))), balance: '0' }),
  ]),
  [
    'a balance as a supply',
    'slot_unexplained',
    lie((copy) => void (copy.total_supply = pop(copy, 'balance'))),
  ],
  ['another token', 'node_hash', lie((copy) => (copy.token_address = USDC))],
  [
    'the storage proof of another token',
    'node_hash',
    async () => {
      const theirs = await proveBalance(at, USDC, alice);
      return changed(balance, ({ proof }) => (proof.storage = theirs.proof.storage));
    },
  ],
  [
    'a token that does not exist',
    'no_contract',
    async () => ({
      ...balance,
      ...(await prove(at, UNUSED_ADDRESS, slotOf(0, alice))),
      token_address: UNUSED_ADDRESS,
      balance: '0',
    }),
  ],
  ['the block after', 'other_block', async () => proveBalance({ ...at, block: BLOCK + 1 }, UNI, alice)],
  [
    'the block after under the hash of this one',
    'header_hash',
    async () => ({
      ...(await proveBalance({ ...at, block: BLOCK + 1 }, UNI, alice)),
      block_hash: balance.block_hash,
    }),
  ],
  [
    'the state of an earlier block under this header',
    'node_hash',
    async () => {
      const earlier = await proveBalance({ ...at, block: BLOCK - 5 }, UNI, alice);
      return changed(balance, ({ proof }) => {
        proof.account_proof = earlier.proof.account_proof;
        proof.storage = earlier.proof.storage;
      });
    },
  ],
  ['another height', 'block_number', lie((copy) => (copy.checked_at_block += 1))],
  ['another time', 'block_time', lie((copy) => (copy.checked_at_date = '2023-08-26T16:00:58.000Z'))],
  [
    'a time with a part of a second',
    'block_time',
    lie((copy) => (copy.checked_at_date = '2023-08-26T16:00:59.001Z')),
  ],
  [
    'a header with a bit changed',
    'header_hash',
    lie(({ proof }) => (proof.header_rlp = flip(proof.header_rlp))),
  ],
  ['a header with a byte after it', 'header_hash', lie(({ proof }) => (proof.header_rlp += '00'))],
  ['no nodes', 'node_missing', lie(({ proof }) => (proof.account_proof = []))],
  ['an account proof without its root', 'node_hash', lie(({ proof }) => void proof.account_proof.shift())],
  ['an account proof without its leaf', 'node_missing', lie(({ proof }) => void proof.account_proof.pop())],
  ['a slot proof without its leaf', 'node_missing', lie(({ proof }) => void proof.storage[0]!.proof.pop())],
  [
    'a node twice',
    'node_hash',
    lie(({ proof: { account_proof: nodes } }) => void nodes.splice(1, 0, nodes[0]!)),
  ],
  [
    'the leaf twice',
    'node_extra',
    lie(({ proof: { account_proof: nodes } }) => void nodes.push(nodes.at(-1)!)),
  ],
  ['nodes in another order', 'node_hash', lie(({ proof }) => void proof.account_proof.reverse())],
  [
    'a slot proof in place of the account proof',
    'node_hash',
    lie(({ proof }) => (proof.account_proof = proof.storage[0]!.proof)),
  ],
  [
    'a node with a bit changed',
    'node_hash',
    lie(({ proof: { account_proof: nodes } }) => (nodes[1] = flip(nodes[1]!))),
  ],
  ['an unknown claim', 'claim', lie(({ proof }) => (proof.claim = 'slot-is-none'))],
  ['shares as a balance', 'shares', lie(({ proof }) => (proof.claim = 'slot-is-shares'))],
  [
    'shares as a balance, with their number',
    'shares',
    lie(({ proof, ...copy }) => Object.assign(proof, { claim: 'slot-is-shares', shares: copy.balance })),
  ],
  ['the claim of ether for a token', 'claim', lie(({ proof }) => (proof.claim = 'account-is-balance'))],
  [
    'a token’s claim for ether',
    'claim',
    lie(
      ({ proof }) => (proof.claim = 'slot-is-balance'),
      () => ether,
    ),
  ],
  ['a token without a slot', 'claim', lie(({ proof }) => (proof.storage = []))],
  ['a slot twice', 'claim', lie(({ proof: { storage } }) => void storage.push(storage[0]!))],
  ['a slot for ether', 'claim', () => changed(ether, ({ proof }) => (proof.storage = balance.proof.storage))],
  ['no proof', 'no_proof', lie((copy) => void pop(copy, 'proof'))],
  ['two amounts', 'invalid_answer', lie((copy) => (copy.allowance = copy.balance))],
  ['no amount', 'invalid_answer', lie((copy) => void pop(copy, 'balance'))],
  ['a token’s id', 'invalid_answer', lie((copy) => (copy.token_id = '7'))],
  ['a header that is too long', 'too_large', lie(({ proof }) => (proof.header_rlp += '00'.repeat(65_536)))],
  [
    'nodes beyond any path',
    'too_large',
    lie(({ proof }) => (proof.account_proof = Array<string>(66).fill('0x'))),
  ],
  [
    'a node that is too long',
    'too_large',
    lie(({ proof }) => (proof.account_proof[0] += '00'.repeat(1_024))),
  ],
  [
    'slots beyond any answer',
    'too_large',
    lie(({ proof }) => (proof.storage = Array<WireAnswer['proof']['storage'][0]>(9).fill(proof.storage[0]!))),
  ],
];

function pop(copy: WireAnswer, field: string): unknown {
  const value = copy[field];
  delete copy[field];
  return value;
}

/** Changes one bit in the middle. */
function flip(hex: string): string {
  const at = Math.floor(hex.length / 2);
  return hex.slice(0, at) + (parseInt(hex[at]!, 16) ^ 1).toString(16) + hex.slice(at + 1);
}

describe('a proof of shares', () => {
  const STETH = TOKENS.steth.address;
  const mine = () => proveShares(at, STETH, bob);
  const ofShares = (answer: WireAnswer, index?: number) =>
    verify(answer, { ...trust(answer), index, layout: 'solidity', shares: true });

  it('is confirmed where shares are asked for, with the shares in place of an amount', async () => {
    const answer = await mine();
    const shares = BigInt(answer.proof.shares!);
    expect(shares).toBeGreaterThan(0n);
    expect(shares).not.toBe(BigInt(answer.balance as string));
    expect(ofShares(answer)).toEqual({
      verified: true,
      claim: 'slot-is-shares',
      kind: 'balance',
      shares,
      token: STETH.toLowerCase(),
      accounts: [bob.toLowerCase()],
      block: {
        hash: answer.block_hash,
        number: BLOCK,
        timestamp: Date.parse(answer.checked_at_date) / 1_000,
      },
      slot: { key: slotOf(2, bob), layout: 'solidity', index: 2n },
    });
    expect(ofShares(answer, 2)).toMatchObject({ verified: true });
    expect(ofShares(answer, 1)).toMatchObject({ reason: 'other_slot' });
    const inBigints = changed(answer, ({ proof }) => Object.assign(proof, { shares }));
    expect(ofShares(inBigints)).toMatchObject({ verified: true, shares });
  });

  it('is refused where a balance is asked for, with a reason of its own', async () => {
    const answer = await mine();
    for (const shares of [undefined, false, 1, 'true'] as never[])
      expect(verify(answer, { ...trust(answer), shares })).toEqual({
        verified: false,
        reason: 'shares',
        message: expect.stringMatching(/^the proof is of the holder’s shares, not of the balance/),
      });
  });

  it('of zero shares is confirmed only in a known slot', async () => {
    const nothing = await proveShares(at, STETH, UNUSED_ADDRESS);
    expect(ofShares(nothing)).toMatchObject({ reason: 'slot_unknown' });
    expect(ofShares(nothing, 2)).toMatchObject({ verified: true, shares: 0n });
  });

  it.each<[string, RefusalReason, (copy: WireAnswer) => void]>([
    ['another number of shares', 'amount', ({ proof }) => (proof.shares = '1')],
    ['the balance as the shares', 'amount', (copy) => (copy.proof.shares = copy.balance as string)],
    [
      'another number in the slot too',
      'slot_value',
      ({ proof }) => {
        proof.shares = '1';
        proof.storage[0]!.value = '0x1';
      },
    ],
    ['no shares', 'invalid_answer', ({ proof }) => delete proof.shares],
    ['a number that is not whole', 'invalid_answer', ({ proof }) => (proof.shares = '1.5')],
    ['the claim of a balance', 'claim', ({ proof }) => (proof.claim = 'slot-is-balance')],
    ['another holder', 'slot_unexplained', (copy) => (copy.holder = alice)],
    ['another token', 'node_hash', (copy) => (copy.token_address = UNI)],
    [
      'an allowance',
      'claim',
      (copy) => {
        copy.allowance = pop(copy, 'balance');
        [copy.owner, copy.spender] = [bob, alice];
      },
    ],
    ['a supply', 'claim', (copy) => (copy.total_supply = pop(copy, 'balance'))],
  ])('with %s is refused as %s', async (_lie, reason, change) => {
    expect(ofShares(changed(await mine(), change))).toEqual({
      verified: false,
      reason,
      message: expect.any(String),
    });
  });

  it('is required: one of a balance, of an allowance or of ether is refused', async () => {
    const allowance = await proveAllowance(at, UNI, [alice, market]);
    for (const answer of [balance, ether, allowance])
      expect(ofShares(answer)).toMatchObject({ verified: false, reason: 'claim' });
  });

  it('does not confirm the balance where its claim is changed to that of a balance', async () => {
    const told = changed(await mine(), ({ proof }) => (proof.claim = 'slot-is-balance'));
    expect(check(told)).toMatchObject({ verified: false, reason: 'amount' });
  });
});

describe('an answer with a lie', () => {
  it.each(LIES)('%s: refused as %s', async (_what, reason, tell) => {
    const told = await tell();
    expect(verify(told, trust(balance))).toEqual({ verified: false, reason, message: expect.any(String) });
  });

  it.each([
    ['block_hash', '0x12'],
    ['block_hash', 7],
    ['checked_at_block', '17999900'],
    ['checked_at_block', 1.5],
    ['checked_at_block', -1],
    ['checked_at_date', 'yesterday'],
    ['checked_at_date', '2023-08-26T16:21:35'],
    ['checked_at_date', '2023-13-26T16:21:35Z'],
    ['checked_at_date', null],
    ['token_address', '0x12'],
    ['token_address', null],
    ['holder', 'alice.eth'],
    ['balance', '1.5'],
    ['balance', -1n],
    ['balance', 2n ** 256n],
    ['balance', 7],
    ['balance', '9'.repeat(79)],
  ])('a malformed %s (%p) is named', (field, value) => {
    expect(verify({ ...balance, [field]: value }, trust(balance))).toEqual({
      verified: false,
      reason: 'invalid_answer',
      message: expect.stringContaining(`${field}: expected `),
    });
  });

  it.each<[string, (proof: Record<string, unknown>) => void]>([
    ['proof.header_rlp', (proof) => (proof.header_rlp = 7)],
    ['proof.header_rlp', (proof) => (proof.header_rlp = '0x123')],
    ['proof.account_proof', (proof) => (proof.account_proof = {})],
    ['proof.account_proof[1]', (proof) => (proof.account_proof = ['0x', '0xzz'])],
    ['proof.storage', (proof) => (proof.storage = 'none')],
    ['proof.storage[0]', (proof) => (proof.storage = [null])],
    ['proof.storage[0].key', (proof) => (proof.storage = [{ key: '0x0', value: '0x0', proof: [] }])],
    ['proof.storage[0].value', (proof) => (proof.storage = [{ key: toBeHex(0, 32), value: 0, proof: [] }])],
  ])('a malformed %s is named', (field, change) => {
    const told = changed(balance, ({ proof }) => change(proof as unknown as Record<string, unknown>));
    expect(verify(told, trust(balance))).toEqual({
      verified: false,
      reason: 'invalid_answer',
      message: expect.stringContaining(`${field}: expected `),
    });
  });
});

describe('input of any kind', () => {
  it.each([
    ['no hash', ''],
    ['a height', '17999900'],
    ['not hexadecimal', `0x${'z'.repeat(64)}`],
  ])('as the block hash, %s is refused', (_what, blockHash) => {
    expect(verify(balance, { blockHash })).toMatchObject({ verified: false, reason: 'invalid_block_hash' });
  });

  it.each([[undefined], [null], [7], ['text'], [[]], [() => balance], [Symbol('answer')], [new Map()]])(
    'as the answer, %p is refused',
    (answer) => {
      expect(verify(answer, trust(balance))).toMatchObject({ verified: false, reason: 'invalid_answer' });
    },
  );

  it('an answer that throws when it is read is refused', () => {
    const trap = (): never => {
      throw new Error('a trap');
    };
    const thrower = new Proxy({}, { get: trap, has: trap, ownKeys: trap });
    expect(verify(thrower, trust(balance))).toMatchObject({ reason: 'invalid_answer' });
    expect(verify({ ...balance, proof: thrower }, trust(balance))).toMatchObject({
      reason: 'invalid_answer',
    });
    expect(verify(balance, thrower as never)).toMatchObject({ verified: false });
    expect(verify(balance, undefined as never)).toMatchObject({ verified: false });
  });

  it('a field is read once, even if a getter returns something else the second time', () => {
    let reads = 0;
    const shifty = Object.defineProperty({ ...balance }, 'balance', {
      get: () => (reads++ === 0 ? '1' : balance.balance),
    });
    expect(verify(shifty, trust(balance))).toMatchObject({ verified: false, reason: 'amount' });
    expect(reads).toBe(1);
  });

  it('an address is compared by its bytes', () => {
    expect(getAddress(alice)).toBe(alice);
    expect(check({ ...balance, holder: alice.toLowerCase() })).toMatchObject({ verified: true });
  });
});
