/**
 * A contract's kind of token and its description of itself: the sub-calls, and the reading of their answers.
 *
 * Detection: no code, no contract. An ERC-165 handshake (EIP-165: true for its own id, false for 0xffffffff)
 * followed by ERC-721's or ERC-1155's id settles those. A contract that answers `balanceOf` and
 * `totalSupply`, both mandatory in EIP-20, with a word each is an ERC-20. `name`, `symbol` and `decimals` are
 * optional in EIP-20; some early tokens return bytes32.
 */
import type { Network } from '../networks.ts';
import { wordToBigInt } from '../rpc/hex.ts';
import {
  callOf,
  type AccountResult,
  type CallResult,
  type CallItem,
  type MulticallItem,
  type MulticallResult,
} from '../state/multicall/multicall.ts';
import type { TokenFacts } from './token.ts';

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

/** Gas for `balanceOf` and `allowance` in a shared call; rebasing tokens behind proxies use about 100,000. */
export const READ_GAS = 1_000_000;

/** Of a longer name or symbol these bytes are given, without the character that they cut. */
const MAX_TEXT_BYTES = 1_024;
/** Bytes requested at first: few names are longer, and many questions share the bytes of an answer. */
const FIRST_TEXT_BYTES = 64 + 96;
/** A text that ends beyond these bytes of an answer is not read. */
const MAX_ANSWER_BYTES = 8_192;

/** `balanceOf(holder)`. @param holder 0x and 40 hex digits */
export function balanceOfCall(token: string, holder: string): CallItem {
  return callOf(token, `0x70a08231${padded(holder)}`, READ_GAS);
}

/** `allowance(owner, spender)`. */
export function allowanceCall(token: string, owner: string, spender: string): CallItem {
  return callOf(token, `0xdd62ed3e${padded(owner)}${padded(spender)}`, READ_GAS);
}

function padded(address: string): string {
  return `000000000000000000000000${address.slice(2)}`;
}

/** The calls whose answers `readTokenFacts` reads. */
export function tokenFactsItems(token: string): readonly MulticallItem[] {
  return [
    { kind: 'account', target: token },
    callOf(token, SUPPORTS_ERC165, INTERFACE_GAS),
    callOf(token, SUPPORTS_INVALID, INTERFACE_GAS),
    callOf(token, SUPPORTS_ERC721, INTERFACE_GAS),
    callOf(token, SUPPORTS_ERC1155, INTERFACE_GAS),
    callOf(token, TOTAL_SUPPLY, METADATA_GAS),
    callOf(token, NAME, METADATA_GAS, FIRST_TEXT_BYTES),
    callOf(token, SYMBOL, METADATA_GAS, FIRST_TEXT_BYTES),
    callOf(token, DECIMALS, METADATA_GAS),
    // Any holder shows whether the contract counts balances at all.
    balanceOfCall(token, token),
  ];
}

const TOTAL_SUPPLY_AT = 5;
const NAME_AT = 6;
const SYMBOL_AT = 7;
const DECIMALS_AT = 8;
const BALANCE_AT = 9;

/** True if a contract used up the gas of a call that shows whether it is a token: asked directly, it may use up much more. */
export function usesUpGas(results: readonly MulticallResult[]): boolean {
  const isUsedUp = (at: number, gas: number): boolean => {
    const result = results[at] as CallResult | undefined;
    return result?.status === 'failed' && result.gasUsed >= 0.9 * gas;
  };
  return isUsedUp(TOTAL_SUPPLY_AT, METADATA_GAS) || isUsedUp(BALANCE_AT, READ_GAS);
}

/** Reads the answers to `tokenFactsItems`. @throws {TypeError} for any other answers */
export function readTokenFacts(
  network: Network,
  token: string,
  results: readonly MulticallResult[],
): TokenFacts {
  const [account, ...calls] = results as [AccountResult, ...CallResult[]];
  const [erc165, invalid, erc721, erc1155, totalSupply, name, symbol, decimals, balance] = calls;
  if (balance === undefined) throw new TypeError('an answer to every question is needed');
  if (account.codeSize === 0)
    return { token, tokenType: 'none', name: '', symbol: '', decimals: null, tooCostly: false };
  const detect = (): TokenFacts['tokenType'] => {
    const known = network.tokenTypes[token.toLowerCase()];
    if (known) return known;
    if (isTrue(erc165) && !isTrue(invalid)) {
      if (isTrue(erc721)) return 'erc721';
      if (isTrue(erc1155)) return 'erc1155';
    }
    return readUint(balance) !== undefined && readUint(totalSupply) !== undefined ? 'erc20' : 'other';
  };
  return {
    token,
    tokenType: detect(),
    name: readText(name),
    symbol: readText(symbol),
    decimals: readDecimals(decimals),
    tooCostly: false,
  };
}

