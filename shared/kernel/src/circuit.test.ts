import { beforeEach, describe, expect, it } from '@jest/globals';
import { Circuit } from './circuit.ts';

const LIMITS = { failures: 3, openMs: 100, maxOpenMs: 300 };

let now: number;
let circuit: Circuit;

beforeEach(() => {
  now = 1_000;
  circuit = new Circuit({ now: () => now }, LIMITS);
});

function failTimes(times: number): void {
  for (let at = 0; at < times; at += 1) {
    circuit.enter();
    circuit.fail();
  }
}

describe('a circuit', () => {
  it('opens after failures in a row, not after failures with successes between', () => {
    failTimes(2);
    expect(circuit.hasFailed).toBe(true);
    circuit.succeed();
    expect(circuit.hasFailed).toBe(false);
    failTimes(2);
    expect(circuit.state).toBe('closed');
    failTimes(1);
    expect(circuit.state).toBe('open');
    expect(circuit.enter()).toBe(false);
    expect(circuit.waitMs).toBe(100);
  });

  it('reports once that it has opened', () => {
    failTimes(2);
    expect(circuit.fail()).toBe(true);
    expect(circuit.fail()).toBe(false);
    now += circuit.waitMs;
    expect([circuit.enter(), circuit.fail(), circuit.state]).toEqual([true, false, 'open']);
  });

  it('admits one trial at a time when the time is over, and closes when it succeeds', () => {
    failTimes(3);
    now += 150;
    expect([circuit.state, circuit.waitMs]).toEqual(['half-open', 0]);
    expect([circuit.enter(), circuit.enter()]).toEqual([true, false]);
    circuit.succeed();
    expect(circuit.state).toBe('closed');
    expect([circuit.enter(), circuit.enter()]).toEqual([true, true]);
  });

  it('waits twice as long after each trial that failed, up to a bound', () => {
    failTimes(3);
    const waits = [200, 300, 300].map((expected) => {
      now += circuit.waitMs;
      expect(circuit.admits).toBe(true);
      failTimes(1);
      return [circuit.waitMs, expected];
    });
    for (const [found, expected] of waits) expect(found).toBe(expected);
  });

  it('admits another trial after one was aborted', () => {
    failTimes(3);
    now += 100;
    expect(circuit.enter()).toBe(true);
    circuit.leave();
    expect(circuit.enter()).toBe(true);
  });

  it('is not kept open longer by requests that were under way when it opened', () => {
    failTimes(3);
    now += 60;
    circuit.fail();
    expect(circuit.waitMs).toBe(40);
  });
});
