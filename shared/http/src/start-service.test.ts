import { MANY_SURVIVE, outputOf, TRACE_PRETENURING } from '@hindsight/kernel/test/support/traced-process.ts';
import { expect, it } from '@jest/globals';

const PROCESS = `
  import { load } from '@hindsight/kernel/config.ts';
  import { serviceSettings } from '@hindsight/kernel/service-settings.ts';
  import { startProcess } from './start-service.ts';
  const work = () => {
    console.log('it works');
    ${MANY_SURVIVE}
  };
  await startProcess('test', {
    env: { PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent' },
    readConfig: (env) => load(serviceSettings(0), env),
    create: work,
  });
  process.exit(0);
`;

it('a process creates its objects young, so that none of them keeps others alive', () => {
  const said = outputOf(PROCESS, TRACE_PRETENURING, import.meta.dirname);
  expect(said.split('it works\n')).toEqual([expect.any(String), '']);
});
