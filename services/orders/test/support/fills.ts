/**
 * Fills on a dev chain. Permit2 is the real contract, and judges each signature and nonce; the reactors are our own, a few
 * instructions at the addresses of the real ones: they let Permit2 spend the nonce, and emit the protocol's Fill.
 */
import { PERMIT2 } from '@hindsight/chain/tokens/permit2.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { sendAndMine } from '@hindsight/devchain/control.ts';
import { concat, Interface, toBeHex, zeroPadValue, type Wallet } from 'ethers';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ORDER_TOPICS } from '../../src/domain/order-logs.ts';

const SALT = '0x0000000000000000000000000000000000000000d3af2663da51c10215000000';
/** The deterministic deployer that chains share: CREATE2 of the data after a salt. */
const DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const DEPLOYER_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

/** Calls Permit2 with what follows five words, if anything does; then logs the first four as topics, and the fifth. */
const REACTOR_CODE = concat([
  '0x60a0360380',
  '0x60a0600037',
  '0x801561003557',
  '0x60006000826000600073',
  PERMIT2,
  '0x5af11561004e57',
  '0x5b608035600052',
  '0x60603560403560203560003560206000a400',
  '0x5b60006000fd',
]);

const ABI = new Interface([
  'function invalidateUnorderedNonces(uint256 wordPos, uint256 mask)',
  'function permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)',
]);

/** Puts the real Permit2, of the SDK's package, at its address. */
export async function deployPermit2(url: string, sdkFolder: string, from: string): Promise<void> {
  const file = 'node_modules/@uniswap/uniswapx-sdk/dist/cjs/src/contracts/factories/Permit2__factory.js';
  const code = /"(0x60c0[0-9a-f]+)"/.exec(readFileSync(join(sdkFolder, file), 'utf8'))![1]!;
  await ask(url, 'anvil_setCode', DEPLOYER, DEPLOYER_CODE);
  await sendAndMine(url, { from, to: DEPLOYER, data: concat([SALT, code]) });
  if (((await ask(url, 'eth_getCode', PERMIT2, 'latest')) as string).length < 10_000)
    throw new Error('Permit2 is not at its address');
}

/** Puts a reactor, or what looks like one, at an address. */
export async function placeReactor(url: string, address: string): Promise<void> {
  await ask(url, 'anvil_setCode', address, REACTOR_CODE);
}

/** A call of a contract. */
export interface Call {
  readonly to: string;
  readonly data: string;
}

/** Permit2's call that spends a nonce of the swapper, for nothing; valid from that spender alone. */
export async function spending(
  swapper: Wallet,
  token: string,
  spender: string,
  nonce: bigint,
  chainId = 1,
): Promise<Call> {
  const permit = { permitted: { token, amount: 0n }, nonce, deadline: 2n ** 40n };
  const domain = { name: 'Permit2', chainId, verifyingContract: PERMIT2 };
  const field = (list: string) =>
    list.split(',').map((one) => ({ type: one.split(' ')[0]!, name: one.split(' ')[1]! }));
  const types = {
    PermitTransferFrom: field('TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline'),
    TokenPermissions: field('address token,uint256 amount'),
  };
  const signature = await swapper.signTypedData(domain, types, { ...permit, spender });
  const to = { to: spender, requestedAmount: 0n };
  return {
    to: PERMIT2,
    data: ABI.encodeFunctionData('permitTransferFrom', [permit, to, swapper.address, signature]),
  };
}

/** The swapper's own cancellation. */
export function invalidation(nonce: bigint): Call {
  const data = ABI.encodeFunctionData('invalidateUnorderedNonces', [nonce >> 8n, 1n << (nonce & 0xffn)]);
  return { to: PERMIT2, data };
}

/** A Fill by the contract at an address, with what it makes Permit2 do before; with nothing it is a lie. */
export function fillBy(
  reactor: string,
  fill: { orderHash: string; filler: string; swapper: string; nonce: bigint },
  spends?: Call,
): Call {
  const topics = [
    ORDER_TOPICS.fill,
    fill.orderHash,
    ...[fill.filler, fill.swapper].map((one) => zeroPadValue(one, 32)),
  ];
  return { to: reactor, data: concat([...topics, toBeHex(fill.nonce, 32), spends?.data ?? '0x']) };
}

/** Init code that makes some calls: several in one transaction. */
export function batchOf(calls: readonly Call[]): string {
  const hex = (value: number): string => toBeHex(value, 2);
  let offset = 44 * calls.length + 1;
  const steps = calls.map(({ to, data }) => {
    const size = (data.length - 2) / 2;
    const copy = ['0x61', hex(size), '0x61', hex(offset), '0x600039'];
    offset += size;
    return concat([...copy, '0x60006000', '0x61', hex(size), '0x6000600073', to, '0x5af150']);
  });
  return concat([...steps, '0x00', ...calls.map(({ data }) => data)]);
}
