import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

const PROCESS = `
  import { load } from '@hindsight/kernel/config.ts';
  import { serviceSettings } from '@hindsight/kernel/service-settings.ts';
  import { startProcess } from './start-service.ts';
  class Item { constructor(number) { this.number = number; this.next = [number]; } }
  const create = (number) => new Item(number);
  const work = () => {
    console.log('it works');
    for (let round = 0; round < 20; round++) {
      const kept = [];
      for (let i = 0; i < 200_000; i++) kept.push(create(i));
    }
  };
  await startProcess('test', {
    env: { PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent' },
    readConfig: (env) => load(serviceSettings(0), env),
    create: work,
  });
  process.exit(0);
`;

it('a process creates its objects young, so that none of them keeps others alive', () => {
  const traced = ['--single-threaded', '--trace-pretenuring-statistics', '--input-type=module', '-e'];
  const said = execFileSync(process.execPath, [...traced, PROCESS], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect(said.split('it works\n')).toEqual([expect.any(String), '']);
}, 60_000);
