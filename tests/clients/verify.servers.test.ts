/** Answers with the proofs of go-ethereum: another database of the state than the dev chain's, and more accounts. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { verify } from '@hindsight/client/verify';
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { type GethServer, startGeth } from '@hindsight/tools/servers/geth.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { id, JsonRpcProvider, Wallet } from 'ethers';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { proveBalance, proveEther, proveSupply } from '../support/proven-answers.ts';

const TOKEN = '0x7070707070707070707070707070707070707070';
const ABSENT = '0x00000000000000000000000000000000000000aa';
const HOLDERS = 5;
/** Enough accounts for a trie of three levels. */
const ACCOUNTS = 500;

const holder = (i: number): string => `0x${id(`holder ${i}`).slice(-40)}`;
const { runtime, interface: token } = loadArtifact('UniToken');

await describeOnServers('verify, of proofs by geth', { env: process.env, own: ['geth-1.17'] }, () => {
  let node: GethServer;
  let block: number;

  beforeAll(async () => {
    const wallet = Wallet.createRandom();
    const accounts = Array.from({ length: ACCOUNTS }, (_, i) => [
      holder(i),
      { balance: `0x${(i + 1).toString(16)}` },
    ]);
    const alloc = { ...Object.fromEntries(accounts), [TOKEN]: { balance: '0x0', code: runtime } } as Record<
      string,
      { balance: string; code?: string }
    >;
    node = await startGeth({ funded: [wallet.address], alloc });
    const provider = new JsonRpcProvider(node.url, undefined, { cacheTimeout: -1, pollingInterval: 50 });
    try {
      const payer = new Wallet(wallet.privateKey, provider);
      for (let i = 0; i < HOLDERS; i++) {
        const data = token.encodeFunctionData('mint', [holder(i), 1_000 + i]);
        const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n, gasLimit: 200_000n };
        await payer.sendTransaction({ to: TOKEN, data, nonce: i, ...fees });
      }
      // No receipts: a young node refuses them while it indexes its transactions.
      await until('all are in blocks', async () => (await payer.getNonce()) === HOLDERS);
      block = await provider.getBlockNumber();
    } finally {
      provider.destroy();
    }
  });
  afterAll(() => node?.stop());

  it('confirms balances, a supply and ether', async () => {
    const at = { url: node.url, block };
    for (let i = 0; i < HOLDERS; i++) {
      const answer = await proveBalance(at, TOKEN, holder(i));
      const ether = await proveEther(at, holder(i));
      expect(answer.proof.account_proof.length).toBeGreaterThanOrEqual(3);
      const blockHash = answer.block_hash;
      expect(verify(answer, { blockHash })).toMatchObject({ verified: true, amount: BigInt(1_000 + i) });
      expect(verify(ether, { blockHash })).toMatchObject({ verified: true, amount: BigInt(i + 1) });
      expect(verify({ ...answer, holder: ABSENT }, { blockHash })).toMatchObject({
        reason: 'slot_unexplained',
      });
    }
    const supply = await proveSupply(at, TOKEN);
    expect(verify(supply, { blockHash: supply.block_hash })).toMatchObject({
      verified: true,
      amount: 5_010n,
    });
  });

  it('confirms that there was nothing', async () => {
    const at = { url: node.url, block };
    const nothing = await proveBalance(at, TOKEN, ABSENT);
    const trusted = { blockHash: nothing.block_hash };
    expect(verify(nothing, { ...trusted, index: 0, layout: 'solidity' })).toMatchObject({
      verified: true,
      amount: 0n,
    });
    expect(verify(await proveEther(at, ABSENT), trusted)).toMatchObject({ verified: true, amount: 0n });
  });

  it('confirms that there was nothing before the first entry of the token', async () => {
    const nothing = await proveBalance({ url: node.url, block: 0 }, TOKEN, holder(0));
    expect(nothing.proof.storage[0]!.proof.length).toBe(0);
    const trusted = { blockHash: nothing.block_hash, index: 0, layout: 'solidity' } as const;
    expect(verify(nothing, trusted)).toMatchObject({ verified: true, amount: 0n });
  });
});
