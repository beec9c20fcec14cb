import { expect, it } from '@jest/globals';
import { readDeadLetter, toDeadLetter } from './dead-letter.ts';

const record = { topic: 't', partition: 3, offset: '9', key: null, headers: { own: 'x' }, value: null };

it('keeps the beginning of a long reason', () => {
  const verdict = { reason: 'r'.repeat(5_000), group: 'g', at: 1_000 };
  const { topic, headers } = toDeadLetter(record, verdict);
  const read = readDeadLetter({ topic, partition: 0, offset: '1', key: null, value: null, headers });
  expect(read.headers).toEqual({ own: 'x' });
  expect(read).toMatchObject({
    reason: 'r'.repeat(1_000),
    from: { topic: 't', partition: 3, offset: '9' },
    at: 1_000,
  });
});

it('reads one that another program has written', () => {
  expect(readDeadLetter(record)).toMatchObject({ headers: { own: 'x' }, reason: '', group: '', at: 0 });
});
