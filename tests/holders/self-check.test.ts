/** The self-check: an index of the dev chain is compared with the chain, and differences are reported. */
import { describe, expect, it } from '@jest/globals';
import { TOKENS } from '@hindsight/devchain/world.ts';
import type { HolderIndex } from '@hindsight/holders/service.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { HolderWorld } from './support/holder-world.ts';

const track = TOKENS.usdc.address.toLowerCase();
const COMPARISONS = 8;

const world = forAllTests(HolderWorld.onDevchain, 'close');

const lineOf = async (app: HttpServer): Promise<string> => {
  const { parts } = JSON.parse((await app.inject({ url: '/readyz?verbose' })).payload) as {
    parts: { name: string; detail: string }[];
  };
  return parts.find(({ name }) => name === 'index of holders')?.detail ?? '';
};

/** Runs the service until it has compared some times. @returns what `/readyz` says of the index */
async function checked(
  tracks: readonly string[],
  keep?: (index: HolderIndex) => HolderIndex,
): Promise<string> {
  const app = await world.start({ tracks, lazily: false, checksPerMinute: 600, ...(keep && { keep }) });
  try {
    const compared = async (): Promise<number> =>
      Number(/; (\d+) comparisons/.exec(await lineOf(app))?.[1] ?? 0);
    await until('it has compared', async () => (await compared()) >= COMPARISONS);
    return await lineOf(app);
  } finally {
    await world.endLast();
  }
}

describe('the self-check', () => {
  it('finds no difference in the index of a token, and sums that are the supply', async () => {
    const said = await checked([track]);
    expect(said).toContain('no difference');
    const [, equal, of] = /, (\d+) of (\d+) sums are the supply/.exec(said) ?? [];
    expect([Number(of) > 0, equal]).toEqual([true, of]);
  });

  it('finds none in the index of all tokens', async () => {
    expect(await checked(['*'])).toContain('no difference');
  });

  it.each([
    ['lacks points', (block: number) => block % 3 !== 0],
    ['lacks all of them', () => false],
  ])('finds that an index %s', async (_what, isKept) => {
    const said = await checked([track], (index) => ({
      ...index,
      append: (of, base, range) =>
        index.append(of, base, { ...range, points: range.points.filter(({ block }) => isKept(block)) }),
    }));
    expect(said).toMatch(/points, [1-9]\d* DIFFERENCES/);
  });

  it('finds points that the chain does not have', async () => {
    const foreign = `0x${'ab'.repeat(20)}`;
    const said = await checked([track], (index) => ({
      ...index,
      append: (of, base, range) =>
        index.append(of, base, {
          ...range,
          points: [...range.points, { token: track, holder: foreign, id: null, block: range.to }],
        }),
    }));
    expect(said).toMatch(/points, [1-9]\d* DIFFERENCES/);
  });
});
