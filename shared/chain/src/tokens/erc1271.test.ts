import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { keccak256 } from 'ethers';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { askContract } from './erc1271.ts';
import { carriedJsonRpc } from '../../test/support/carried-json-rpc.ts';
import { ETH_MAINNET } from '../networks.ts';
import { sendOne, type EthereumNode } from '../rpc/node.ts';
import { ChainReader } from '../state/reader.ts';
import { startHostileNode, type HostileNode } from '../../test/support/hostile-node.ts';

const DIGEST = `0x${'5a'.repeat(32)}`;
const OTHER_DIGEST = `0x${'5b'.repeat(32)}`;
const SIGNATURE = `0x${'11'.repeat(64)}1b`;
/** Longer than any test, for a deadline that is not to be met. */
const PATIENT_MS = 60_000;

/** `isValidSignature(DIGEST, SIGNATURE)` as the standard has it called: selector, two heads, length, padded bytes. */
const CALL = `0x1626ba7e${DIGEST.slice(2)}${word(64)}${word(65)}${SIGNATURE.slice(2)}${'00'.repeat(31)}`;
const MAGIC = '631626ba7e60e01b';
const RETURN_WORD = '60005260206000f3';
const WALLETS = {
  'confirms everything': `0x${MAGIC}${RETURN_WORD}`,
  // The whole call is compared by its hash.
  'confirms exactly this call': `0x36600060003736600020${keccak256(CALL).replace('0x', '7f')}14${MAGIC}02${RETURN_WORD}`,
  'returns more than a word': `0x${MAGIC}60005260606000f3`,
  'returns zero': `0x6000${RETURN_WORD}`,
  'returns a little more than the magic value': `0x${MAGIC}600117${RETURN_WORD}`,
  'returns four bytes only': `0x${MAGIC}60005260046000f3`,
  'returns nothing': '0x00',
  'reverts with the magic value': `0x${MAGIC}60005260206000fd`,
  'burns all gas': '0x5b600056',
} as const;
const addressOf = (wallet: keyof typeof WALLETS): string =>
  `0x${(0x1271_00 + Object.keys(WALLETS).indexOf(wallet)).toString(16).padStart(40, '0')}`;

let chain: Anvil;
let door: HostileNode;
let node: EthereumNode;

beforeAll(async () => {
  chain = await startEmptyChain();
  door = await startHostileNode(chain.url);
  node = carriedJsonRpc({ url: door.url, timeoutMs: PATIENT_MS });
  for (const [wallet, code] of Object.entries(WALLETS)) {
    await sendOne(node, 'anvil_setCode', [addressOf(wallet as keyof typeof WALLETS), code]);
  }
  await sendOne(node, 'evm_mine', []);
});
afterAll(async () => {
  await node.close();
  await door.close();
  await chain.stop();
});

const ask = (address: string, withinMs = PATIENT_MS, digest = DIGEST) => {
  const reader = new ChainReader({ node, network: ETH_MAINNET, clock: systemClock });
  return askContract(reader, { address, digest, signature: SIGNATURE }, withinMs);
};

describe('a signature that only a contract can vouch for', () => {
  it.each(['confirms everything', 'confirms exactly this call', 'returns more than a word'] as const)(
    'is right where the contract %s',
    async (wallet) => expect(await ask(addressOf(wallet))).toBe('right'),
  );

  it.each([
    'returns zero',
    'returns a little more than the magic value',
    'returns four bytes only',
    'returns nothing',
    'reverts with the magic value',
    'burns all gas',
  ] as const)('is wrong where the contract %s', async (wallet) =>
    expect(await ask(addressOf(wallet))).toBe('wrong'),
  );

  it('is wrong for another digest than the contract confirms', async () =>
    expect(await ask(addressOf('confirms exactly this call'), PATIENT_MS, OTHER_DIGEST)).toBe('wrong'));

  it('is no contract’s where there is no code', async () =>
    expect(await ask(`0x${'12'.repeat(20)}`)).toBe('no-contract'));
});

describe('while the node says nothing of use, it is not known', () => {
  it.each([{ kind: 'reset' }, { kind: 'hang' }] as const)('%o', async (how) => {
    door.behave(how);
    try {
      expect(await ask(addressOf('confirms everything'), how.kind === 'hang' ? 50 : PATIENT_MS)).toBe(
        'unknown',
      );
    } finally {
      door.behave(undefined);
    }
    expect(await ask(addressOf('confirms everything'))).toBe('right');
  });
});

function word(value: number): string {
  return value.toString(16).padStart(64, '0');
}
