/** A share of `npm run truth:orders`: the ends of orders of every kind. */
import { expect, it } from '@jest/globals';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import { BASE, ETHEREUM, KINDS, tryEnds } from './trial.ts';

const ORDERS = 4 * KINDS.length;
const OPEN = ['open', 'reorganised, open'];

await describeOnInstalled(
  'the ends of many orders',
  { name: 'uniswapx-sdk', env: process.env },
  (sdkFolder) => {
    const seen = new Set<string>();

    it.each([ETHEREUM, BASE])(
      'on $network are told as the chain has them, with the amounts',
      async (types) => {
        const { kinds, told, twice } = await tryEnds(sdkFolder, ORDERS, types);
        let ends = 0;
        for (const [kind, tally] of kinds) {
          const { orders } = tally;
          seen.add(kind);
          if (!OPEN.includes(kind)) ends += orders;
          const right = { orders, right: orders, wrong: 0, wrongAmounts: 0, withheldAmounts: 0 };
          expect([kind, tally]).toEqual([kind, right]);
        }
        expect([told, twice]).toEqual([ends, 0]);
      },
    );

    it('are of every kind', () => {
      expect(seen).toEqual(new Set(KINDS));
    });
  },
);
