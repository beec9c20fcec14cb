/** Pages of a portal with two networks: a choice that works by keyboard, on a phone, and for the scripts of each page. */
import { startFundedChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded, type Installation } from '../support/browser/installation.ts';
import { examiner } from '../support/browser/looks.ts';
import { describeInBrowser, eachWithReader } from '../support/browser/suite.ts';

const BLOCKS = 150;
const WRAPPED_OF_BASE = '0x4200000000000000000000000000000000000006';
/** Longer than any known network's name, so that a phone has to break the line. */
const OWN = 'my-chain-whose-name-has-forty-characters';

const chainOf = (chainId: number, wei: bigint): Promise<Anvil> =>
  startFundedChain({ chainId, account: WRAPPED_OF_BASE, wei, blocks: BLOCKS });

describeInBrowser('The portal of two networks', process.env, (browser) => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-networks-'));
  let chains: readonly Anvil[] = [];
  let installation: Installation;

  beforeAll(async () => {
    const [base, own] = (chains = await Promise.all([chainOf(8_453, 11n), chainOf(424_242, 22n)]));
    const file = join(folder, 'networks.json');
    const coin = { symbol: 'MINE', decimals: 6 };
    const entry = { name: OWN, chain_id: 424_242, native_coin: coin, rpc_urls: [own!.url] };
    writeFileSync(file, JSON.stringify([entry]));
    installation = await startEmbedded({ BASE_RPC_URL: base!.url, NETWORKS_FILE: file });
  });
  afterAll(async () => {
    await installation?.stop();
    await Promise.all(chains.map((chain) => chain.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  const reader = eachWithReader(browser);
  const faultsOf = examiner(process.env);
  const addressOf = (path: string): string => installation.portal + path;

  describe('passes axe, and fits, light and dark, on a phone as well', () => {
    it.each([
      '/demo',
      '/wallet',
      '/wallet/period',
      '/token',
      '/reference/get-token-balance',
      '/status',
      '/',
      '/reference',
    ])('%s', async (path) => expect(await faultsOf(reader(), addressOf(path))).toEqual([]));
  });

  it('draws the native coin of the chosen network, by keyboard, with an address to share', async () => {
    const { page } = reader();
    const drawn = async (): Promise<void> => {
      await page.locator('#progress[data-state="done"]').waitFor();
      await page.locator('#answer[data-state="known"]').waitFor();
    };
    await page.goto(addressOf('/demo'));
    await drawn();
    expect(await page.locator('#curl').innerText()).toContain('/v1/base-mainnet/balance/native?');
    expect(await page.locator('#answer-amount').innerText()).toBe('0.000000000000000011');
    expect(await page.locator('#answer-symbol').innerText()).toBe('ETH');

    await page.getByRole('navigation', { name: 'Network' }).getByRole('link', { name: OWN }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/demo?network=${OWN}**`);
    await drawn();
    expect(await page.locator('#curl').innerText()).toContain(`/v1/${OWN}/balance/native?`);
    expect(await page.locator('#answer-symbol').innerText()).toBe('MINE');
    expect(await page.locator('#answer-amount').innerText()).toBe('0.000000');
    expect(await page.locator('#rows tr').count()).toBe(120);
    const shared = page.url();
    await page.goto(shared);
    await drawn();
    expect(page.url()).toBe(shared);
  });

  it('shows a wallet on the chosen network, keeps that for the next question, and in the link to share', async () => {
    const { page } = reader();
    const known = () => page.locator('#statement[data-state="known"]').waitFor();
    await page.goto(addressOf(`/wallet?network=${OWN}`));
    await known();
    await page.getByLabel('Wallet or name').fill(WRAPPED_OF_BASE);
    await page.getByRole('button', { name: 'Look' }).click();
    // Not the statement of before.
    await page.waitForURL((url) => url.searchParams.get('holder') === WRAPPED_OF_BASE);
    await known();
    expect(await page.locator('#held').innerText()).toContain('MINE');
    expect(await page.locator('#held').innerText()).toContain('0.000022');
    const link = new URL(await page.locator('#share').innerText());
    expect(Object.fromEntries(link.searchParams)).toMatchObject({ network: OWN, holder: WRAPPED_OF_BASE });
  });

  it('reports each network’s node on the status page', async () => {
    const text = await (await fetch(addressOf('/status'))).text();
    for (const network of ['base-mainnet', OWN]) expect(text).toContain(`Ethereum node of ${network}`);
  });
});
