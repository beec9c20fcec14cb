/**
 * Calls that find a name's address, for all levels at once: the registry knows each name's resolver, and the
 * resolver the address (EIP-137). If the name has no resolver, that of the nearest parent with one is in
 * charge, provided that it answers for names below (ENSIP-10).
 */
import { Interface } from 'ethers/abi';
import { getAddress } from 'ethers/address';
import { concat } from 'ethers/utils';
import type {
  CallResult,
  CallItem,
  MulticallItem,
  ProgramItem,
  MulticallResult,
} from '../state/multicall/multicall.ts';
import type { EnsName } from './name.ts';
import { NAME_PROGRAM } from './name-program.ts';

/** The resolver in charge of a name, and its answer. */
export interface Charge {
  readonly resolver: string;
  /** Calldata of the question. */
  readonly data: string;
  /** True if the answer is wrapped in `bytes`: that of `resolve(bytes,bytes)`. */
  readonly wrapped: boolean;
  readonly result: CallResult;
}

const ENS = new Interface([
  'function resolver(bytes32 node) view returns (address)',
  'function addr(bytes32 node) view returns (address)',
  'function supportsInterface(bytes4 id) view returns (bool)',
  'function resolve(bytes name, bytes data) view returns (bytes)',
]);
const EXTENDED = ENS.encodeFunctionData('supportsInterface', ['0x9061b923']);
const RESOLVER = ENS.getFunction('resolver')!.selector;
const ADDR = ENS.getFunction('addr')!.selector;

const REGISTRY_GAS = 100_000;
const INTERFACE_GAS = 100_000;
const ADDR_GAS = 300_000;
const RESOLVE_GAS = 1_000_000;
/** Enough for an address in `bytes`, and for the beginning of a referral. */
const ANSWER_BYTES = 128;
const NO_ADDRESS = `0x${'0'.repeat(40)}`;

/** The calls whose answers show which resolver is in charge of the name; see `inCharge`. */
export function nameItems(registry: string, name: EnsName): readonly MulticallItem[] {
  const resolverOf = (node: string): CallItem => call(registry, ofNode(RESOLVER, node), REGISTRY_GAS, 32);
  // Encoded once for all levels: a request may have a hundred names.
  const extended = chained(EXTENDED, INTERFACE_GAS, 32);
  const wrapped = chained(wrappedQuestion(name), RESOLVE_GAS, ANSWER_BYTES);
  const level = (node: string): MulticallItem[] => {
    const resolver = resolverOf(node);
    return [resolver, extended, resolver, wrapped];
  };
  const plain = chained(plainQuestion(name), ADDR_GAS, ANSWER_BYTES);
  return [...level(name.node), resolverOf(name.node), plain, ...name.parents.flatMap(level)];
}

/**
 * Everything in one call, for blocks before Byzantium: only the name's own resolver, because no resolver
 * answered for names below its own yet. The answer is the address, as `readAddress` reads it.
 */
export function earlyNameItem(registry: string, name: EnsName): ProgramItem {
  const resolver = ofNode(RESOLVER, name.node);
  return {
    kind: 'program',
    program: NAME_PROGRAM,
    input: concat([registry, resolver, plainQuestion(name)]).slice(2),
    maxBytes: 32,
  };
}

/** Reads the answers to `nameItems`; undefined if no resolver is in charge. */
export function inCharge(name: EnsName, results: readonly MulticallResult[]): Charge | undefined {
  const answers = results as readonly CallResult[];
  for (let level = 0; level <= name.parents.length; level++) {
    const first = level === 0 ? 0 : 2 + 4 * level;
    const [found, extended, , resolved, , plain] = answers.slice(first, first + (level === 0 ? 6 : 4));
    if (!found || !extended || !resolved) throw new TypeError('an answer to every question is needed');
    const resolver = readAddress(found);
    if (resolver === null) continue;
    if (isTrue(extended)) return { resolver, data: wrappedQuestion(name), wrapped: true, result: resolved };
    return plain && { resolver, data: plainQuestion(name), wrapped: false, result: plain };
  }
  return undefined;
}

/** The address in an answer to a `Charge`'s question; null where there is none. */
export function readAnswer(wrapped: boolean, data: Buffer): string | null {
  if (!wrapped) return addressIn(data);
  // ABI: offset, length, content; the offset is 32, as there is one value only.
  if (data.length < 96 || uint(data, 0) !== 32n || uint(data, 32) !== 32n) return null;
  return addressIn(data.subarray(64));
}

/** The address that a call returned; null for none, and for the zero address. */
export function readAddress(result: CallResult): string | null {
  return result.status === 'ok' ? addressIn(result.data) : null;
}

function addressIn(data: Buffer): string | null {
  if (data.length < 32 || uint(data, 0) >> 160n !== 0n) return null;
  const address = `0x${data.toString('hex', 12, 32)}`;
  return address === NO_ADDRESS ? null : getAddress(address);
}

function uint(data: Buffer, at: number): bigint {
  return BigInt(`0x${data.toString('hex', at, at + 32)}`);
}

function isTrue(result: CallResult): boolean {
  return result.status === 'ok' && result.data.length === 32 && uint(result.data, 0) === 1n;
}

function plainQuestion(name: EnsName): string {
  return ofNode(ADDR, name.node);
}

function wrappedQuestion(name: EnsName): string {
  return ENS.encodeFunctionData('resolve', [name.wire, plainQuestion(name)]);
}

/** The call of a function that takes a node alone, which is encoded as itself. */
function ofNode(selector: string, node: string): string {
  return selector + node.slice(2);
}

function call(target: string, data: string, gas: number, maxBytes: number): CallItem {
  return { kind: 'call', target, data, gas, maxBytes };
}

function chained(data: string, gas: number, maxBytes: number): CallItem {
  return { ...call(NO_ADDRESS, data, gas, maxBytes), targetFromPrevious: true };
}
