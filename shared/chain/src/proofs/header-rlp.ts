/**
 * RLP of block headers, whose keccak is the block's hash. Each fork may have added fields
 * (https://github.com/ethereum/execution-specs, the `Header` of each fork's `blocks.py`).
 */
import { Fault } from '@hindsight/kernel/errors.ts';
import { encodeRlp, getBytes, toBeArray } from 'ethers/utils';
import { keccakHex } from '../keccak.ts';
import { dataToBytes, parseHash, quantityToBigInt } from '../rpc/hex.ts';

/** Form of a field: bytes, or a number, which RLP writes without leading zeros. */
type Form = 'bytes' | 'number';

/** Since Frontier, in order. */
const ALWAYS: readonly (readonly [name: string, form: Form])[] = [
  ['parentHash', 'bytes'],
  ['sha3Uncles', 'bytes'],
  ['miner', 'bytes'],
  ['stateRoot', 'bytes'],
  ['transactionsRoot', 'bytes'],
  ['receiptsRoot', 'bytes'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'number'],
  ['number', 'number'],
  ['gasLimit', 'number'],
  ['gasUsed', 'number'],
  ['timestamp', 'number'],
  ['extraData', 'bytes'],
  ['mixHash', 'bytes'],
  ['nonce', 'bytes'],
];

/** Added since, in order: a header that has one of them has all earlier ones. */
const ADDED: readonly (readonly [name: string, form: Form])[] = [
  // London (EIP-1559).
  ['baseFeePerGas', 'number'],
  // Shanghai (EIP-4895).
  ['withdrawalsRoot', 'bytes'],
  // Cancun (EIP-4844, EIP-4788).
  ['blobGasUsed', 'number'],
  ['excessBlobGas', 'number'],
  ['parentBeaconBlockRoot', 'bytes'],
  // Prague (EIP-7685).
  ['requestsHash', 'bytes'],
  // Amsterdam (EIP-7928, EIP-7843).
  ['blockAccessListHash', 'bytes'],
  ['slotNumber', 'number'],
];

/** The header cannot be encoded to its hash. The message is fit for the caller. */
export class UnknownHeader extends Fault {}

/**
 * Encodes the header of a block.
 * @param answer the result of `eth_getBlockByHash`; other fields are ignored
 * @returns the RLP, whose keccak is `hash`
 * @throws {UnknownHeader} where it does not hash to `hash`: the header belongs to a fork that is not known here, or to another
 *   kind of chain
 * @throws {TypeError} where a field is missing or malformed
 */
export function encodeHeader(answer: unknown, hash: string): Uint8Array {
  const fields = answer as Readonly<Record<string, unknown>>;
  const added = ADDED.slice(0, ADDED.findLastIndex(([name]) => hasField(fields, name)) + 1);
  const rlp = getBytes(
    encodeRlp([...ALWAYS, ...added].map(([name, form]) => encodeField(fields, name, form))),
  );
  if (keccakHex(rlp) === parseHash(hash)) return rlp;
  const height = quantityToBigInt(fields.number);
  throw new UnknownHeader(
    `the header of block ${height} is of a fork that is not known here: the fields up to ` +
      `${added.at(-1)?.[0] ?? 'nonce'} do not hash to ${hash}`,
  );
}

function hasField(fields: Readonly<Record<string, unknown>>, name: string): boolean {
  return fields[name] !== undefined && fields[name] !== null;
}

function encodeField(fields: Readonly<Record<string, unknown>>, name: string, form: Form): Uint8Array {
  try {
    return form === 'bytes' ? dataToBytes(fields[name]) : toBeArray(quantityToBigInt(fields[name]));
  } catch (cause) {
    throw new TypeError(`the field ${name} of a header is missing or malformed`, { cause });
  }
}
