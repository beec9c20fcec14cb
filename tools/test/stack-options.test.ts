import { expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions, WrongOption } from '../stack/options.ts';

it('is told what to start by its options, else by its environment', () => {
  expect(readOptions(['--gateways', '2', '--port', '9000'], { PORT: '7000' })).toMatchObject({
    gateways: 2,
    basePort: 9_000,
  });
  expect(readOptions([], { PORT: '7000' })).toMatchObject({ gateways: 1, networks: 1, basePort: 7_000 });
});

it('starts nothing where help is asked for', () => {
  expect(readOptions(['--help'], {})).toBeUndefined();
});

it('removes no data of one process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-stack-'));
  expect(readOptions(['--dir', folder], {})).toMatchObject({ folder });
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data/hindsight.db'), '');
  expect(() => readOptions(['--dir', folder], {})).toThrow(WrongOption);
  rmSync(folder, { recursive: true });
});

it.each([
  [['--gateway', '2'], "'--gateway'"],
  [['2'], "'2'"],
  [['--gateways'], '--gateways'],
  [['--gateways', '0'], '--gateways "0": expected a whole number from 1 to 50'],
  [['--networks', '9'], '--networks "9": expected a whole number from 1 to 5'],
])('refuses %j by name', (args, words) => {
  expect(() => readOptions(args, {})).toThrow(WrongOption);
  expect(() => readOptions(args, {})).toThrow(words);
});
