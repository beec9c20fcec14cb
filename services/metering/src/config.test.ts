import { expect, it } from '@jest/globals';
import { readConfig } from './config.ts';

it('ignores a setting of an earlier version, whatever it is set to', () => {
  const config = readConfig({ PORT: '8084', LANES_GIVEN_UP_AFTER_HOURS: 'a day' });
  expect(config).toMatchObject({ PORT: 8084 });
  expect(config).not.toHaveProperty('LANES_GIVEN_UP_AFTER_HOURS');
});
