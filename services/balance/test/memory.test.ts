/** The service's memory is bounded for any questions. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, TOKENS } from '@hindsight/devchain/world.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const MEMORY_BYTES = 200_000;
const ASKERS = 32;
const WARM_UP = 1_000;
const QUESTIONS = 2_000;
/** The text of an answer and of the URL that it is kept under; with its keys it takes twice as much. */
const TEXT_BYTES = 600;

let devchain: Devchain;
let balance: RunningBalance;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  balance = await runBalance(devchain.url, { memoryBytes: MEMORY_BYTES });
});
afterAll(async () => {
  await balance.stop();
  await devchain.stop();
});

/** Every question is about a new holder; one in four about ether. */
function pathOf(i: number): string {
  const holder = `0x${i.toString(16).padStart(40, '1')}`;
  const when = `holder=${holder}&block_height=${CHAIN.story + 20 + (i % 200)}`;
  const token = i % 2 === 0 ? TOKENS.uni : TOKENS.mkr;
  const about = i % 4 === 0 ? 'native?' : `single?token_address=${token.address}&`;
  return `/v1/eth-mainnet/balance/${about}${when}`;
}

async function askAll(from: number, to: number): Promise<void> {
  let next = from;
  const asker = async (): Promise<void> => {
    for (let i = next++; i < to; i = next++) {
      const { status, headers } = await balance.ask(pathOf(i));
      if (status !== 200 || !headers.get('cache-control')?.includes('immutable'))
        throw new Error(`${pathOf(i)}: ${status} ${headers.get('cache-control')}`);
    }
  };
  await Promise.all(Array.from({ length: ASKERS }, asker));
}

describe('memory', () => {
  it('does not grow with the number of distinct questions', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = (): number => {
      for (let i = 0; i < 3; i++) collect();
      return process.memoryUsage().heapUsed;
    };
    await askAll(0, WARM_UP);
    const before = heap();
    await askAll(WARM_UP, WARM_UP + QUESTIONS);
    expect(heap() - before).toBeLessThan(QUESTIONS * TEXT_BYTES);
  });
});
