/** Each known network has a page with what an operator needs, and says what the code does. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { settingOf } from '@hindsight/chain/network-settings.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { describe, expect, it } from '@jest/globals';

const FOLDER = resolve(import.meta.dirname, '../../docs/networks');
const read = (name: string): string => readFileSync(join(FOLDER, `${name}.md`), 'utf8');

describe.each([...NETWORKS.values()])(
  'the page of $name',
  ({ name, chainId, native, finality, firstBlock }) => {
    const page = read(name);

    it('names the chain, and is listed with its coin', () => {
      expect(page).toContain(`\`${name}\`, chain id ${chainId};`);
      const setting = settingOf(name);
      expect(page).toContain(`\`${setting}\``);
      const row = new RegExp(
        `\\[\`${name}\`\\]\\(${name}.md\\) +\\| ${chainId} +\\| \`${setting}\` +\\| ${native.symbol} `,
      );
      expect(read('README')).toMatch(row);
    });

    it('has all facts, and how far a finalized block is believed', () => {
      for (const part of [
        '| block time |',
        '| finality ',
        '| limits ',
        '## An archive node',
        '## What cannot be answered',
      ])
        expect(page).toContain(part);
      if (finality && 'greatestAge' in finality)
        expect(page).toContain(`elieved up to ${finality.greatestAge.toLocaleString('en')} blocks`);
    });

    it('has a probe for its chain id, and for the first block that can be answered', () => {
      expect(page).toContain(`The first says \`0x${chainId.toString(16)}\``);
      expect(page).toContain(`"0x${(firstBlock ?? 1).toString(16)}"]}'`);
      if (firstBlock !== undefined) expect(page).toContain(firstBlock.toLocaleString('en'));
    });
  },
);
