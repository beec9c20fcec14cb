/** Proofs from real nodes on which the zero address has no ether, under today's rules and across Amsterdam. */
import { expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { startGeth } from '@hindsight/tools/servers/geth.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { Interface, keccak256, toBeHex, Wallet } from 'ethers';
import { runNetworks } from './support/run-balance.ts';
import { slotOf } from './support/slots.ts';

const NETWORK = { ...ETH_MAINNET, byzantiumBlock: 0 };
const TOKEN = `0x${'70'.repeat(20)}`;
const ERC20 = new Interface(['function mint(address, uint256)', 'function approve(address, uint256)']);
const owner = new Wallet(keccak256('0x01'));
const SPENDER = `0x${'5e'.repeat(20)}`;
const AMSTERDAM_AT = 3;
const BLOCKS = 5;
const BASE = { type: 2, chainId: 1, gasLimit: 500_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n };

interface Proof {
  readonly header_rlp: string;
  readonly storage: readonly { readonly value: string }[];
  readonly claim: string;
  readonly shares?: string;
}

/** Two tokens that compute balances from shares: Lido's form, and that of Aave's. */
const STAKED = `0x${'71'.repeat(20)}`;
const LENT = `0x${'72'.repeat(20)}`;
/** The holder of shares, and the holder beside whose shares the slot has another number. */
const [SOLE, PACKED] = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`];
const SHARES = 200n;
const word = (value: bigint): string => toBeHex(value, 32);

/** Runs code at a selector, in a contract that reverts for others; each is followed by the return of a word. */
function dispatch(codes: Readonly<Record<string, string>>): string {
  const RETURN = '5f5260205ff3';
  const entries = Object.entries(codes);
  let at = 5 + 11 * entries.length + 3;
  let [jumps, bodies] = ['', ''];
  for (const [selector, code] of entries) {
    jumps += `8063${selector}1461${at.toString(16).padStart(4, '0')}57`;
    const body = `5b${code}${RETURN}`;
    at += body.length / 2;
    bodies += body;
  }
  return `0x5f3560e01c${jumps}5f5ffd${bodies}`;
}

/** The lower half of the holder's entry in the mapping 0: Aave 3 keeps an index of interest in the upper half. */
const SCALED = `6004355f525f60205260405f20546f${'ff'.repeat(16)}16`;
const LENT_CODE = dispatch({
  '1da24f3e': SCALED,
  // A scaled balance has earned as much again.
  '70a08231': `${SCALED}8001`,
  '18160ddd': '6103e8',
});

/** Mints tokens to the owner and sets an allowance, in alternating blocks. @returns the heights */
async function play(url: string): Promise<readonly number[]> {
  const heights: number[] = [];
  for (let nonce = 0; nonce < BLOCKS; nonce++) {
    const data =
      nonce % 2 === 0
        ? ERC20.encodeFunctionData('mint', [owner.address, 10n ** 20n])
        : ERC20.encodeFunctionData('approve', [SPENDER, nonce]);
    const signed = await owner.signTransaction({ ...BASE, to: TOKEN, nonce, data });
    const hash = await ask(url, 'eth_sendRawTransaction', signed);
    let receipt: unknown;
    await until('it is in a block', async () => {
      receipt = await ask(url, 'eth_getTransactionReceipt', hash).catch(() => null);
      return receipt !== null;
    });
    heights.push(Number((receipt as { blockNumber: string }).blockNumber));
  }
  return heights;
}

for (const [kind, rules] of [
  ['geth', {}],
  ['geth, by path, across Amsterdam', { stateScheme: 'path', amsterdamAt: AMSTERDAM_AT }],
] as const) {
  await describeOnServers(`Proofs of ${kind}`, { env: process.env, own: ['geth-1.17'] }, () => {
    const world = forAllTests(async () => {
      const alloc = {
        [TOKEN]: { balance: '0x0', code: loadArtifact('UniToken').runtime },
        [STAKED]: {
          balance: '0x0',
          code: loadArtifact('StakedEther').runtime,
          // 500 units in 400 shares.
          storage: { [word(0n)]: word(500n), [word(1n)]: word(400n), [slotOf(SOLE, 2)]: word(SHARES) },
        },
        [LENT]: {
          balance: '0x0',
          code: LENT_CODE,
          storage: {
            [slotOf(SOLE, 0)]: word(SHARES),
            [slotOf(PACKED, 0)]: word((7n << 128n) + SHARES),
          },
        },
      };
      const geth = await startGeth({ ...rules, funded: [owner.address], alloc });
      const heights = await play(geth.url);
      const balance = await runNetworks([{ network: NETWORK, urls: [geth.url] }]);
      const stop = async (): Promise<void> => {
        await balance.stop();
        await geth.stop();
      };
      return { url: geth.url, heights, balance, stop };
    }, 'stop');

    async function proofOf(path: string, query: Readonly<Record<string, string>>, height: number) {
      const asked = new URLSearchParams({ ...query, block_height: String(height), proof: 'storage' });
      const { status, body } = await world.balance.ask(`/v1/eth-mainnet/${path}?${asked.toString()}`);
      expect([status, body.message]).toEqual([200, undefined]);
      const proof = body.proof as Proof;
      expect(keccak256(proof.header_rlp)).toBe(body.block_hash);
      return { body, proof };
    }

    it('prove ether, a balance, an allowance and a supply at each height', async () => {
      expect(world.heights).toHaveLength(BLOCKS);
      for (const [nonce, height] of world.heights.entries()) {
        const native = await proofOf('balance/native', { holder: owner.address }, height);
        expect(native.proof).toMatchObject({ claim: 'account-is-balance', storage: [] });
        const wei = await ask(world.url, 'eth_getBalance', owner.address, `0x${height.toString(16)}`);
        expect(native.body.balance).toBe(BigInt(String(wei)).toString());
        const minted = 10n ** 20n * BigInt(1 + Math.floor(nonce / 2));
        for (const [path, query] of [
          ['balance/single', { token_address: TOKEN, holder: owner.address }],
          ['supply', { token_address: TOKEN }],
        ] as const) {
          const { body, proof } = await proofOf(path, query, height);
          expect(proof.storage.map(({ value }) => BigInt(value))).toEqual([minted]);
          expect(body.balance ?? body.total_supply).toBe(minted.toString());
        }
        if (nonce === 0) continue;
        const query = { token_address: TOKEN, owner: owner.address, spender: SPENDER };
        const allowed = await proofOf('allowance/single', query, height);
        expect(allowed.proof.storage.map(({ value }) => Number(value))).toEqual([nonce - ((nonce + 1) % 2)]);
      }
    });

    it('prove the shares that a token states, where they alone are in one slot', async () => {
      const askShares = async (token: string, holder: string, height: number, proof = 'shares') => {
        const query = { token_address: token, holder, block_height: String(height), proof };
        const asked = new URLSearchParams(query).toString();
        return world.balance.ask(`/v1/eth-mainnet/balance/single?${asked}`);
      };
      for (const height of world.heights) {
        for (const [token, index, balance] of [
          [STAKED, 2, '250'],
          [LENT, 0, '400'],
        ] as const) {
          const { status, body } = await askShares(token, SOLE, height);
          expect({ status, ...body }).toMatchObject({ status: 200, balance });
          const { claim, shares, storage, header_rlp } = body.proof as Proof;
          expect({ claim, shares }).toEqual({ claim: 'slot-is-shares', shares: `${SHARES}` });
          expect(storage).toMatchObject([{ key: slotOf(SOLE, index), value: `0x${SHARES.toString(16)}` }]);
          expect(keccak256(header_rlp)).toBe(body.block_hash);
          const refused = await askShares(token, SOLE, height, 'storage');
          expect(refused).toMatchObject({
            status: 422,
            body: {
              message: expect.stringMatching(/keeps shares.* holds 200 shares, which proof=shares proves$/),
            },
          });
        }
        const packed = await askShares(LENT, PACKED, height);
        expect({ status: packed.status, ...packed.body }).toMatchObject({
          status: 422,
          code: 'not_provable',
          message: expect.stringMatching(/^proof: the token states 200 shares, and the slot .* holds 0x7/),
        });
        const unexplained = await askShares(LENT, PACKED, height, 'storage');
        expect(unexplained.body.message).toMatch(/from which the contract computes the amount/);
      }
    });

    it('have headers of the fork at each height', async () => {
      for (const height of world.heights) {
        const header = await ask(world.url, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false);
        const isForked = 'amsterdamAt' in rules && height >= AMSTERDAM_AT;
        expect([height, 'blockAccessListHash' in (header as object)]).toEqual([height, isForked]);
      }
    });
  });
}
