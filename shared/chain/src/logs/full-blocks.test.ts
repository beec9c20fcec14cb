import { expect, it } from '@jest/globals';
import type { RpcOptions } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { BLOCK_BYTES, FullBlocks } from './full-blocks.ts';

const tooLarge = (): NodeError => new NodeError('malformed', 'too much', { tooLarge: true });

it('are asked for again, with more room, and one at a time', async () => {
  const full = new FullBlocks();
  let [now, most] = [0, 0];
  const ask = async ({ maxBytes }: RpcOptions): Promise<string> => {
    if (maxBytes !== BLOCK_BYTES) throw tooLarge();
    most = Math.max(most, (now += 1));
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    return 'all';
  };
  const answers = await Promise.all(Array.from({ length: 5 }, () => full.read(ask, {})));
  expect([answers, most]).toEqual([Array(5).fill('all'), 1]);
});

it('release their turn where they fail, and other errors are not asked again', async () => {
  const full = new FullBlocks();
  const fails = full.read(() => Promise.reject(tooLarge()), {});
  await expect(fails).rejects.toMatchObject({ details: { tooLarge: true } });
  let asked = 0;
  const refused = full.read(() => Promise.reject(new NodeError('refused', `${(asked += 1)}`)), {});
  await expect(refused).rejects.toMatchObject({ kind: 'refused', message: '1' });
  const late = full.read(({ maxBytes }) => Promise.resolve(maxBytes), { timeoutMs: 5_000 });
  expect(await late).toBeUndefined();
  await expect(full.read(() => Promise.reject(tooLarge()), { timeoutMs: 5_000 })).rejects.toThrow('too much');
});
