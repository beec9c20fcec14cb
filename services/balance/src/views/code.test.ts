import { describe, expect, it } from '@jest/globals';
import { ask, blockTag } from '@hindsight/devchain/client.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { dataLength, keccak256 } from 'ethers';
import { startHostileNode } from '@hindsight/chain/test/support/hostile-node.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runOnDevchain } from '../../test/support/on-devchain.ts';
import { runBalance, type RunningBalance } from '../../test/support/run-balance.ts';

const { usdc, savings } = TOKENS;
const balance = forAllTests(runOnDevchain, 'stop');

const codeOf = (address: string, height: number): ReturnType<RunningBalance['ask']> =>
  balance.ask(`/v1/eth-mainnet/code?address=${address}&block_height=${height}`);

describe('GET /v1/{network}/code', () => {
  it.each([
    ['a token', usdc.address, CHAIN.head],
    ['a vault that is there', savings.address, LANDMARKS.savingsOpen],
    ['a wallet', HOLDERS.alice, CHAIN.head],
    ['an account that never existed', UNUSED_ADDRESS, CHAIN.story],
    ['a precompile', `0x${'1'.padStart(40, '0')}`, CHAIN.head],
  ])('is the code that the node has: %s', async (_what, address, height) => {
    const code = (await ask(balance.devchain.url, 'eth_getCode', address, blockTag(height))) as string;
    const { status, body } = await codeOf(address, height);
    const code_hash = code === '0x' ? null : keccak256(code);
    expect(status).toBe(200);
    expect(body).toMatchObject({ checked_at_block: height, code_size: dataLength(code), code_hash });
  });

  it('has no code before the contract', async () => {
    const { status, body } = await codeOf(savings.address, CHAIN.story);
    expect([status, body.code_size, body.code_hash]).toEqual([200, 0, null]);
  });

  it('resolves a name at the block, and is immutable where that is final', async () => {
    const { body, headers } = await codeOf('alice.eth', CHAIN.head - 100);
    expect(body).toMatchObject({ address: HOLDERS.alice, code_size: 0, code_hash: null });
    expect(headers.get('cache-control')).toContain('immutable');
  });

  // Such a node has no state there, and its balance of nothing says so; its code of nothing alone would be believed.
  it('is not taken from a node that answers with nothing below its prune floor', async () => {
    const pruned = await startHostileNode(balance.devchain.url);
    pruned.behave({ distorts: true, kind: 'prune', floor: CHAIN.head - 64, how: 'empty' });
    const service = await runBalance([pruned.url, balance.devchain.url]);
    try {
      for (const height of [CHAIN.head - 100, CHAIN.head - 200]) {
        const { status, body } = await service.ask(
          `/v1/eth-mainnet/code?address=${usdc.address}&block_height=${height}`,
        );
        const code = (await ask(
          balance.devchain.url,
          'eth_getCode',
          usdc.address,
          blockTag(height),
        )) as string;
        expect([status, body.code_hash]).toEqual([200, keccak256(code)]);
      }
    } finally {
      await service.stop();
      await pruned.close();
    }
  });
});
