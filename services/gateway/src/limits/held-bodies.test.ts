import { expect, it } from '@jest/globals';
import { HeldBodies } from './held-bodies.ts';

const BODY = 100_000;

it('bodies are held up to a number of bytes, and up to a share for each holder', () => {
  const bodies = new HeldBodies({ all: 3 * BODY, holder: 2 * BODY });
  const full = { statusCode: 503, code: 'overloaded' };
  const [giveBack] = [bodies.take('one', BODY), bodies.take('one', BODY)];
  expect(() => bodies.take('one', BODY)).toThrow(expect.objectContaining(full));
  bodies.take('two', BODY);
  expect(() => bodies.take('two', BODY)).toThrow(expect.objectContaining(full));
  giveBack();
  bodies.take('two', BODY);
});

it('short bodies always have room', () => {
  const bodies = new HeldBodies({ all: 0, holder: 0 });
  expect(() => bodies.take('one', 64 * 1024)).not.toThrow();
  expect(() => bodies.take('one', 64 * 1024 + 1)).toThrow();
});
