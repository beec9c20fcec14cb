import { describe, expect, it, jest } from '@jest/globals';
import cluster from 'node:cluster';
import { createLifecycle } from './lifecycle.ts';
import { createLogger } from './logger.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const DEADLINE_MS = 500;
/** The deadline is one for all of them. */
const HANGING = 300;

describe('shutdown', () => {
  it('stops the parts in reverse order, and waits for each', async () => {
    const lifecycle = createLifecycle(logger);
    const stopped: string[] = [];
    lifecycle.onStop('store', () => stopped.push('store'));
    lifecycle.onStop('server', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      stopped.push('server');
    });
    await expect(lifecycle.shutdown('test')).resolves.toBe(0);
    expect(stopped).toEqual(['server', 'store']);
  });

  it('continues when a part fails, and ends with code 1', async () => {
    const lifecycle = createLifecycle(logger);
    const stopped: string[] = [];
    lifecycle.onStop('store', () => stopped.push('store'));
    lifecycle.onStop('broken', () => {
      throw new Error('broken');
    });
    await expect(lifecycle.shutdown('test')).resolves.toBe(1);
    expect(stopped).toEqual(['store']);
  });

  it('keeps its deadline even when parts hang', async () => {
    const lifecycle = createLifecycle(logger, DEADLINE_MS);
    const stopped: string[] = [];
    lifecycle.onStop('store', () => stopped.push('store'));
    for (let part = 0; part < HANGING; part++) lifecycle.onStop('hangs', () => new Promise(() => undefined));
    const begun = performance.now();
    await expect(lifecycle.shutdown('test')).resolves.toBe(1);
    expect(performance.now() - begun).toBeLessThan((DEADLINE_MS * HANGING) / 2);
    expect(stopped).toEqual(['store']);
  });

  it('abandons a part that hangs while the others still have time', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'error', destination }), 10);
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    lifecycle.onStop('hangs', () => new Promise(() => undefined));
    await lifecycle.shutdown('test');
    now.mockRestore();
    expect(lines.join()).toContain('it did not stop within 6 ms');
  });

  it('of a worker is over while a primary still waits for its workers', async () => {
    jest.useFakeTimers();
    const hangs = (): Promise<void> => new Promise(() => undefined);
    const timed = async (parts: number, share?: number): Promise<number> => {
      const lifecycle = createLifecycle(logger);
      for (let part = 0; part < parts; part++) lifecycle.onStop('hangs', hangs, undefined, share);
      const begun = performance.now();
      const ended = lifecycle.shutdown('test').then(() => performance.now() - begun);
      await jest.advanceTimersByTimeAsync(60_000);
      return ended;
    };
    const ofPrimary = await timed(1, 1);
    const worker = jest.replaceProperty(cluster, 'isWorker', true);
    const ofWorker = await timed(12);
    worker.restore();
    jest.useRealTimers();
    expect(ofWorker).toBeLessThan(ofPrimary);
  });

  it('leaves a part behind that loses nothing by that, and ends with code 0', async () => {
    const lifecycle = createLifecycle(logger);
    const stopped: string[] = [];
    lifecycle.onStop('store', () => stopped.push('store'));
    lifecycle.onStop('hangs', () => new Promise(() => undefined), 1);
    await expect(lifecycle.shutdown('test')).resolves.toBe(0);
    expect(stopped).toEqual(['store']);
  });

  it('ends with code 1 where such a part fails', async () => {
    const lifecycle = createLifecycle(logger);
    lifecycle.onStop('broken', () => Promise.reject(new Error('broken')), 1_000_000);
    await expect(lifecycle.shutdown('test')).resolves.toBe(1);
  });

  it('happens once, however often it is requested', async () => {
    const lifecycle = createLifecycle(logger);
    let stops = 0;
    lifecycle.onStop('part', () => (stops += 1));
    expect(lifecycle.stopping).toBe(false);
    await Promise.all([lifecycle.shutdown('one'), lifecycle.shutdown('two')]);
    expect([stops, lifecycle.stopping]).toEqual([1, true]);
  });

  it('says first that it drains, waits, and stops the parts then; a second call without a drain ends the wait', async () => {
    const lifecycle = createLifecycle(logger);
    const seen: string[] = [];
    const begun = Promise.withResolvers<void>();
    lifecycle.onStop('part', () => seen.push('stopped'));
    lifecycle.onDrain(() => {
      seen.push(`stopping: ${lifecycle.stopping}`);
      begun.resolve();
    });
    const ended = lifecycle.shutdown('one', 10_000_000);
    await begun.promise;
    void lifecycle.shutdown('again', 10_000_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual(['stopping: true']);
    void lifecycle.shutdown('at once');
    expect(await ended).toBe(0);
    expect(seen).toEqual(['stopping: true', 'stopped']);
  });
});
