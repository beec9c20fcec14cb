import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from '@jest/globals';
import { accountContract } from './account.contract.ts';
import { atOnceContract } from './at-once.contract.ts';
import { attacksContract } from './attacks.contract.ts';
import { guessingContract } from './guessing.contract.ts';
import { providerAttacksContract } from './provider-attacks.contract.ts';
import { walletAttacksContract } from './wallet-attacks.contract.ts';
import { waysInContract } from './ways-in.contract.ts';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A new folder for each part: what one has counted is not the others'. */
function place(): () => { dataDir: string } {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-portal-'));
  folders.push(dataDir);
  return () => ({ dataDir });
}

describe('accounts on SQLite', () => {
  describe('the ways in', () => waysInContract(place()));
  describe('an account', () => accountContract(place()));
  describe('attacks', () => attacksContract(place()));
  describe('attacks by way of a provider', () => providerAttacksContract(place()));
  describe('attacks by way of a wallet', () => walletAttacksContract(place()));
  describe('guessing', () => guessingContract(place()));
  describe('many at once', () => atOnceContract(place()));
});
