import { expect, it } from '@jest/globals';
import { CheckpointConflict, type Position } from '@hindsight/indexing/position.ts';
import { askIndex, positionAfter } from './index-questions.ts';

const at = (number: number, hash = `0x${number}`): Position => ({ from: 3, number, hash });
const range = { from: 8, to: 9, hash: '0x9', points: [], approvals: [] };

it('the position behind a range begins where the index does', () => {
  expect(positionAfter(range, { found: at(7), base: at(7) })).toEqual({ from: 3, number: 9, hash: '0x9' });
  expect(positionAfter(range, { found: null, base: null })).toEqual({ from: 8, number: 9, hash: '0x9' });
});

it.each([
  ['there is another height', at(6, '0x7'), at(7)],
  ['there is another block of this height', at(7, '0xother'), at(7)],
  ['there is one', at(7), null],
  ['there is none', null, at(7)],
])('there is none where another instance was faster: %s', (_what, found, base) => {
  expect(() => positionAfter(range, { found, base })).toThrow(CheckpointConflict);
});

it('there is none behind a gap', () => {
  expect(() => positionAfter(range, { found: at(6), base: at(6) })).toThrow(RangeError);
});

it('each of many tracks is one value of the question about their positions', async () => {
  const asked: object[] = [];
  const read = async (_sql: string, values: object) => (asked.push(values), []);
  const dialect = {
    ...{
      tables: { touched: '', approved: '', positions: 'position' },
      ofTrack: null,
      startsWith: 'starts_with',
    },
    ...{ lastOfTracks: '', parameter: (name: string) => `$${name}`, joined: String, holders: String },
  };
  const stream = async function* () {
    yield [];
  };
  const questions = askIndex({ read, stream }, dialect);
  expect(await questions.positions(['0xa', '0xb'])).toEqual([null, null]);
  expect(asked).toEqual([{ value0: '0xa', value1: '0xb' }]);
});
