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
const SUMS = /, (\d+) of ([1-9]\d*) sums are the supply/;
const DIFFERENCES = /points, [1-9]\d* DIFFERENCES/;

const world = forAllTests(HolderWorld.onDevchain, 'close');

const lineOf = async (app: HttpServer): Promise<string> => {
  const { parts } = JSON.parse((await app.inject({ url: '/readyz?verbose' })).payload) as {
    parts: { name: string; detail: string }[];
  };
  return parts.find(({ name }) => name === 'index of holders')?.detail ?? '';
};

interface Checking {
  readonly tracks: readonly string[];
  readonly keep?: (index: HolderIndex) => HolderIndex;
  /** The service compares blocks at random: it goes on until `/readyz` has this of the index. */
  readonly says?: RegExp;
}

/** Runs the service until it has compared some times. @returns what `/readyz` says of the index */
async function checked({ tracks, keep, says = /./ }: Checking): Promise<string> {
  const app = await world.start({ tracks, lazily: false, checksPerMinute: 600, ...(keep && { keep }) });
  let said = '';
  const compared = (): number => Number(/; (\d+) comparisons/.exec(said)?.[1] ?? 0);
  try {
    await until(`it has compared, and says ${String(says)}`, async () => {
      said = await lineOf(app);
      return compared() >= COMPARISONS && says.test(said);
    });
    return said;
  } finally {
    await world.endLast();
  }
}

describe('the self-check', () => {
  it('finds no difference in the index of a token, and sums that are the supply', async () => {
    const said = await checked({ tracks: [track], says: SUMS });
    expect(said).toContain('no difference');
    const [, equal, of] = SUMS.exec(said) ?? [];
    expect(equal).toBe(of);
  });

  it('finds none in the index of all tokens', async () => {
    expect(await checked({ tracks: ['*'] })).toContain('no difference');
  });

  it.each([
    ['lacks points', (block: number) => block % 3 !== 0],
    ['lacks all of them', () => false],
  ])('finds that an index %s', async (_what, isKept) => {
    const keep = (index: HolderIndex): HolderIndex => ({
      ...index,
      append: (of, base, range) =>
        index.append(of, base, { ...range, points: range.points.filter(({ block }) => isKept(block)) }),
    });
    await checked({ tracks: [track], keep, says: DIFFERENCES });
  });

  it('finds points that the chain does not have', async () => {
    const foreign = `0x${'ab'.repeat(20)}`;
    const keep = (index: HolderIndex): HolderIndex => ({
      ...index,
      append: (of, base, range) =>
        index.append(of, base, {
          ...range,
          points: [...range.points, { token: track, holder: foreign, id: null, block: range.to }],
        }),
    });
    await checked({ tracks: [track], keep, says: DIFFERENCES });
  });
});
