/** One question on its way, at nodes that fail as a test has it. */
import { expect, it } from '@jest/globals';
import { NodeError } from '../rpc/node-error.ts';
import type { NodeErrorKind } from '../rpc/node-error-kind.ts';
import { askInTurn } from './attempt.ts';
import type { Member } from './member.ts';

const CALLS = [{ method: 'eth_gasPrice', params: [] }];
const failing = (kind: NodeErrorKind) => new NodeError(kind, 'it failed');

/** Asks nodes that fail with these errors each time, and one that answers where there is none. @returns those asked, in turn */
async function ask(errors: readonly (Error | undefined)[], timeMs = 60_000) {
  const asked: number[] = [];
  const queue = errors.map(
    (error, i) =>
      ({
        send: async () => {
          asked.push(i);
          if (error) throw error;
          return [{ result: '0x1' }];
        },
      }) as unknown as Member,
  );
  let retries = 5;
  const outcome = await askInTurn({
    ...{ label: 'the pool', calls: CALLS, independent: false, queue, maxBytes: undefined, signal: undefined },
    deadline: performance.now() + timeMs,
    budget: { spend: () => retries-- > 0 } as never,
    bestHead: () => 7,
    maxLag: 3,
    unasked: () => undefined,
  }).catch((error: Error) => error);
  return { asked, outcome };
}

it.each<[NodeErrorKind, readonly number[]]>([
  ['unreachable', [0, 0]],
  ['timeout', [0]],
  ['malformed', [0]],
])('the only node is asked once more if it is %s, and then no more: %j', async (kind, asked) => {
  const error = failing(kind);
  expect(await ask([error])).toEqual({ asked, outcome: error });
});

it('an error that is no node’s ends the question: its caller has left', async () => {
  const left = new Error('the client has left');
  expect(await ask([left, undefined])).toEqual({ asked: [0], outcome: left });
});

it('the next node answers where one has failed', async () => {
  expect(await ask([failing('timeout'), undefined])).toEqual({ asked: [0, 1], outcome: [{ result: '0x1' }] });
});

it('no node is asked without time for it', async () => {
  const { asked, outcome } = await ask([undefined, undefined], 0);
  expect(asked).toEqual([]);
  expect(outcome).toMatchObject({ kind: 'timeout', message: 'the pool did not answer in time' });
});
