/** Proofs from real nodes on which the zero address has no ether, under today's rules and across Amsterdam. */
import { expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { startGeth, type GethRelease } from '@hindsight/tools/servers/geth.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { Interface, keccak256, Wallet } from 'ethers';
import { runNetworks } from './support/run-balance.ts';

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
}

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

for (const [release, rules] of [
  ['geth', {}],
  ['geth-1.17', { stateScheme: 'path', amsterdamAt: AMSTERDAM_AT }],
] as const satisfies readonly (readonly [GethRelease, object])[]) {
  await describeOnServers(`Proofs of ${release}`, { env: process.env, own: [release] }, () => {
    const world = forAllTests(async () => {
      const alloc = { [TOKEN]: { balance: '0x0', code: loadArtifact('UniToken').runtime } };
      const geth = await startGeth({ release, ...rules, funded: [owner.address], alloc });
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

    it('have headers of the fork at each height', async () => {
      for (const height of world.heights) {
        const header = await ask(world.url, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false);
        const isForked = 'amsterdamAt' in rules && height >= AMSTERDAM_AT;
        expect([height, 'blockAccessListHash' in (header as object)]).toEqual([height, isForked]);
      }
    });
  });
}
