/** The checker finds every kind of broken promise: each is planted into a run in which all were kept. */
import { describe, expect, it } from '@jest/globals';
import { brokenPromises, type Told } from './checker.ts';
import { seenNothing, type Seen } from './clients.ts';
import { judgeShownKeys, judgeShownUnits } from './portal-user.ts';
import { judgeBalance, judgeHolders, judgeLargest, judgeTokens, type Holding } from './questions.ts';

const IDS = ['1:0xa', '1:0xb', '1:0xc'] as const;

/** A run of ten answers and two interrupted requests, one of which was charged. */
function keptRun(): { seen: Seen; told: Told } {
  const seen = seenNothing();
  Object.assign(seen.open, { charged: 10, failed: 3, cutOff: 2 });
  Object.assign(seen.limited, { charged: 5, limited: 7 });
  seen.taken.add(IDS[0]).add(IDS[1]);
  const told: Told = {
    // The answer to the third was lost, the order was not.
    topic: new Map(IDS.map((id, at) => [id, [`source ${at}`]])),
    ordersCounted: 3,
    openCounted: 11,
    limitedCounted: 5,
    limit: 5,
    shown: { units: 11, orders: 3 },
    followed: IDS.map((order, at) => ({ event: `source:${at}`, order })),
  };
  return { seen, told };
}

type Plant = (run: { seen: Seen; told: Told }) => Partial<Told> | void;

describe('the checker', () => {
  it('finds nothing where every promise was kept', () => {
    const { seen, told } = keptRun();
    expect(brokenPromises(seen, told)).toEqual([]);
    // A relay that takes over may write an event again, as the same one.
    const topic = new Map([...told.topic, [IDS[0], ['source 0', 'source 0']]]);
    expect(brokenPromises(seen, { ...told, topic })).toEqual([]);
  });

  it.each<[string, string, Plant]>([
    ['a wrong balance', 'path: 1 instead of 2', ({ seen }) => void seen.wrong.push('path: 1 instead of 2')],
    [
      'a lost order',
      'order 1:0xb was answered 201, and is not on the topic',
      ({ told }) => ({
        topic: notOnTopic(told, IDS[1]),
        ordersCounted: 2,
        shown: { units: 11, orders: 2 },
        followed: notFollowed(told, IDS[1]),
      }),
    ],
    [
      'an order that became two events',
      'order 1:0xb is on the topic as source 1 and source 9',
      ({ told }) => ({ topic: new Map([...told.topic, [IDS[1], ['source 1', 'source 9']]]) }),
    ],
    ['an order counted twice', '4 orders are counted, 3 are on the topic', () => ({ ordersCounted: 4 })],
    ['an order not counted', '2 orders are counted, 3 are on the topic', () => ({ ordersCounted: 2 })],
    [
      'an answer not counted',
      'the open project: 9 units counted, 10 answered and 2 cut off',
      () => ({ openCounted: 9 }),
    ],
    [
      'an answer counted twice',
      'the open project: 13 units counted, 10 answered and 2 cut off',
      () => ({ openCounted: 13 }),
    ],
    [
      'an answer above the limit',
      '6 answered and 6 counted, 5 are the limit',
      ({ seen }) => {
        seen.limited.charged = 6;
        return { limitedCounted: 6 };
      },
    ],
    [
      'an event that the follower missed',
      'order 1:0xa was taken, and the follower never got it',
      ({ told }) => ({ followed: notFollowed(told, IDS[0]) }),
    ],
    [
      'an event that the follower got twice',
      'the follower got 1 events twice',
      ({ told }) => ({ followed: [...told.followed, { event: 'source:0', order: '1:0xd' }] }),
    ],
    [
      'an order that the follower got twice',
      'the follower got 1 orders twice',
      ({ told }) => ({ followed: [...told.followed, { event: 'source:9', order: IDS[0] }] }),
    ],
    [
      'an event that nothing wrote',
      'order 1:0xd was followed, and is not on the topic',
      ({ told }) => ({ followed: [...told.followed, { event: 'source:9', order: '1:0xd' }] }),
    ],
    [
      'usage that the portal shows otherwise',
      'the portal shows 10 units and 3 orders, 11 units and 3 orders are counted',
      () => ({ shown: { units: 10, orders: 3 } }),
    ],
    [
      'usage that the portal does not show',
      'the portal shows no usage, 11 units and 3 orders are counted',
      () => ({ shown: undefined }),
    ],
  ])('finds %s', (_name, broken, plant) => {
    const run = keptRun();
    const told = { ...run.told, ...plant(run) };
    expect(brokenPromises(run.seen, told)).toContain(broken);
  });
});

const [A, B, C] = ['0xAa', '0xBb', '0xCc'] as const;
const HELD: readonly Holding[] = [
  [A, '3'],
  [B, '7'],
  [C, '5'],
];

interface ListAnswer {
  readonly held?: readonly Holding[];
  readonly block?: number;
  readonly complete?: boolean;
  readonly unread?: readonly string[];
  readonly sum?: string;
  readonly ends?: boolean;
}

