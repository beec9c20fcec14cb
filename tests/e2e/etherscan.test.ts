/** Etherscan's actions at `/api`, asked as scripts and a library ask them. */
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EtherscanProvider } from 'ethers';
import { readFileSync } from 'node:fs';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight, type SharedHindsight } from '../support/shared-hindsight.ts';

const { ledger } = buildPlan();
const { alice } = HOLDERS;
const usdc = TOKENS.usdc.address;
const AT = 18_000_000;
/** Of that block; the next one is 12 seconds later or more. */
const TIME = 1_693_066_895;

let hindsight: SharedHindsight;
let key: string;
let provider: Provider;
beforeAll(async () => {
  hindsight = await sharedHindsight(process.env);
  key = await makeFastKey(hindsight.dataDir);
  provider = new Provider('mainnet', key);
});
afterAll(() => provider.destroy());

/** A library whose users change its address and its key. */
class Provider extends EtherscanProvider {
  override getUrl(module: string, params: Record<string, string>): string {
    return super.getUrl(module, params).replace(/^https:\/+[^/]+/, hindsight.url);
  }
}

async function ask(query: string, apikey: string | null = key) {
  const response = await fetch(`${hindsight.url}/api?${query}${apikey === null ? '' : `&apikey=${apikey}`}`);
  return { status: response.status, headers: response.headers, body: (await response.json()) as object };
}

describe('/api', () => {
  it.each([
    ['account', 'balancehistory', { address: alice, blockno: AT }, ledger.nativeAt(alice, AT)],
    [
      'account',
      'tokenbalancehistory',
      { contractaddress: usdc, address: alice, blockno: AT },
      ledger.balanceAt(usdc, alice, AT),
    ],
    ['block', 'getblocknobytime', { timestamp: TIME, closest: 'before' }, AT],
    ['block', 'getblocknobytime', { timestamp: TIME, closest: 'after' }, AT],
    ['block', 'getblocknobytime', { timestamp: TIME + 1, closest: 'before' }, AT],
    ['block', 'getblocknobytime', { timestamp: TIME + 1, closest: 'after' }, AT + 1],
  ])('answers a library that asks %s/%s %j', async (module, action, params, expected) => {
    expect(await provider.fetch(module, { action, ...params })).toBe(String(expected));
  });

  it('answers the supply of a token in Etherscan’s shape, and costs what its question costs', async () => {
    const { status, headers, body } = await ask(
      `module=stats&action=tokensupplyhistory&contractaddress=${usdc}&blockno=${AT}`,
    );
    const own = await fetch(
      `${hindsight.url}/v1/eth-mainnet/supply?token_address=${usdc}&block_height=${AT}`,
      {
        headers: { 'x-api-key': key },
      },
    );
    const { total_supply } = (await own.json()) as { total_supply: string };
    expect([status, body]).toEqual([200, { status: '1', message: 'OK', result: total_supply }]);
    expect([headers.get('x-units'), headers.get('ratelimit')]).toEqual([
      '1',
      expect.stringContaining('month'),
    ]);
  });

  it.each<[string, string, string | null | undefined, string]>([
    ['no key', 'module=account&action=balancehistory', null, 'Error! Invalid address format'],
    [
      'no key',
      `module=account&action=balancehistory&address=${alice}&blockno=${AT}`,
      null,
      'Missing/Invalid API Key',
    ],
    [
      'an unknown key',
      `module=account&action=balancehistory&address=${alice}&blockno=${AT}`,
      'YourApiKeyToken',
      'Invalid API Key',
    ],
    ['another action', 'module=account&action=txlist', undefined, 'Error! Missing Or invalid Action name'],
    ['no action', '', undefined, 'Error! Missing Or invalid Action name'],
    [
      'no block',
      `module=account&action=balancehistory&address=${alice}`,
      undefined,
      'Error! Missing blockno',
    ],
    [
      'another chain',
      `chainid=424242&module=account&action=balancehistory`,
      undefined,
      'Missing or unsupported chainid parameter; served: 1 (eth-mainnet)',
    ],
    [
      'another chain, without a key',
      `chainid=424242&module=account&action=balancehistory`,
      null,
      'Missing/Invalid API Key',
    ],
    [
      'a network that is not served',
      `chainid=10&module=account&action=balancehistory&address=${alice}&blockno=${AT}`,
      undefined,
      'served: eth-mainnet',
    ],
    [
      'a block above the head',
      `module=account&action=balancehistory&address=${alice}&blockno=99999999`,
      undefined,
      'does not exist yet',
    ],
    [
      'a time before the chain',
      'module=block&action=getblocknobytime&timestamp=1&closest=before',
      undefined,
      'Error! No closest block found',
    ],
    [
      'a time after its head',
      `module=block&action=getblocknobytime&timestamp=${CHAIN.headTime + 1}&closest=after`,
      undefined,
      'Error! No closest block found',
    ],
    [
      'a parameter given twice',
      'module=block&module=account',
      undefined,
      'Error! module is given more than once',
    ],
  ])('refuses %s (%s) as Etherscan does, with 200', async (_what, query, apikey, words) => {
    const { status, body } = await ask(query, apikey);
    expect([status, body]).toEqual([
      200,
      { status: '0', message: 'NOTOK', result: expect.stringContaining(words) },
    ]);
  });

  it('never logs a key', async () => {
    await ask('module=account&action=txlist');
    await ask(`module=account&action=balancehistory&address=${alice}&blockno=1&x=1`);
    expect(readFileSync(hindsight.log, 'utf8')).not.toContain(key);
  });
});
