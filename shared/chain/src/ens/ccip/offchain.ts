/**
 * CCIP-read (EIP-3668): a resolver that keeps its names off-chain reverts with a referral to gateways, and verifies
 * their answer in a callback.
 */
import { Fault } from '@hindsight/kernel/errors.ts';
import { AbiCoder, ParamType } from 'ethers/abi';
import { concat } from 'ethers/utils';
import { decodeValues } from '../../abi/decode.ts';
import { TypeReader } from '../../abi/types.ts';
import type { Block } from '../../state/block.ts';
import { callOf, type CallResult, type CallItem } from '../../state/multicall/multicall.ts';
import type { ChainReader } from '../../state/reader.ts';

/** The name is kept off-chain, by gateways that are not permitted. */
export class OffchainName extends Fault {}

/** A name that is kept off-chain could not be resolved. The message is for operators: it quotes contracts. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly kind: 'timeout' | 'failed';

  constructor(kind: 'timeout' | 'failed', message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

export interface Referral {
  /** The contract that refers, 0x and 40 lower-case hex digits. */
  readonly sender: string;
  /** URL templates. */
  readonly urls: readonly string[];
  /** The data to send to the gateways. */
  readonly callData: string;
  readonly callback: string;
  readonly extraData: string;
}

/** Asks the gateways of a referral, over connections that it holds. */
export interface CcipGateways {
  /**
   * The answer of the first gateway that gives one: 0x and hex.
   * @throws {OffchainName} when none of them is permitted
   * @throws {GatewayError} when none gives a usable answer
   */
  ask(referral: Referral, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

const REFERRAL = Buffer.from('556f1830', 'hex');
const SHAPE = new TypeReader().params(
  ['address', 'string[]', 'bytes', 'bytes4', 'bytes'].map((type) => ParamType.from(type)),
);
const ABI = AbiCoder.defaultAbiCoder();
/** Each may take a gateway's time. */
const MAX_URLS = 16;
/** A resolver may refer again from its callback. */
const MAX_REFERRALS = 4;
/** For all gateways together. */
const TIME_LIMIT_MS = 5_000;
/** As much as a multicall returns of one call. */
const MAX_BYTES = 16_383;
/** A question in a separate call gets more gas than one in a shared call, and less than nodes allow. */
const GAS_ALONE = 25_000_000;
/** A multicall's init code may have 49,152 bytes (EIP-3860). */
const MAX_CALLBACK_BYTES = 48_000;

interface Referred {
  /** The complete referral. */
  readonly result: CallResult;
  readonly block: Block;
  /** Abandons the question. */
  readonly signal: AbortSignal | undefined;
}

export function isReferral(result: CallResult): boolean {
  return result.status === 'failed' && result.data.subarray(0, 4).equals(REFERRAL);
}

/** A question to one contract that shares its call with no other. */
export function askAlone(target: string, data: string): CallItem {
  return { ...callOf(target, data, GAS_ALONE, MAX_BYTES), orLess: true };
}

/**
 * Follows a referral until the contract answers, and returns that answer: the result that the first call
 * would have had. Every check of the contract runs at the block of the question.
 * @param contract that referred
 * @throws {OffchainName} {@link CcipGateways.ask} @throws {GatewayError} @throws {NodeError}
 */
export async function followReferral(
  reader: ChainReader,
  gateways: CcipGateways,
  contract: string,
  { result, block, signal: given }: Referred,
): Promise<Buffer> {
  const timeout = AbortSignal.timeout(TIME_LIMIT_MS);
  const signal = given ? AbortSignal.any([given, timeout]) : timeout;
  let answer = result;
  for (let count = 0; isReferral(answer); count++) {
    if (count === MAX_REFERRALS) throw failed(`${contract} refers more than ${MAX_REFERRALS} times`);
    const referral = readReferral(contract, answer);
    const data = callbackData(referral, await gateways.ask(referral, signal));
    const reading = await reader.read(block, [askAlone(contract, data)], given);
    answer = reading.results[0] as CallResult;
  }
  if (answer.status !== 'ok') throw failed(`${contract} rejected what its gateway said`);
  return answer.data;
}

/** Reads a referral. @throws {GatewayError} for one that may not be followed */
export function readReferral(contract: string, { data, size }: CallResult): Referral {
  if (size > data.length) throw failed(`${contract} refers with more than ${MAX_BYTES} bytes`);
  const referral = decodeReferral(contract, data.subarray(REFERRAL.length));
  if (referral.urls.length > MAX_URLS) throw failed(`${contract} refers to more than ${MAX_URLS} gateways`);
  // Otherwise a contract could use the gateway of another one.
  if (referral.sender !== contract.toLowerCase()) throw failed(`${contract} refers as ${referral.sender}`);
  return referral;
}

function decodeReferral(contract: string, body: Buffer): Referral {
  try {
    const [sender, urls, callData, callback, extraData] = decodeValues(SHAPE, body) as [
      string,
      string[],
      string,
      string,
      string,
    ];
    return { sender: sender.toLowerCase(), urls, callData, callback, extraData };
  } catch (cause) {
    throw new GatewayError('failed', `${contract} refers in a form that cannot be read`, cause);
  }
}

function callbackData(referral: Referral, answer: string): string {
  const data = concat([referral.callback, ABI.encode(['bytes', 'bytes'], [answer, referral.extraData])]);
  if (data.length / 2 > MAX_CALLBACK_BYTES) throw failed(`the gateway of ${referral.sender} said too much`);
  return data;
}

function failed(message: string): GatewayError {
  return new GatewayError('failed', message);
}
