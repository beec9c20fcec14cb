/** The scope of lists that the command line reads page by page. */
import { expect, it } from '@jest/globals';
import type { AllowanceList, Portfolio } from '@hindsight/client';
import { allowancesAsked, holdingsAsked, noteUnread } from '../../clients/cli/src/scope.ts';

const searched = (complete: boolean) => ({ how: 'logs', from_block: 7, complete }) as const;

it('has what no page of a portfolio could read, and what all of them asked', () => {
  const pageOf = (complete: boolean, tokens: string[], reasons: object) =>
    ({
      asked: {
        ...searched(complete),
        tokens,
        token_ids: 2,
        unread: Object.keys(reasons),
        unread_reasons: reasons,
      },
    }) as Portfolio;
  const pages = [
    pageOf(false, ['0xa', '0xb', '0xc'], { '0xa': 'no_answer', '0xb': 'cut' }),
    pageOf(true, ['0xb', '0xd'], { '0xd': 'too_costly' }),
  ];
  expect(holdingsAsked(pages)).toEqual({
    ...searched(true),
    tokens: ['0xa', '0xb', '0xc', '0xd'],
    token_ids: 4,
    unread: ['0xa', '0xd'],
    unread_reasons: { '0xa': 'no_answer', '0xd': 'too_costly' },
  });
});

it('has the pairs that no page of allowances could read', () => {
  const pageOf = (complete: boolean, token_address: string) =>
    ({
      asked: {
        ...searched(complete),
        pairs: 3,
        unread: [{ token_address, spender: '0x1', reason: 'no_answer' }],
        cut: [token_address],
      },
    }) as AllowanceList;
  expect(allowancesAsked([pageOf(false, '0xa'), pageOf(true, '0xb')])).toMatchObject({
    complete: true,
    pairs: 6,
    unread: [{ token_address: '0xa' }, { token_address: '0xb' }],
    cut: [],
  });
});

it.each([
  [[], ''],
  [['0xa', '0xa', '0xb'], 'not known, they gave no answer: 0xa, 0xb\n'],
  [['1', '2', '3', '4', '5', '6', '7'], 'not known, they gave no answer: 1, 2, 3, 4, 5 and 2 more\n'],
])('of %j the note is %j', (contracts, expected) => {
  const said: string[] = [];
  const stderr = { write: (text: string) => said.push(text) };
  noteUnread({ stderr } as never, contracts);
  expect(said.join('')).toBe(expected);
});
