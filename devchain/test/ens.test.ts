import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dnsEncode, Interface, JsonRpcProvider, namehash, Network } from 'ethers';
import { askAll, callAt, callQuestion } from '../src/client.ts';
import { startDevchain, type Devchain } from '../src/devchain.ts';
import { buildPlan } from '../src/plan.ts';
import { CHAIN, CONTRACTS, LANDMARKS } from '../src/world.ts';

const { ledger } = buildPlan();
const abi = new Interface([
  'function resolver(bytes32) view returns (address)',
  'function addr(bytes32) view returns (address)',
  'function findResolver(bytes) view returns (address, bytes32, uint256)',
]);
const OFFCHAIN_LOOKUP = '0x556f1830';

let chain: Devchain;
beforeAll(async () => {
  chain = await startDevchain();
});
afterAll(() => chain.stop());

const read = (to: string, method: string, name: string, block: number = CHAIN.head) =>
  callAt(chain.url, to, abi.encodeFunctionData(method, [namehash(name)]), block);

describe('ENS on the dev chain', () => {
  it('resolves through ethers at the head, as the ledger has it', async () => {
    const staticNetwork = Network.from(CHAIN.id);
    const ethers = new JsonRpcProvider(chain.url, CHAIN.id, { staticNetwork, cacheTimeout: -1 });
    try {
      for (const name of ['alice.eth', 'treasury.eth', 'bob.eth', 'pay.alice.eth']) {
        expect([name, await ethers.resolveName(name)]).toEqual([name, ledger.nameAt(name, CHAIN.head)]);
      }
      await expect(ethers.resolveName('unregistered.eth')).rejects.toThrow('ResolverNotFound');
      await expect(ethers.resolveName('child.bob.eth')).rejects.toThrow('ResolverNotFound');
    } finally {
      ethers.destroy();
    }
  });

  it('resolves by registry and resolver at every height, as the ledger has it', async () => {
    const changes = ledger.entries.filter((entry) => entry.kind === 'name');
    expect(changes.length).toBeGreaterThanOrEqual(7);
    const checks = changes.flatMap(({ name, block }) =>
      [block - 1, block, CHAIN.head].map((height) => ({ name, height })),
    );
    const answers = await askAll(
      chain.url,
      checks.map(({ name, height }) =>
        callQuestion(CONTRACTS.ensResolver, abi.encodeFunctionData('addr', [namehash(name)]), height),
      ),
    );
    checks.forEach(({ name, height }, i) => {
      const address = BigInt(ledger.nameAt(name, height) ?? 0);
      expect([name, height, BigInt(answers[i]!.result as string)]).toEqual([name, height, address]);
    });
    for (const { name, block } of changes) {
      const resolver = BigInt(await read(CONTRACTS.ensRegistry, 'resolver', name, block));
      expect([name, resolver]).toEqual([name, BigInt(CONTRACTS.ensResolver)]);
    }
  });

  it('has a universal resolver only from its landmark on', async () => {
    const data = abi.encodeFunctionData('findResolver', [dnsEncode('alice.eth')]);
    const find = (block: number) => callAt(chain.url, CONTRACTS.universalResolver, data, block);
    await expect(find(LANDMARKS.universalResolver - 1)).rejects.toThrow('revert');
    const found = abi.decodeFunctionResult('findResolver', await find(LANDMARKS.universalResolver));
    expect(found.toArray()).toEqual([CONTRACTS.ensResolver, namehash('alice.eth'), 0n]);
  });

  it('has a name whose resolver refers to private addresses', async () => {
    const resolver = BigInt(await read(CONTRACTS.ensRegistry, 'resolver', 'offchain.eth'));
    expect(resolver).toBe(BigInt(CONTRACTS.offchainResolver));
    const answer = read(CONTRACTS.offchainResolver, 'addr', 'offchain.eth');
    await expect(answer).rejects.toThrow(OFFCHAIN_LOOKUP);
  });
});
