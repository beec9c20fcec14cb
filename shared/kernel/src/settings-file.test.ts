import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { jsonListFile, readSettingsFile } from './settings-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'settings-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const path = join(folder, 'file');
  writeFileSync(path, text);
  return path;
}

describe('the text of a file', () => {
  it('is read up to the bound, and a longer one is refused', () => {
    expect(readSettingsFile(fileOf('x'.repeat(2_048)), 2_048)).toEqual({ text: 'x'.repeat(2_048) });
    expect(readSettingsFile(fileOf('x'.repeat(2_049)), 2_048)).toEqual({
      fault: 'the file is larger than 2 KiB',
    });
  });

  it('is refused with the reason where it cannot be read', () => {
    const fault = (code: string) => ({ fault: `the file cannot be read (${code})` });
    expect(readSettingsFile(join(folder, 'none'), 1)).toEqual(fault('ENOENT'));
    expect(readSettingsFile(folder, 1_048_576)).toEqual(fault('EISDIR'));
  });
});

describe('a list in a JSON file', () => {
  const list = jsonListFile(z.array(z.strictObject({ port: z.int().max(9) })), 1_024);
  const faultsOf = (text: string) => list.safeParse(fileOf(text)).error?.issues.map(({ message }) => message);

  it('is what the schema makes of it', () => {
    expect(list.parse(fileOf('[{"port":1}]'))).toEqual([{ port: 1 }]);
  });

  it('is refused with the entry and the field of each of ten faults', () => {
    expect(faultsOf('[{"port":1},{"port":10}]')).toEqual([expect.stringMatching(/^entry 2, port: Too big/)]);
    expect(faultsOf('{}')).toEqual([expect.stringMatching(/^the file: Invalid input/)]);
    expect(faultsOf('[')).toEqual(['the file holds no JSON']);
    const long = list.safeParse('x'.repeat(4_097)).error?.issues.map(({ message }) => message);
    expect(long).toContain('expected at most 4096 characters');
    expect(faultsOf(JSON.stringify(Array(11).fill({ port: 10 })))).toHaveLength(10);
  });
});
