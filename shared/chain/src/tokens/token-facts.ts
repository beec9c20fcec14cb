/**
 * What kind of token a contract is and what it calls itself: the sub-calls that ask, and the reading of their answers.
 *
 * Detection: no code, no contract. An ERC-165 handshake (EIP-165: true for its own id, false for 0xffffffff) followed by
 * ERC-721's or ERC-1155's id settles those. What answers `balanceOf` and `totalSupply`, both mandatory in EIP-20, with a
 * word each is an ERC-20. `name`, `symbol` and `decimals` are optional in EIP-20; some early tokens return bytes32.
 */
import type { Network } from '../networks.ts';
import type {
  AccountResult,
  CallResult,
  CallItem,
  MulticallItem,
  MulticallResult,
} from '../state/multicall/multicall.ts';

/** A contract's standard. */
export type TokenType = 'erc20' | 'erc721' | 'erc1155';

/** What is known about a contract at one block, the same for every holder. */
export interface TokenFacts {
  /** `none`: no code at that block; `other`: a contract that is no token. */
  readonly type: TokenType | 'none' | 'other';
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number | null;
}

const SUPPORTS_ERC165 = '0x01ffc9a701ffc9a700000000000000000000000000000000000000000000000000000000';
const SUPPORTS_INVALID = '0x01ffc9a7ffffffff00000000000000000000000000000000000000000000000000000000';
const SUPPORTS_ERC721 = '0x01ffc9a780ac58cd00000000000000000000000000000000000000000000000000000000';
const SUPPORTS_ERC1155 = '0x01ffc9a7d9b67a2600000000000000000000000000000000000000000000000000000000';
const NAME = '0x06fdde03';
const SYMBOL = '0x95d89b41';
const DECIMALS = '0x313ce567';
const TOTAL_SUPPLY = '0x18160ddd';

/** EIP-165 lets a check of an interface use at most 30,000 gas; proxies in front take more. */
const INTERFACE_GAS = 150_000;
const METADATA_GAS = 500_000;

/** Gas for `balanceOf` and `allowance` beside other questions; rebasing tokens behind proxies use about 100,000. */
export const READ_GAS = 1_000_000;

/** Two of them are less than nodes allow a call. */
const GAS_EACH_ALONE = 12_000_000;

/** A longer name or symbol counts as none: it is not meant for people. */
const MAX_TEXT_BYTES = 256;

/** `balanceOf(holder)`. @param holder 0x and 40 hex digits */
export function balanceOfCall(token: string, holder: string): CallItem {
  return { kind: 'call', target: token, data: `0x70a08231${padded(holder)}`, gas: READ_GAS, maxBytes: 32 };
}

/** `allowance(owner, spender)`. */
export function allowanceCall(token: string, owner: string, spender: string): CallItem {
  return {
    kind: 'call',
    target: token,
    data: `0xdd62ed3e${padded(owner)}${padded(spender)}`,
    gas: READ_GAS,
    maxBytes: 32,
  };
}

function padded(address: string): string {
  return address.slice(2).padStart(64, '0');
}

/** The questions whose answers `readTokenFacts` reads. */
export function tokenFactsItems(token: string): readonly MulticallItem[] {
  const call = (data: string, gas: number, maxBytes: number): CallItem => ({
    kind: 'call',
    target: token,
    data,
    gas,
    maxBytes,
  });
  return [
    { kind: 'account', target: token },
    call(SUPPORTS_ERC165, INTERFACE_GAS, 32),
    call(SUPPORTS_INVALID, INTERFACE_GAS, 32),
    call(SUPPORTS_ERC721, INTERFACE_GAS, 32),
    call(SUPPORTS_ERC1155, INTERFACE_GAS, 32),
    call(TOTAL_SUPPLY, METADATA_GAS, 32),
    call(NAME, METADATA_GAS, 64 + MAX_TEXT_BYTES),
    call(SYMBOL, METADATA_GAS, 64 + MAX_TEXT_BYTES),
    call(DECIMALS, METADATA_GAS, 32),
    // Any holder will do to see whether the contract counts balances at all.
    balanceOfCall(token, token),
  ];
}

const TOTAL_SUPPLY_AT = 5;
const BALANCE_AT = 9;

/** How many items `tokenFactsItems` has. */
export const TOKEN_FACTS_COUNT = 10;

