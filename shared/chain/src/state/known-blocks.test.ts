import { describe, expect, it } from '@jest/globals';
import type { Block } from './block.ts';
import { KnownBlocks } from './known-blocks.ts';

const HEAD_MAX_AGE_MS = 500;
const block = (number: number, branch = 'a', parentBranch = branch): Block => ({
  number,
  hash: `0x${branch}${number}`,
  parentHash: `0x${parentBranch}${number - 1}`,
  timestamp: number * 12,
});

function known(): { blocks: KnownBlocks; clock: { time: number } } {
  const clock = { time: 1_000_000 };
  return { clock, blocks: new KnownBlocks({ now: () => clock.time }, HEAD_MAX_AGE_MS) };
}

describe('what is remembered of the chain', () => {
  it('is the head, no longer than the stated bound', () => {
    const { blocks, clock } = known();
    blocks.learn('latest', block(100));
    clock.time += HEAD_MAX_AGE_MS - 1;
    expect(blocks.find('latest')).toEqual(block(100));
    clock.time += 1;
    expect(blocks.find('latest')).toBeUndefined();
    expect(blocks.find(100)).toBeUndefined();
  });

  it('is no head that was learnt before the clock was set back: its age is not known', () => {
    const { blocks, clock } = known();
    blocks.learnFinalized(block(90), 100);
    blocks.learn('latest', block(100));
    clock.time -= 3_600_000;
    expect(blocks.find('latest')).toBeUndefined();
    expect(blocks.find(100)).toBeUndefined();
    expect(blocks.finalizedIsOld).toBe(true);
    blocks.learn('latest', block(101));
    expect(blocks.find('latest')).toEqual(block(101));
  });

  it('is a block that is forgotten no longer, and any other of its height still', () => {
    const { blocks } = known();
    blocks.learnFinalized(block(90), 100);
    for (const at of [90, 100, 'latest'] as const) {
      const own = block(at === 'latest' ? 101 : at);
      blocks.learn(at, own);
      blocks.forget({ ...own, hash: '0xother' });
      expect([blocks.find(at), blocks.isDenied(own)]).toEqual([own, false]);
      blocks.forget(own);
      expect([blocks.find(at), blocks.isDenied(own)]).toEqual([undefined, true]);
    }
  });

  it('is no block of another hash, though that was met at its height', () => {
    const { blocks } = known();
    blocks.learnFinalized(block(90), 100);
    for (const branch of ['a', 'b']) blocks.learn(50, block(50, branch));
    expect(['a', 'b'].map((branch) => blocks.findByHash(block(50, branch).hash))).toEqual([
      undefined,
      block(50, 'b'),
    ]);
    expect(blocks.heightOf(block(50, 'a').hash)).toBe(50);
  });

  it('is the highest block met for a minute, though a node denied it, unless the chain was reorganised', () => {
    const { blocks, clock } = known();
    blocks.learn(100, block(100));
    blocks.learn(90, block(90));
    expect([blocks.hasReached(100), blocks.hasReached(101)]).toEqual([true, false]);
    clock.time += 59_999;
    expect(blocks.hasReached(100)).toBe(true);
    blocks.learn(100, block(100));
    blocks.forget(block(100));
    clock.time += 59_999;
    expect(blocks.hasReached(100)).toBe(true);
    clock.time += 1;
    expect(blocks.hasReached(100)).toBe(false);
    blocks.learn(100, block(100, 'a'));
    blocks.learn(100, block(100, 'b'));
    blocks.learn(102, block(102, 'b'));
    blocks.learn(100, block(100, 'c'));
    expect([blocks.hasReached(100), blocks.hasReached(101)]).toEqual([true, false]);
  });

  it('are finalized blocks for good', () => {
    const { blocks, clock } = known();
    blocks.learnFinalized(block(90), 100);
    blocks.learn(90, block(90));
    clock.time += 86_400_000;
    expect(blocks.find(90)).toEqual(block(90));
  });

  it('is not a block whose successor has another parent', () => {
    const { blocks } = known();
    blocks.learn(100, block(100, 'a'));
    blocks.learn('latest', block(101, 'b', 'b'));
    expect(blocks.find(100)).toBeUndefined();
    expect(blocks.find('latest')).toEqual(block(101, 'b', 'b'));
  });

  it('is not a block that another took the place of', () => {
    const { blocks } = known();
    blocks.learn(99, block(99, 'a'));
    blocks.learn(100, block(100, 'a'));
    blocks.learn(100, block(100, 'b', 'b'));
    expect(blocks.find(100)).toEqual(block(100, 'b', 'b'));
    expect(blocks.find(99)).toBeUndefined();
  });

  it('is forgotten when a node says that it is not canonical', () => {
    const { blocks } = known();
    blocks.learn('latest', block(100));
    blocks.forget(block(100));
    expect([blocks.find('latest'), blocks.find(100)]).toEqual([undefined, undefined]);
  });

  it('is forgotten also where it is finalized, but not what has been learnt in its place', () => {
    const { blocks } = known();
    blocks.learnFinalized(block(90), 100);
    const [wrong, right] = [block(80, 'b'), block(80, 'a')];
    blocks.learn(80, wrong);
    blocks.forget(wrong);
    expect([blocks.find(80), blocks.isDenied(wrong), blocks.isDenied(right)]).toEqual([
      undefined,
      true,
      false,
    ]);
    blocks.learn(80, right);
    blocks.forget(wrong);
    expect(blocks.find(80)).toBe(right);
  });

  it('is as old as the header, and not as the state that confirmed it', () => {
    const { blocks, clock } = known();
    const receivedAt = clock.time;
    clock.time += HEAD_MAX_AGE_MS - 1;
    blocks.learn('latest', block(100), receivedAt);
    expect(blocks.find('latest')).toEqual(block(100));
    clock.time += 1;
    expect([blocks.find('latest'), blocks.find(100)]).toEqual([undefined, undefined]);
  });

  it('takes no block for finalized because of one that is above the head', () => {
    const { blocks } = known();
    blocks.learnFinalized(block(1_000), 100);
    expect([blocks.isFinalized(block(50)), blocks.isFinalized(block(100))]).toEqual([false, false]);
    // Not every question asks for it again in the meantime.
    expect(blocks.finalizedIsOld).toBe(false);
    blocks.learnFinalized(block(100), 100);
    expect(blocks.isFinalized(block(100))).toBe(true);
  });

  it('knows what is finalized only as far as it has learnt, and never takes it back', () => {
    const { blocks, clock } = known();
    expect([blocks.isFinalized(block(1)), blocks.finalizedIsOld]).toEqual([false, true]);
    blocks.learnFinalized(block(90), 100);
    blocks.learnFinalized(null, 100);
    blocks.learnFinalized(block(80), 100);
    expect([blocks.isFinalized(block(90)), blocks.isFinalized(block(91)), blocks.finalizedIsOld]).toEqual([
      true,
      false,
      false,
    ]);
    clock.time += 12_001;
    expect(blocks.finalizedIsOld).toBe(true);
  });
});
