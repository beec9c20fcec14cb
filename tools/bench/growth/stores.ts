/** Embedded stores, filled to a size with plain rows and then queried through the product's own adapters. */
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SECRETS_KEY } from '../make-key.ts';
import type { Results, Row } from '../results.ts';
import { measure } from './measure.ts';

const PROJECTS = [100, 1_000, 10_000, 100_000, 1_000_000];
const WAITING = [100, 1_000, 10_000, 100_000, 1_000_000];
const MONTH = '2026-10';
const [NAME, DAY] = ['p', `${MONTH}-15`];

/** Key lookup, usage, and the end of a month, over the number of projects. */
export async function projectsGrow(folder: string, results: Results): Promise<void> {
  const lookups: Row[] = [];
  const reads: Row[] = [];
  const leases: Row[] = [];
  const settled: Row[] = [];
  for (const size of PROJECTS) {
    const { lifecycle, deps } = platform();
    const dataDir = join(folder, String(size));
    const { projects } = await openProjects({ dataDir, secret: SECRETS_KEY }, deps);
    const { key } = await createProject({ projects, ...deps }, { name: 'bench', plan: 'business' });
    const { usage } = await openUsage({ dataDir }, lifecycle);
    fillProjects(join(dataDir, 'hindsight.db'), size);
    fillUsage(join(dataDir, 'usage.db'), size);
    const one = (i: number): string => NAME + ((i * 7_919) % size);
    lookups.push(await measure(size, 2_000, () => projects.findByKey(key)));
    reads.push(await measure(size, 1_000, (i) => usage.read(one(i), MONTH)));
    const lease = { month: '2026-11', producer: 'g', limit: 1_000_000, waiting: [1], atHand: 0 };
    leases.push(await measure(size, 300, (i) => usage.take({ ...lease, project: one(i) })));
    settled.push(await measure(size, 1, () => usage.settle('2026-11', 10)));
    await lifecycle.shutdown('measured');
  }
  results.add('a key’s project, by projects', lookups);
  results.add('usage of a month, by projects', reads);
  results.add('a lease, by projects', leases);
  results.add('settling 10 months, by projects', settled);
}

/** A relay's claim and completion, over the number of waiting changes. */
export async function outboxGrows(folder: string, results: Results): Promise<void> {
  const rows: Row[] = [];
  for (const size of WAITING) {
    const { lifecycle, deps } = platform();
    const dataDir = join(folder, String(size));
    const { outbox } = await openProjects({ dataDir, secret: SECRETS_KEY }, deps);
    fillOutbox(join(dataDir, 'hindsight.db'), size);
    const relay = async (i: number): Promise<void> => {
      const entries = await outbox.claim({ by: 'relay', now: i + 1, until: i + 60_000 }, 10);
      if (entries.length === 0) throw new Error('nothing waits any more');
      await outbox.release('relay', entries);
    };
    rows.push(await measure(size, 20, relay));
    await lifecycle.shutdown('measured');
  }
  results.add('claiming 10 projects of the outbox, by changes that wait', rows);
}

function platform() {
  const lifecycle = createLifecycle(createLogger({ name: 'bench', level: 'silent' }));
  return { lifecycle, deps: { clock: systemClock, ids: randomIds, lifecycle } };
}

function fillProjects(file: string, count: number): void {
  inOneWrite(file, (database) => {
    const project = database.prepare(
      `INSERT INTO project (id, name, plan, demo, status, created_at) VALUES (?, 'bench', 'free', 0, 'active', ?)`,
    );
    const key = database.prepare(
      `INSERT INTO project_key (key_index, sealed_key, project_id) VALUES (lower(hex(randomblob(32))), 'x', ?)`,
    );
    for (let i = 0; i < count; i++) {
      project.run(NAME + i, i);
      key.run(NAME + i);
    }
  });
}

function fillUsage(file: string, count: number): void {
  inOneWrite(file, (database) => {
    const month = database.prepare(
      'INSERT INTO usage_month (project, month, taken, requests) VALUES (?, ?, 100, 90)',
    );
    const producer = database.prepare(
      `INSERT INTO usage_lane (lane, project, month, held, counted) VALUES ('g', ?, ?, 100, 90)`,
    );
    const day = database.prepare(
      `INSERT INTO usage_day (project, day, endpoint, requests) VALUES (?, ?, 'balance-single', 90)`,
    );
    for (let i = 0; i < count; i++) {
      month.run(NAME + i, MONTH);
      producer.run(NAME + i, MONTH);
      day.run(NAME + i, DAY);
    }
  });
}

function fillOutbox(file: string, count: number): void {
  inOneWrite(file, (database) => {
    const entry = database.prepare(
      `INSERT INTO project_outbox (id, project_id, change, at) VALUES (?, ?, 'plan-changed', 0)`,
    );
    for (let i = 0; i < count; i++) entry.run(`e${i}`, NAME + (i % Math.ceil(count / 2)));
  });
}

function inOneWrite(file: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA busy_timeout = 5000; BEGIN');
  work(database);
  database.exec('COMMIT');
  database.close();
}
