import {
  MANY_SURVIVE,
  outputOf,
  TEN_RESPONSES,
  TRACE_COMPILATION,
  TRACE_PRETENURING,
} from '@hindsight/kernel/test/support/traced-process.ts';
import { expect, it } from '@jest/globals';

const STARTED = 'it works\n';
const START = `
  import { load } from '@hindsight/kernel/config.ts';
  import { serviceSettings } from '@hindsight/kernel/service-settings.ts';
  import { createHttpServer } from './server.ts';
  import { startService } from './start-service.ts';
  await startService('test', {
    env: { PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent' },
    readConfig: (env) => load(serviceSettings(0), env),
    create(config, deps) {
      console.log('it works');
      return createHttpServer({ ...deps, checks: [] });
    },
  });
`;

/** Words of V8 on a program that runs once a service has started. */
function saidAfterStart(program: string, flag: string): string {
  const said = outputOf(`${START}${program} process.exit(0);`, flag, import.meta.dirname);
  return said.slice(said.indexOf(STARTED) + STARTED.length);
}

it('a process creates its objects young, so that none of them keeps others alive', () => {
  expect(saidAfterStart(MANY_SURVIVE, TRACE_PRETENURING)).toBe('');
});

it('a process compiles the parser of responses once', () => {
  expect(saidAfterStart(TEN_RESPONSES, TRACE_COMPILATION)).not.toContain('using TurboFan');
});

it('a service releases the memory that only its start needed', () => {
  expect(saidAfterStart('', '--trace-gc')).toContain('Mark-Compact (reduce)');
});
