import { describe, expect, it } from '@jest/globals';
import { ALL_TOKENS } from '../domain/tracks.ts';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeHolderIndex, type OpenIndex } from '../../test/adapters/index.contract.ts';
import { DuckdbEngine } from './duckdb-engine.ts';
import { createDuckdbIndex } from './duckdb-index.ts';
import { exportsFolder, toParquet } from './duckdb-parquet.ts';
import { SCHEMA } from './duckdb-schema.ts';

const BOUNDS = { memoryMb: 128, threads: 1 };

async function open(): Promise<OpenIndex> {
  const folder = mkdtempSync(join(tmpdir(), 'holders-'));
  const path = join(folder, 'holders.duckdb');
  let engine = new DuckdbEngine(path, BOUNDS, SCHEMA);
  return {
    index: createDuckdbIndex(engine),
    async reopen() {
      await engine.close();
      engine = new DuckdbEngine(path, BOUNDS, SCHEMA);
      return createDuckdbIndex(engine);
    },
    async close() {
      await engine.close();
      rmSync(folder, { recursive: true });
    },
    setVersion: async (version) => {
      // The engine refuses files of other versions.
      await engine.close();
      const other = new DuckdbEngine(path, BOUNDS, { tables: 'DELETE FROM version' });
      await other.use(async (session) => {
        if (version !== null) await session.run('INSERT INTO version VALUES ($1)', [version]);
      });
      await other.close();
    },
    exports: async () => (existsSync(exportsFolder(path)) ? readdirSync(exportsFolder(path)).length : 0),
  };
}

describe('The index of holders in DuckDB', () => {
  describeHolderIndex(open, 20);

  it('is unavailable, not empty, where its file cannot be opened, and there again once it can', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holders-'));
    const engine = new DuckdbEngine(join(folder, 'missing', 'holders.duckdb'), BOUNDS, SCHEMA);
    try {
      const position = () => createDuckdbIndex(engine).position(ALL_TOKENS);
      for (const asked of [position(), position()])
        await expect(asked).rejects.toMatchObject({ name: 'StoreUnavailable' });
      mkdirSync(join(folder, 'missing'));
      expect(await Promise.all([position(), position()])).toEqual([null, null]);
    } finally {
      await engine.close();
      rmSync(folder, { recursive: true });
    }
  });

  it('keeps to its bounds, and lends its sessions again after a list that was left before its end', async () => {
    const folder = mkdtempSync(join(tmpdir(), "holders' "));
    const engine = new DuckdbEngine(join(folder, 'holders.duckdb'), { ...BOUNDS, memoryMb: 96 }, SCHEMA);
    const settings = "SELECT current_setting('threads'), current_setting('memory_limit')";
    const read = (sql: string) => engine.use((session) => session.read(sql));
    try {
      expect(await read(settings)).toEqual([['1', '96.0 MiB']]);
      for await (const rows of engine.stream((session) => session.stream('SELECT * FROM range(100000)'))) {
        expect(rows.length).toBeLessThan(100_000);
        break;
      }
      // The file is opened again, once no session has it.
      await expect(read('SELECT nothing')).rejects.toMatchObject({ name: 'StoreUnavailable' });
      expect(await read('SELECT count(*) FROM touched')).toEqual([['0']]);
      const parts = (async function* () {
        yield [{ holder: '0xa', balance: '1', error: null }];
      })();
      const file = await Array.fromAsync(toParquet(exportsFolder(engine.path), { block: 1, parts }));
      expect(Buffer.concat(file).subarray(0, 4).toString()).toBe('PAR1');
    } finally {
      await engine.close();
      rmSync(folder, { recursive: true });
    }
  });

  it('is unavailable while its file is damaged, and answers again once it is whole', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holders-'));
    const path = join(folder, 'holders.duckdb');
    const points = Array.from({ length: 5_000 }, (_, i) => ({
      token: `0x${'01'.repeat(20)}`,
      holder: `0x${i.toString(16).padStart(40, '0')}`,
      id: null,
      block: 1,
    }));
    const first = new DuckdbEngine(path, BOUNDS, SCHEMA);
    await createDuckdbIndex(first).append(ALL_TOKENS, null, {
      from: 1,
      to: 1,
      hash: `0x${'00'.repeat(32)}`,
      points,
      approvals: [],
    });
    await first.close();
    const whole = readFileSync(path);
    const engine = new DuckdbEngine(path, BOUNDS, SCHEMA);
    const index = createDuckdbIndex(engine);
    const count = async (): Promise<number> => {
      const asked = { track: ALL_TOKENS, token: points[0]!.token, upTo: 1, limit: 10_000 };
      let found = 0;
      for await (const part of index.holders(asked)) found += part.length;
      return found;
    };
    try {
      // The header is read first, so that only the rows are damaged.
      await index.position(ALL_TOKENS);
      writeFileSync(
        path,
        Buffer.concat([whole.subarray(0, 3 * 4_096), Buffer.alloc(whole.length - 3 * 4_096, 7)]),
      );
      await expect(Promise.all([count(), count()])).rejects.toMatchObject({ name: 'StoreUnavailable' });
      writeFileSync(path, whole);
      expect(await Promise.all([count(), count()])).toEqual([points.length, points.length]);
    } finally {
      await engine.close();
      rmSync(folder, { recursive: true });
    }
  });
});
