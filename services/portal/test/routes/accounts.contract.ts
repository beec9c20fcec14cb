/** Accounts over HTTP, on every store; run by `accounts.test.ts` and `accounts.servers.test.ts`. */
import { describe } from '@jest/globals';
import type { Place } from '../support/run-dashboard.ts';
import { describeAccount } from './account.contract.ts';
import { describeAtOnce } from './at-once.contract.ts';
import { describeAttacks } from './attacks.contract.ts';
import { describeContractWallets } from './contract-wallets.contract.ts';
import { describeGuessing } from './guessing.contract.ts';
import { describeProviderAttacks } from './provider-attacks.contract.ts';
import { describeRefusedIdentities } from './refused-identities.contract.ts';
import { describeWalletAttacks } from './wallet-attacks.contract.ts';
import { describeWaysIn } from './ways-in.contract.ts';

/** @param place makes a new store for each part, so that attempts are counted separately */
export function describeAccounts(place: () => () => Place): void {
  describe('the ways in', () => describeWaysIn(place()));
  describe('an identity', () => describeRefusedIdentities(place()));
  describe('wallets that are contracts', () => describeContractWallets(place()));
  describe('an account', () => describeAccount(place()));
  describe('attacks', () => describeAttacks(place()));
  describe('attacks through a provider', () => describeProviderAttacks(place()));
  describe('attacks through a wallet', () => describeWalletAttacks(place()));
  describe('guessing', () => describeGuessing(place()));
  describe('concurrent requests', () => describeAtOnce(place()));
}
