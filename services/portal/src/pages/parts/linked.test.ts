import { expect, it } from '@jest/globals';
import { newAccount } from '../../domain/account.ts';
import { linkedSection } from './linked.ts';

const identities = [
  { provider: 'github', subject: '7', label: 'ada', linkedAt: 0 },
  { provider: 'wallet', subject: '0x12', label: '0x12', linkedAt: 0 },
] as const;
const account = newAccount({ id: 'ada', email: null, createdAt: 0, identities });

const sectionWhere = (github: boolean): string =>
  String(linkedSection(account, { email: true, github, google: true }, undefined));

it('offers to remove what its owner can do without: the last wallet is kept where GitHub is turned off', () => {
  const removable = (github: boolean) =>
    [...sectionWhere(github).matchAll(/"Remove (\w+)/g)].map(([, title]) => title);
  expect(removable(true)).toEqual(['GitHub', 'Ethereum']);
  expect(removable(false)).toEqual(['GitHub']);
});

it('says which of them is turned off', () => {
  const areOff = (github: boolean) =>
    sectionWhere(github)
      .split('<li>')
      .slice(1)
      .map((line) => line.includes('turned off on this server'));
  expect([areOff(true), areOff(false)]).toEqual([
    [false, false],
    [true, false],
  ]);
});