function list({
  held = HELD,
  block = 9,
  complete = true,
  unread = [],
  sum,
  ends = true,
}: ListAnswer): string {
  const total = sum ?? String(held.reduce((all, [, amount]) => all + BigInt(amount), 0n));
  const records = [
    { record: 'facts', checked_at_block: block, index: { complete } },
    ...held.map(([holder, balance]) => ({ record: 'holder', holder, balance })),
    ...unread.map((holder) => ({ record: 'error', holder })),
    ...(ends ? [{ record: 'end', sum: total }] : []),
  ];
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

describe('a list of holders', () => {
  const judge = (answer: ListAnswer) => judgeHolders(list(answer), 9, HELD);

  it('is right, or says that something is missing', () => {
    expect(judge({})).toBe('right');
    expect(judge({ held: HELD.slice(0, 2), complete: false })).toBe('partial');
    expect(judge({ held: HELD.slice(0, 2), unread: [C] })).toBe('partial');
    expect(judge({ held: HELD.slice(0, 2), ends: false })).toBe('partial');
  });

  it.each<[string, string, ListAnswer]>([
    ['a short list', 'a complete list has 2 holders instead of 3', { held: HELD.slice(0, 2) }],
    ['another order', 'a complete list has 3 holders instead of 3', { held: HELD.toReversed() }],
    ['a wrong amount', '8 of 0xBb instead of 7', { held: [HELD[0]!, [B, '8']], complete: false }],
    ['a holder who has nothing', '1 of 0xDd instead of 0', { held: [...HELD, ['0xDd', '1']] }],
    ['another block', 'block 8', { block: 8 }],
    ['a wrong sum', 'the sum 14 of 15', { sum: '14' }],
  ])('is wrong with %s', (_name, fault, answer) => {
    expect(judge(answer)).toEqual({ fault: expect.stringContaining(fault) as unknown });
  });
});

describe('the largest holders', () => {
  const largest = (held: readonly Holding[], { count = 3, complete = true, errors = 0, block = 9 } = {}) => {
    const holders = held.map(([holder, balance]) => ({ holder, balance }));
    const answer = { checked_at_block: block, index: { complete }, errors, holder_count: count, holders };
    return judgeLargest(JSON.stringify(answer), 9, HELD);
  };
  const ordered: readonly Holding[] = [HELD[1]!, HELD[2]!, HELD[0]!];

  it('are right, or say that something is missing', () => {
    expect(largest(ordered)).toBe('right');
    expect(largest(ordered.slice(1), { count: 2, errors: 1 })).toBe('partial');
    expect(largest(ordered.slice(1), { count: 2, complete: false })).toBe('partial');
  });

  it('are wrong with a holder missing, another number, order, amount or block', () => {
    const fault = (words: string) => ({ fault: expect.stringContaining(words) as unknown });
    expect(largest(ordered.slice(1))).toEqual(fault('a complete list has 2 holders instead of 3'));
    expect(largest(ordered, { count: 4 })).toEqual(fault('4 holders instead of 3'));
    expect(largest(HELD)).toEqual(fault('or another order'));
    expect(largest([[B, '8']], { errors: 1 })).toEqual(fault('8 of 0xBb instead of 7'));
    expect(largest(ordered, { block: 8 })).toEqual(fault('block 8'));
  });
});

describe('a page of the token list', () => {
  const tokens = [A, B].map((token_address, at) => ({
    token_address,
    block_height: at,
    token_type: 'erc20',
  }));
  const judge = (page: object) =>
    judgeTokens(JSON.stringify({ total: 2, tokens, ...page }), { total: 2, tokens });

  it('is right, and is wrong with a token missing, another block, type or total', () => {
    const [first, second] = tokens;
    expect(judge({})).toBe('right');
    for (const lie of [
      { tokens: [first] },
      { tokens: [second, first] },
      { tokens: [first, { ...second, block_height: 7 }] },
      { tokens: [first, { ...second, token_type: 'erc721' }] },
      { total: 1 },
    ])
      expect(judge(lie)).toHaveProperty('fault');
  });
});

describe('a balance', () => {
  it('is right, or wrong', () => {
    expect(judgeBalance('{"balance":"7"}', '7')).toBe('right');
    expect(judgeBalance('{"balance":"8"}', '7')).toEqual({ fault: '"8" instead of 7' });
    expect(judgeBalance('{}', '7')).toHaveProperty('fault');
  });
});

describe('a look at the portal', () => {
  it('finds more units than anybody asked for', () => {
    expect(judgeShownUnits(7, 7)).toBeUndefined();
    expect(judgeShownUnits(8, 7)).toBe('the portal shows 8 units, 7 were asked for at the most');
  });

  it('finds a key that is missing, unknown or shown twice', () => {
    const judge = (...shown: string[]) =>
      judgeShownKeys(shown, new Set(['first', 'made']), new Set(['maybe']));
    expect(judge('first', 'made')).toBeUndefined();
    expect(judge('first', 'made', 'maybe')).toBeUndefined();
    for (const lie of [['first'], ['first', 'made', 'stray'], ['first', 'made', 'made']])
      expect(judge(...lie)).toBe(
        `the portal shows the keys ${lie.join(', ')}; those of the project are first, made`,
      );
  });
});

function notOnTopic({ topic }: Told, id: string): Told['topic'] {
  return new Map([...topic].filter(([known]) => known !== id));
}

function notFollowed({ followed }: Told, id: string): Told['followed'] {
  return followed.filter(({ order }) => order !== id);
}
