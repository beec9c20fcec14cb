/**
 * For made-up nodes: the questions in an `eth_call` that runs a program, and the answer in the form of
 * today's nodes.
 */
import { HEAD_BYTES, MARKER, type Program } from '../../src/rpc/program.ts';
import { NAME_PROGRAM } from '../../src/ens/name-program.ts';
import { MULTICALL } from '../../src/state/multicall/program.ts';

/** One question of a multicall; every digit is hex. */
export interface AskedItem {
  /** 0 asks for an account. */
  readonly gas: number;
  readonly mostBytes: number;
  /** 0x and 40 digits. */
  readonly target: string;
  /** Without 0x. */
  readonly data: string;
}

/** A program that is to be run. */
export interface AskedProgram {
  readonly name: 'multicall' | 'name';
  /** Of the multicall. */
  readonly items: readonly AskedItem[];
  /** The result or error for an answer, by the carrier of the question. */
  answer(block: AskedBlock, body: string): object;
}

interface AskedBlock {
  readonly number: number;
  readonly timestamp: number;
  /** 0x and 64 digits. */
  readonly parentHash: string;
}

const GAS = 50_000_000;
const PRICE_DIGITS = 4;

/** The program in an `eth_call`'s parameters; undefined where it has none, or an override, which these nodes do not take. */
export function readProgramCall(params: readonly unknown[]): AskedProgram | undefined {
  const { data } = params[0] as { data?: string };
  if (data === undefined || params[2] !== undefined) return undefined;
  for (const [name, program] of [
    ['multicall', MULTICALL],
    ['name', NAME_PROGRAM],
  ] as const) {
    const input = inputOf(program, data);
    if (input === undefined) continue;
    const reverts = program.revert !== undefined && data.startsWith(program.revert);
    const items = name === 'multicall' ? readItems(input) : [];
    return {
      name,
      items,
      answer: (block, body) => toAnswer(reverts, headOf(block, HEAD_BYTES + body.length / 2) + body),
    };
  }
  return undefined;
}

/** Such a node's answer to carriers that it does not take. */
export const NOT_TAKEN = { error: { code: -32_602, message: 'too many arguments, want at most 2' } };

function inputOf({ return: returning, revert }: Program, data: string): string | undefined {
  const code = [returning, revert].find((one) => one !== undefined && data.startsWith(one));
  return code === undefined ? undefined : data.slice(code.length + PRICE_DIGITS);
}

function readItems(input: string): AskedItem[] {
  const items: AskedItem[] = [];
  for (let rest = input; rest !== '';) {
    const flags = Number(`0x${rest.slice(0, 2)}`);
    const account = rest.slice(2, 42);
    const before = items.at(-1);
    if ((flags & 0x10) !== 0 && before) {
      const data = before.gas === 0 ? '' : before.data.slice(0, -40) + account;
      items.push({ ...before, target: before.gas === 0 ? `0x${account}` : before.target, data });
      rest = rest.slice(42);
      continue;
    }
    const length = 2 * Number(`0x${rest.slice(54, 58)}`);
    const gas = Number(`0x${rest.slice(42, 50)}`);
    const mostBytes = Number(`0x${rest.slice(50, 54)}`);
    items.push({ gas, mostBytes, target: `0x${account}`, data: rest.slice(58, 58 + length) });
    rest = rest.slice(58 + length);
  }
  return items;
}

function headOf({ number, timestamp, parentHash }: AskedBlock, bytes: number): string {
  const lengthAndGas = digits(bytes).slice(8) + digits(GAS).slice(8);
  return MARKER + lengthAndGas + digits(number) + digits(timestamp) + parentHash.slice(2);
}

function toAnswer(reverts: boolean, answer: string): object {
  if (!reverts) return { result: `0x${answer}` };
  return { error: { code: 3, message: 'execution reverted', data: `0x${answer}` } };
}

function digits(value: number): string {
  return value.toString(16).padStart(16, '0');
}
