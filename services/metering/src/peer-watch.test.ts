import { createLogger } from '@hindsight/kernel/logger.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PeerWatch } from './peer-watch.ts';

describe('the watch over other processes', () => {
  let beats: Map<string, number>;
  let answers: boolean;
  let expelled: string[][];
  let expel: () => Promise<number>;
  let lines: string[];
  let watch: PeerWatch;

  beforeEach(() => {
    beats = new Map();
    answers = true;
    expelled = [];
    lines = [];
    expel = async () => 5;
    watch = new PeerWatch({
      name: 'mine',
      processes: {
        async beat(name) {
          if (!answers) throw new StoreUnavailable('test', 'unavailable');
          give(name);
          return new Map(beats);
        },
        async forget(name) {
          if (!answers) throw new StoreUnavailable('test', 'unavailable');
          beats.delete(name);
        },
      },
      expel: (names) => {
        expelled.push([...names]);
        return expel();
      },
      logger: createLogger({
        name: 'test',
        level: 'warn',
        destination: { write: (line) => lines.push(line) },
      }),
    });
  });

  const give = (name: string): void => void beats.set(name, (beats.get(name) ?? 0) + 1);
  /**
   * Looks this often; before each look the live processes give a sign. @returns the processes expelled in
   * between
   */
  const look = async (times: number, ...living: string[]): Promise<string[][]> => {
    expelled = [];
    for (let i = 0; i < times; i++) {
      living.forEach(give);
      await watch.look();
      await new Promise(setImmediate);
    }
    return expelled;
  };

  it('expels one that has given no sign of life for four looks, and no other', async () => {
    expect(await look(20, 'lives', 'dies')).toEqual([]);
    expect(await look(3, 'lives')).toEqual([]);
    expect(await look(1, 'lives')).toEqual([['dies']]);
    // It may have been about to join: expel it again, as often as patience is lost.
    expect(await look(4, 'lives')).toEqual([['dies']]);
  });

  it('expels one that had died before this one began', async () => {
    give('of yesterday');
    expect(await look(5)).toEqual([['of yesterday']]);
  });

  it('gives one that was expelled and lives twice the time from then on', async () => {
    await look(1, 'slow');
    expect(await look(4)).toEqual([['slow']]);
    await look(1, 'slow');
    expect(await look(7)).toEqual([]);
    expect(await look(1)).toEqual([['slow']]);
    await look(1, 'slow');
    expect(await look(15)).toEqual([]);
    expect(await look(1)).toEqual([['slow']]);
    // Up to a bound: the broker would take over by itself.
    for (const patience of [32, 64, 64]) {
      await look(1, 'slow');
      expect(await look(patience - 1)).toEqual([]);
      expect(await look(1)).toEqual([['slow']]);
    }
  });

  it('counts no look at which the store did not answer, and none before', async () => {
    await look(1, 'other');
    expect(await look(3)).toEqual([]);
    answers = false;
    await expect(watch.look()).rejects.toThrow(StoreUnavailable);
    answers = true;
    expect(await look(3)).toEqual([]);
    expect(await look(1)).toEqual([['other']]);
  });

  it('goes on giving signs of life while the broker does not answer', async () => {
    await look(1, 'dies');
    expel = () => new Promise(() => undefined);
    expect(await look(40)).toEqual([['dies']]);
    expect(beats.get('mine')).toBe(41);
  });

  it('tries again where the broker did not let it', async () => {
    await look(1, 'dies');
    expel = () => Promise.reject(new Error('no broker answers'));
    expect(await look(8)).toEqual([['dies'], ['dies']]);
  });

  it('forgets one after a minute of looks, and itself at its end', async () => {
    await look(1, 'dies');
    await look(199);
    expect([...beats.keys()]).toEqual(['dies', 'mine']);
    await look(1);
    expect([...beats.keys()]).toEqual(['mine']);
    expect(await look(8)).toEqual([]);
    await watch.stop();
    expect(beats.size).toBe(0);
  });

  it('ends once its last expulsion has ended, whether the store answers or not', async () => {
    await look(1, 'dies');
    const answer = Promise.withResolvers<number>();
    expel = () => answer.promise;
    await look(4);
    let stopped = false;
    answers = false;
    const stopping = watch.stop().then(() => (stopped = true));
    await new Promise(setImmediate);
    expect(stopped).toBe(false);
    answer.resolve(5);
    await stopping;
  });

  it('says that it has taken over only where the silent one was still a member', async () => {
    await look(1, 'dies');
    expel = async () => 0;
    await look(4);
    expect(lines).toEqual([]);
    expel = async () => 2;
    await look(4);
    expect(lines).toEqual([expect.stringContaining('its partitions are taken over')]);
  });
});