/**
 * Reads the answers to `tokenFactsItems` as `readTokenFacts` does, but repeats calls that a contract did not
 * answer in a multicall if a plain eth_call may get an answer: the contract wanted more gas, writes when it
 * is read, refuses contracts as callers, or has more text than requested.
 * @param askDirectly asks each item in a separate eth_call; the results are in their order
 */
export async function settleTokenFacts(
  network: Network,
  token: string,
  results: readonly MulticallResult[],
  askDirectly: (items: readonly MulticallItem[]) => Promise<readonly MulticallResult[]>,
): Promise<TokenFacts> {
  let answers = results;
  const askAgain = async (places: readonly number[]): Promise<void> => {
    if (places.length === 0) return;
    const items = tokenFactsItems(token) as readonly CallItem[];
    const again = await askDirectly(places.map((at) => ({ ...items[at]!, maxBytes: MAX_ANSWER_BYTES })));
    answers = answers.map((answer, at) => again[places.indexOf(at)] ?? answer);
  };
  const isOther = readTokenFacts(network, token, answers).tokenType === 'other';
  if (isOther) await askAgain([TOTAL_SUPPLY_AT, BALANCE_AT].filter((at) => hasFailed(answers[at])));
  const facts = readTokenFacts(network, token, answers);
  if (facts.tokenType === 'other') {
    const isOutOfGas = (at: number): boolean => (answers[at] as CallResult).outOfGas === true;
    return { ...facts, tooCostly: [TOTAL_SUPPLY_AT, BALANCE_AT].some(isOutOfGas) };
  }
  if (facts.tokenType === 'none') return facts;
  const isOpen = (at: number): boolean => {
    const answer = answers[at] as CallResult;
    // A revert is an answer, unless the contract refuses calls from other contracts.
    const cutShort = hasFailed(answer) && (isOther || answer.gasUsed >= 0.9 * METADATA_GAS);
    return cutShort || findText(answer) === 'beyond';
  };
  await askAgain([NAME_AT, SYMBOL_AT, DECIMALS_AT].filter(isOpen));
  return readTokenFacts(network, token, answers);
}

function hasFailed(result: MulticallResult | undefined): boolean {
  return result?.status === 'failed';
}

/** The first word of a successful answer, or undefined where there is none. */
export function readUint(result: MulticallResult | undefined): bigint | undefined {
  if (result?.status !== 'ok' || result.data.length < 32) return undefined;
  return wordToBigInt(result.data);
}

function isTrue(result: CallResult | undefined): boolean {
  return readUint(result) === 1n;
}

function readDecimals(result: CallResult | undefined): number | null {
  const value = readUint(result);
  // EIP-20 declares uint8; a larger value is no number of decimals.
  return value === undefined || value > 255n ? null : Number(value);
}

/** A name or symbol: an ABI string, or a bytes32 filled up with zeros; anything else is the empty string. */
function readText(result: CallResult | undefined): string {
  const text = findText(result);
  if (text === undefined || text === 'beyond') return '';
  // As a stream: a character that is cut at the end is left out.
  return new TextDecoder('utf-8').decode(text.bytes, { stream: text.isCut });
}

/** The bytes of a text in an answer; `beyond`: not among the requested bytes of the answer. */
function findText(
  result: CallResult | undefined,
): { readonly bytes: Buffer; readonly isCut: boolean } | 'beyond' | undefined {
  if (result?.status !== 'ok') return undefined;
  const { data, size } = result;
  if (size === 32) return { bytes: data.subarray(0, lastNonZero(data) + 1), isCut: false };
  if (data.length < 64) return undefined;
  const lengthAt = wordAt(data, 0);
  if (lengthAt + 32 > size) return undefined;
  if (lengthAt + 32 > data.length) return 'beyond';
  const length = wordAt(data, lengthAt);
  const from = lengthAt + 32;
  if (from + length > size) return undefined;
  const isCut = length > MAX_TEXT_BYTES;
  const end = from + (isCut ? MAX_TEXT_BYTES : length);
  return end > data.length ? 'beyond' : { bytes: data.subarray(from, end), isCut };
}

/** A word as a number; above 2^53 inexact, which is larger than any answer. */
function wordAt(data: Buffer, at: number): number {
  return Number(`0x${data.toString('hex', at, at + 32)}`);
}

function lastNonZero(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at >= 0 && bytes[at] === 0) at--;
  return at;
}
