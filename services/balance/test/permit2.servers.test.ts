/**
 * Permit2's own allowances, of the real contract: deployed as on every chain, its address follows from its code. Compared at
 * each block with the contract's answer to a plain `eth_call`.
 */
import { expect, it } from '@jest/globals';
import { ask as askNode, blockTag, callAt } from '@hindsight/devchain/client.ts';
import { sendAndMine } from '@hindsight/devchain/control.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import { concat, id, Interface, Wallet } from 'ethers';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOnOwnDevchain, type BalanceOnDevchain } from './support/on-devchain.ts';

const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const SALT = '0x0000000000000000000000000000000000000000d3af2663da51c10215000000';
/** The deterministic deployer that chains share: CREATE2 of the data after a salt. */
const DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const DEPLOYER_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';
const ABI = new Interface([
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline) single, bytes signature)',
  'function transferFrom(address from, address to, uint160 amount, address token)',
  'function lockdown((address token, address spender)[] approvals)',
  'function invalidateNonces(address token, address spender, uint48 newNonce)',
  'function allowance(address owner, address token, address spender) view returns (uint160 amount, uint48 expiration, uint48 nonce)',
]);
const ERC20 = new Interface(['function approve(address spender, uint256 amount)']);
const DETAILS = ['address token', 'uint160 amount', 'uint48 expiration', 'uint48 nonce'];
const SINGLE = ['PermitDetails details', 'address spender', 'uint256 sigDeadline'];
const FOREVER = 2 ** 48 - 1;
const ALL = 2n ** 160n - 1n;
const { uni, weth } = TOKENS;
const { alice: owner, market, relay }: Readonly<Record<'alice' | 'market' | 'relay', string>> = HOLDERS;
const signer = new Wallet(id('signs permits'));
const addressOf = (byte: string): string => `0x${byte.repeat(20)}`;
const [expiring, momentary, hushed] = [addressOf('51'), addressOf('52'), addressOf('53')];
const pairs = [uni, weth].flatMap((token) =>
  [market, relay, expiring, momentary, hushed].map((spender) => [token.address, spender] as const),
);

interface Row {
  readonly token_address: string;
  readonly spender: string;
  readonly via: string;
  readonly allowance: string;
  readonly expiration?: number;
  readonly expired?: boolean;
}