/** Reads the answers to `tokenFactsItems`. @throws {TypeError} when they are not that. */
export function readTokenFacts(
  network: Network,
  token: string,
  results: readonly MulticallResult[],
): TokenFacts {
  const [account, ...calls] = results as [AccountResult, ...CallResult[]];
  const [erc165, invalid, erc721, erc1155, totalSupply, name, symbol, decimals, balance] = calls;
  if (balance === undefined) throw new TypeError('an answer to every question is needed');
  if (account.codeSize === 0) return { type: 'none', name: '', symbol: '', decimals: null };
  const detect = (): TokenFacts['type'] => {
    const known = network.tokenTypes[token.toLowerCase()];
    if (known) return known;
    if (isTrue(erc165) && !isTrue(invalid)) {
      if (isTrue(erc721)) return 'erc721';
      if (isTrue(erc1155)) return 'erc1155';
    }
    return readUint(balance) !== undefined && readUint(totalSupply) !== undefined ? 'erc20' : 'other';
  };
  return { type: detect(), name: readText(name), symbol: readText(symbol), decimals: readDecimals(decimals) };
}

/**
 * Reads the answers to `tokenFactsItems` as `readTokenFacts` does; but where what seems to be no token may only have
 * wanted more gas than a question gets among others, or writes when it is read, it is asked once more.
 * @param askAlone asks items that nothing else is to share a call with; the results are in their order
 */
export async function settleTokenFacts(
  network: Network,
  token: string,
  results: readonly MulticallResult[],
  askAlone: (items: readonly MulticallItem[]) => Promise<readonly MulticallResult[]>,
): Promise<TokenFacts> {
  const facts = readTokenFacts(network, token, results);
  if (facts.type !== 'other' || !isCutShort(results)) return facts;
  return areErc20(await askAlone(erc20Items(token))) ? { ...facts, type: 'erc20' } : facts;
}

/**
 * Whether what makes an ERC-20 failed for want of gas, or because it writes, which burns all gas of a shared call.
 * @param results the answers to `tokenFactsItems`
 */
function isCutShort(results: readonly MulticallResult[]): boolean {
  const cutShort = (at: number, gas: number): boolean => {
    const result = results[at] as CallResult | undefined;
    return result?.status === 'failed' && result.gasUsed >= 0.9 * gas;
  };
  return cutShort(TOTAL_SUPPLY_AT, METADATA_GAS) || cutShort(BALANCE_AT, READ_GAS);
}

/** What makes an ERC-20, asked alone, as plain eth_calls would: with much gas, and free to write. */
function erc20Items(token: string): readonly MulticallItem[] {
  const generous = { gas: GAS_EACH_ALONE, plain: true };
  const supply: CallItem = { kind: 'call', target: token, data: TOTAL_SUPPLY, maxBytes: 32, ...generous };
  return [supply, { ...balanceOfCall(token, token), ...generous }];
}

function areErc20(results: readonly MulticallResult[]): boolean {
  return results.length === 2 && results.every((result) => readUint(result as CallResult) !== undefined);
}

/** The first word of a successful answer, or undefined where there is none. */
export function readUint(result: CallResult | undefined): bigint | undefined {
  if (result?.status !== 'ok' || result.data.length < 32) return undefined;
  return BigInt(`0x${result.data.toString('hex', 0, 32)}`);
}

function isTrue(result: CallResult | undefined): boolean {
  return readUint(result) === 1n;
}

function readDecimals(result: CallResult | undefined): number | null {
  const value = readUint(result);
  // EIP-20 declares uint8; whatever is larger is no number of decimals.
  return value === undefined || value > 255n ? null : Number(value);
}

/** A name or symbol: an ABI string, or a bytes32 filled up with zeros; anything else is the empty string. */
export function readText(result: CallResult | undefined): string {
  if (result?.status !== 'ok') return '';
  const { data, size } = result;
  if (size === 32) return decodeUtf8(data.subarray(0, lastNonZero(data) + 1));
  if (data.length < 64 || BigInt(`0x${data.toString('hex', 0, 32)}`) !== 32n) return '';
  const length = BigInt(`0x${data.toString('hex', 32, 64)}`);
  if (length > BigInt(MAX_TEXT_BYTES) || 64n + length > BigInt(data.length)) return '';
  return decodeUtf8(data.subarray(64, 64 + Number(length)));
}

function lastNonZero(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at >= 0 && bytes[at] === 0) at--;
  return at;
}

function decodeUtf8(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: false }).decode(bytes);
}
