/** Wallets that are contracts (ERC-1271): a real one on the dev chain, with two owners who both sign. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { Wallet } from 'ethers';
import { deployJointWallet, replaceOwner, signedBy } from '../support/joint-wallet.ts';
import {
  accountText,
  isSignedIn,
  linkWallet,
  messageFor,
  signInByWallet,
  signUp,
} from '../support/people.ts';
import type { Signer } from '../support/people.ts';
import type { Place } from '../support/run-dashboard.ts';
import { runPortal, type RunningPortal } from '../support/run-portal.ts';

const UNREACHABLE = 'http://127.0.0.1:1';
/** After this long the newest block is requested again. */
const A_BLOCK_MS = 12_000;
const proxy = { trustProxy: ['127.0.0.1'] };

export function describeContractWallets(place: () => Place): void {
  const [ada, bob, eve] = [Wallet.createRandom(), Wallet.createRandom(), Wallet.createRandom()];
  let chain: Anvil;
  let portal: RunningPortal;
  let wallet: Signer;

  beforeAll(async () => {
    chain = await startEmptyChain();
    wallet = await deployJointWallet(chain.url, [ada, bob]);
    portal = await runPortal(place(), { ...proxy, nodeUrl: chain.url });
  });
  afterAll(async () => {
    await portal.stop();
    await chain.stop();
  });

  it('sign in with the signatures of all owners, and find their account again', async () => {
    const [browser, other] = [portal.browserElsewhere(), portal.browserElsewhere()];
    expect((await signInByWallet(browser, wallet)).status).toBe(200);
    expect(await accountText(browser)).toContain(wallet.address);
    expect((await signInByWallet(other, wallet)).status).toBe(200);
    expect((await accountText(other)).match(/Firefox on Linux/g)).toHaveLength(2);
  });

  it('have accounts apart from their owners’ own', async () => {
    const browser = portal.browserElsewhere();
    expect((await signInByWallet(browser, ada)).status).toBe(200);
    const text = await accountText(browser);
    expect(text).toContain(ada.address);
    expect(text).not.toContain(wallet.address);
  });

  it('can be linked to an account, and sign in to it from then on', async () => {
    const joint = await deployJointWallet(chain.url, [ada, eve]);
    portal.clock.time += A_BLOCK_MS;
    const { email, browser } = await signUp(portal);
    const linked = await linkWallet(browser, joint);
    expect(await linked.json()).toEqual({ next: '/account?done=linked' });
    const other = portal.browserElsewhere();
    await signInByWallet(other, joint);
    expect(await accountText(other)).toContain(email);
  });

  it.each<[string, Signer[]]>([
    ['no owner', []],
    ['one of two', [ada]],
    ['one of two, twice', [ada, ada]],
    ['both, in another order', [bob, ada]],
    ['one of two and a stranger', [ada, eve]],
    ['both and a stranger', [ada, bob, eve]],
  ])('are not signed in by %s', async (_who, signers) => {
    const browser = portal.browserElsewhere();
    const answer = await signInByWallet(browser, signedBy(wallet.address, signers));
    expect([answer.status, await isSignedIn(browser)]).toEqual([422, false]);
  });

  it('verify the message that was sent, not another that their owners have signed', async () => {
    const browser = portal.browserElsewhere();
    const signature = await wallet.signMessage('hello');
    const message = await messageFor(browser, wallet.address);
    expect((await browser.postJson('/sign-in/wallet', { message, signature })).status).toBe(422);
  });

  it('are verified with their current owners', async () => {
    const joint = await deployJointWallet(chain.url, [ada, bob]);
    await replaceOwner(chain.url, joint, { index: 1, from: bob, to: eve });
    portal.clock.time += A_BLOCK_MS;
    const former = await signInByWallet(portal.browserElsewhere(), joint);
    const present = await signInByWallet(portal.browserElsewhere(), signedBy(joint.address, [ada, eve]));
    expect([former.status, present.status]).toEqual([422, 200]);
  });

  it('can sign in once they are deployed', async () => {
    const nowhere = signedBy(Wallet.createRandom().address, [ada, bob]);
    expect((await signInByWallet(portal.browserElsewhere(), nowhere)).status).toBe(422);
  });

  it('are asked to retry while the node is unreachable; ordinary wallets are unaffected', async () => {
    const lonely = await runPortal(place(), { ...proxy, nodeUrl: UNREACHABLE });
    const browser = lonely.browserElsewhere();
    const answer = await signInByWallet(browser, wallet);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await signInByWallet(lonely.browserElsewhere(), ada)).status).toBe(200);
    await lonely.stop();
  });

  it('cannot sign in if the portal has no node', async () => {
    const alone = await runPortal(place(), proxy);
    const browser = alone.browserElsewhere();
    expect((await signInByWallet(browser, wallet)).status).toBe(422);
    expect(await isSignedIn(browser)).toBe(false);
    await alone.stop();
  });
}