await describeOnInstalled('Permit2', { name: 'uniswapx-sdk', env: process.env }, (folder) => {
  const world = forAllTests(play, 'stop');

  /** The chain on which each block has one action, and the heights of those that are asked for by name. */
  async function play(): Promise<BalanceOnDevchain & { heights: Readonly<Record<string, number>> }> {
    const balance = await runOnOwnDevchain();
    const { url } = balance.devchain;
    const send = async (from: string, to: string | undefined, data: string): Promise<number> =>
      (await sendAndMine(url, { from, to, data })).blockNumber;
    const permit2 = (from: string, method: string, ...args: readonly unknown[]): Promise<number> =>
      send(from, PERMIT2, ABI.encodeFunctionData(method, args));

    const file = 'dist/cjs/src/contracts/factories/Permit2__factory.js';
    const text = readFileSync(join(folder, 'node_modules/@uniswap/uniswapx-sdk', file), 'utf8');
    const code = /"(0x60c0[0-9a-f]+)"/.exec(text)![1]!;
    await askNode(url, 'anvil_setCode', DEPLOYER, DEPLOYER_CODE);
    await send(market, DEPLOYER, concat([SALT, code]));
    expect(String(await askNode(url, 'eth_getCode', PERMIT2, 'latest')).length).toBeGreaterThan(10_000);

    await send(owner, uni.address, ERC20.encodeFunctionData('approve', [PERMIT2, 10n ** 20n]));
    const begun = await timeOf(url, 'latest');
    const approved = await permit2(owner, 'approve', uni.address, market, 1_000n, FOREVER);
    // It holds in its own block, and in the two after it.
    const edge = await permit2(owner, 'approve', uni.address, expiring, 5n, begun + 4 * 12);
    // Zero is the time of the block.
    const moment = await permit2(owner, 'approve', weth.address, momentary, 7n, 0);
    const spent = await permit2(market, 'transferFrom', owner, relay, 250n, uni.address);
    const nonces = await permit2(owner, 'invalidateNonces', uni.address, market, 3);
    // Names pairs that never had an allowance.
    await permit2(owner, 'invalidateNonces', uni.address, hushed, 1);
    await permit2(owner, 'approve', weth.address, relay, ALL, FOREVER);
    // Of an address that is no token.
    await permit2(owner, 'approve', hushed, relay, 9n, FOREVER);
    const details = { token: uni.address, amount: 33n, expiration: FOREVER, nonce: 0 };
    const single = { details, spender: relay, sigDeadline: FOREVER };
    const domain = { name: 'Permit2', chainId: 1, verifyingContract: PERMIT2 };
    const types = { PermitSingle: SINGLE, PermitDetails: DETAILS };
    const signature = await signer.signTypedData(domain, typed(types), single);
    const signed = await permit2(market, 'permit', signer.address, single, signature);
    const locked = await permit2(owner, 'lockdown', [
      { token: uni.address, spender: market },
      { token: weth.address, spender: hushed },
    ]);
    await send(market, undefined, fakeEvent(owner));
    return { ...balance, heights: { approved, edge, moment, spent, nonces, signed, locked } };
  }

  async function listAt(
    height: number,
    of = owner,
  ): Promise<{ rows: readonly Row[]; asked: Record<string, unknown> }> {
    const { status, body } = await world.ask(
      `/v1/eth-mainnet/allowance/list?owner=${of}&block_height=${height}`,
    );
    expect([status, body.message]).toEqual([200, undefined]);
    const rows = (body.allowances as readonly Row[]).filter(({ via }) => via === 'permit2');
    return { rows, asked: body.asked as Record<string, unknown> };
  }

  it('are at each block what the contract says, and expire as it judges', async () => {
    const { url } = world.devchain;
    const { heights } = world;
    for (let height = heights.approved! - 1; height <= heights.locked! + 1; height++) {
      const time = await timeOf(url, blockTag(height));
      const truth: Omit<Row, 'via'>[] = [];
      for (const [token, spender] of pairs) {
        const data = ABI.encodeFunctionData('allowance', [owner, token, spender]);
        const raw = await callAt(url, PERMIT2, data, height);
        const [amount, expiration] = ABI.decodeFunctionResult('allowance', raw) as unknown as [
          bigint,
          bigint,
        ];
        if (amount === 0n) continue;
        const expired = BigInt(time) > expiration;
        const row = {
          token_address: token,
          spender,
          allowance: String(amount),
          expiration: Number(expiration),
        };
        truth.push({ ...row, expired });
      }
      const { rows } = await listAt(height);
      const found = rows.map(({ token_address, spender, allowance, expiration, expired }) => ({
        ...{ token_address, spender, allowance, expiration, expired },
      }));
      expect([height, new Set(found)]).toEqual([height, new Set(truth)]);
    }
  });

  it('hold in the second in which they expire, and not in the next block', async () => {
    const { edge, moment } = world.heights;
    const expiredAt = async (spender: string, height: number): Promise<unknown> =>
      (await listAt(height)).rows.find((row) => row.spender === spender)?.expired;
    for (const [spender, last] of [
      [expiring, edge! + 2],
      [momentary, moment!],
    ] as const) {
      expect(await expiredAt(spender, last)).toBe(false);
      expect(await expiredAt(spender, last + 1)).toBe(true);
    }
  });

  it('shrink by what is spent, without an event; a lockdown ends them, a nonce does not', async () => {
    const { approved, spent, nonces, locked } = world.heights;
    const amountAt = async (height: number): Promise<unknown> =>
      (await listAt(height)).rows.find((row) => row.spender === market)?.allowance;
    expect(await Promise.all([approved!, spent!, nonces!, locked! - 1, locked!].map(amountAt))).toEqual([
      '1000',
      '750',
      '750',
      '750',
      undefined,
    ]);
  });

  it('may come from a signature', async () => {
    const { signed } = world.heights;
    const [before, after] = [
      await listAt(signed! - 1, signer.address),
      await listAt(signed!, signer.address),
    ];
    expect(before.rows).toEqual([]);
    expect(after.rows).toMatchObject([
      { token_address: uni.address, spender: relay, allowance: '33', expired: false },
    ]);
  });

  it('are of tokens alone, and of the real contract alone', async () => {
    const { rows, asked } = await listAt(world.heights.locked! + 1);
    expect(rows.map(({ allowance }) => allowance).sort()).toEqual([String(ALL), '5', '7'].sort());
    expect(asked).toMatchObject({
      complete: true,
      unread: [{ token_address: hushed, spender: relay, reason: 'unclear_standard' }],
    });
  });

  it('are rows of CSV', async () => {
    const path = `/v1/eth-mainnet/allowance/list?owner=${signer.address}&block_height=${world.heights.signed!}`;
    const answer = await fetch(world.url + path, { headers: { accept: 'text/csv' } });
    const [header, row] = (await answer.text()).split('\r\n').map((line) => line.split(','));
    const cells = Object.fromEntries(header!.map((name, i) => [name, row![i]]));
    expect(cells).toMatchObject({
      via: 'permit2',
      expiration: String(FOREVER),
      expired: 'false',
      allowance: '33',
    });
  });
});

async function timeOf(url: string, block: string): Promise<number> {
  const { timestamp } = (await askNode(url, 'eth_getBlockByNumber', block, false)) as { timestamp: string };
  return Number(timestamp);
}

/** The fields of EIP-712 types, as ethers takes them. */
function typed(
  types: Readonly<Record<string, readonly string[]>>,
): Record<string, { type: string; name: string }[]> {
  const fieldOf = (field: string): { type: string; name: string } => {
    const [type, name] = field.split(' ') as [string, string];
    return { type, name };
  };
  return Object.fromEntries(Object.entries(types).map(([type, fields]) => [type, fields.map(fieldOf)]));
}

/** Init code of another contract that says what Permit2 says of an approval, and answers everything with 7. */
function fakeEvent(of: string): string {
  const topic = id('Approval(address,address,address,uint160,uint48)');
  const push = (address: string): string => `73${address.slice(2)}`;
  return `0x60075f52${push(hushed)}${push(weth.address)}${push(of)}7f${topic.slice(2)}60405fa469600760005260206000f3600052600a6016f3`;
}
