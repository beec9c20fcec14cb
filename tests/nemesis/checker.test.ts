/** The checker finds every kind of broken promise: each is planted into a run in which all were kept. */
import { describe, expect, it } from '@jest/globals';
import { brokenPromises, type Told } from './checker.ts';
import { seenNothing, type Seen } from './clients.ts';

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
  ])('finds %s', (_name, broken, plant) => {
    const run = keptRun();
    const told = { ...run.told, ...plant(run) };
    expect(brokenPromises(run.seen, told)).toContain(broken);
  });
});

function notOnTopic({ topic }: Told, id: string): Told['topic'] {
  return new Map([...topic].filter(([known]) => known !== id));
}

function notFollowed({ followed }: Told, id: string): Told['followed'] {
  return followed.filter(({ order }) => order !== id);
}
