/** Accounts over HTTP, on every store; run by `accounts.test.ts` and `accounts.servers.test.ts`. */
import { describe, jest } from '@jest/globals';
import type { Place } from '../support/run-dashboard.ts';
import { accountContract } from './account.contract.ts';
import { atOnceContract } from './at-once.contract.ts';
import { attacksContract } from './attacks.contract.ts';
import { contractWalletsContract } from './contract-wallets.contract.ts';
import { guessingContract } from './guessing.contract.ts';
import { providerAttacksContract } from './provider-attacks.contract.ts';
import { refusedIdentitiesContract } from './refused-identities.contract.ts';
import { walletAttacksContract } from './wallet-attacks.contract.ts';
import { waysInContract } from './ways-in.contract.ts';

/** Some tests hash dozens of passwords, which takes seconds, and longer on a busy machine. */
const WITHIN_MS = 180_000;

/** @param place makes a new store for each part, so that attempts are counted separately */
export function accountsContract(place: () => () => Place): void {
  jest.setTimeout(WITHIN_MS);
  describe('the ways in', () => waysInContract(place()));
  describe('an identity', () => refusedIdentitiesContract(place()));
  describe('wallets that are contracts', () => contractWalletsContract(place()));
  describe('an account', () => accountContract(place()));
  describe('attacks', () => attacksContract(place()));
  describe('attacks through a provider', () => providerAttacksContract(place()));
  describe('attacks through a wallet', () => walletAttacksContract(place()));
  describe('guessing', () => guessingContract(place()));
  describe('concurrent requests', () => atOnceContract(place()));
}
