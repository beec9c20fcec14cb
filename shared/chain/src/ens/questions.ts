/**
 * Calls that find a name's address, for all levels at once: the registry knows each name's resolver, and the
 * resolver the address (EIP-137). If the name has no resolver, that of the nearest parent with one is in
 * charge, provided that it answers for names below (ENSIP-10).
 */
import { Interface } from 'ethers/abi';
import { concat } from 'ethers/utils';
import { wordToAddress } from '../address.ts';
import { wordToBigInt } from '../rpc/hex.ts';
import {
  callOf,
  type CallResult,
  type CallItem,
  type MulticallItem,
  type ProgramItem,
  type MulticallResult,
} from '../state/multicall/multicall.ts';
import { readUint } from '../tokens/token-facts.ts';
import type { EnsName } from './name.ts';
import { NAME_PROGRAM } from './name-program.ts';

/** The resolver in charge of a name, and its answer. */
export interface Charge {
  readonly resolver: string;
  /** True if it answers by `resolve(bytes,bytes)`, which wraps answers in `bytes`. */
  readonly wrapped: boolean;
  /** Undefined where it is not asked yet. */
  readonly result: CallResult | undefined;
}

/** The address that is asked for: of Ethereum, or of a coin type (ENSIP-9). */
export type AddressOf = 'ethereum' | { readonly coinType: number };

/** The address in an answer; null for none or the zero address, undefined where none was ever set. */
export type FoundAddress = string | null | undefined;

const ENS = new Interface([
  'function resolver(bytes32 node) view returns (address)',
  'function addr(bytes32 node) view returns (address)',
  'function addr(bytes32 node, uint256 coinType) view returns (bytes)',
  'function supportsInterface(bytes4 id) view returns (bool)',
  'function resolve(bytes name, bytes data) view returns (bytes)',
]);
const EXTENDED = ENS.encodeFunctionData('supportsInterface', ['0x9061b923']);
const RESOLVER = ENS.getFunction('resolver')!.selector;
const ADDR = ENS.getFunction('addr(bytes32)')!.selector;

const REGISTRY_GAS = 100_000;
const INTERFACE_GAS = 100_000;
const ADDR_GAS = 300_000;
const RESOLVE_GAS = 1_000_000;
/** Enough for an address in `bytes` in `bytes`, and for the beginning of a referral. */
const ANSWER_BYTES = 192;
const ADDRESS_BYTES = 20;
const NO_ADDRESS = `0x${'0'.repeat(40)}`;

/** The calls whose answers show which resolver is in charge of the name; see `inCharge`. */
export function nameItems(registry: string, name: EnsName, of: AddressOf): readonly MulticallItem[] {
  const resolverOf = (node: string): CallItem => callOf(registry, ofNode(RESOLVER, node), REGISTRY_GAS);
  // Encoded once for all levels: a request may have a hundred names.
  const extended = chained(EXTENDED, INTERFACE_GAS);
  const wrapped = chained(question(true, name, of), RESOLVE_GAS, ANSWER_BYTES);
  const level = (node: string): MulticallItem[] => {
    const resolver = resolverOf(node);
    return [resolver, extended, resolver, wrapped];
  };
  const plain = chained(question(false, name, of), ADDR_GAS, ANSWER_BYTES);
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
    input: concat([registry, resolver, question(false, name, 'ethereum')]).slice(2),
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
    if (readUint(extended) === 1n) return { resolver, wrapped: true, result: resolved };
    return plain && { resolver, wrapped: false, result: plain };
  }
  return undefined;
}

/** The calldata that a resolver is asked with. @param wrapped as in its `Charge` */
export function question(wrapped: boolean, name: EnsName, of: AddressOf): string {
  const plain =
    of === 'ethereum'
      ? ofNode(ADDR, name.node)
      : ENS.encodeFunctionData('addr(bytes32,uint256)', [name.node, of.coinType]);
  return wrapped ? ENS.encodeFunctionData('resolve', [name.wire, plain]) : plain;
}

export function readAnswer(wrapped: boolean, of: AddressOf, data: Buffer): FoundAddress {
  const answer = wrapped ? bytesIn(data) : data;
  if (answer === undefined) return null;
  if (of === 'ethereum') return wrapped && answer.length !== 32 ? null : addressIn(answer);
  const bytes = answer.length === 0 ? answer : bytesIn(answer);
  if (bytes?.length === 0) return undefined;
  return bytes?.length === ADDRESS_BYTES ? wordToAddress(BigInt(`0x${bytes.toString('hex')}`)) : null;
}

/** ABI: offset, length, content; the offset is 32, as there is one value only. */
function bytesIn(data: Buffer): Buffer | undefined {
  if (data.length < 64 || wordToBigInt(data) !== 32n) return undefined;
  const length = wordToBigInt(data, 32);
  return length > BigInt(data.length - 64) ? undefined : data.subarray(64, 64 + Number(length));
}

/** The address that a call returned; null for none, and for the zero address. */
export function readAddress(result: CallResult): string | null {
  return wordToAddress(readUint(result));
}

function addressIn(data: Buffer): string | null {
  return data.length < 32 ? null : wordToAddress(wordToBigInt(data));
}

/** The call of a function that takes a node alone, which is encoded as itself. */
function ofNode(selector: string, node: string): string {
  return selector + node.slice(2);
}

function chained(data: string, gas: number, maxBytes?: number): CallItem {
  return { ...callOf(NO_ADDRESS, data, gas, maxBytes), targetFromPrevious: true };
}
