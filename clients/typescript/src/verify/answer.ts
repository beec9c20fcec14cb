/** Reads an answer that may come from anyone: each field once, its size before its form, its form before its content. */
import { parseBytes } from './bytes.ts';
import { Refused } from './refused.ts';

/** Mainnet's headers take about 600 bytes; those of chains that keep their validators there, some thousands. */
const MAX_HEADER_BYTES = 64 * 1024;
/** A branch with 16 hashes takes 532 bytes, an account's leaf about 150. */
const MAX_NODE_BYTES = 1_024;
/** A path has 64 nibbles: at most one node for each, and a leaf. */
const MAX_NODES = 65;
/** Some nodes return more slots than were asked for; `verify` refuses more than one with a reason of its own. */
const MAX_SLOTS = 8;
/** Amounts have 256 bits. */
const LIMIT = 2n ** 256n;
const AMOUNT = /^[0-9]{1,78}$/;
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** In UTC: any other text would be read by the zone of the machine. */
const TIME = /^[0-9-]{10}T[0-9:]{8}(?:\.[0-9]{3})?Z$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;

/** A slot and its proof. */
export interface SlotProof {
  readonly key: Uint8Array;
  /** The value that the proof states. */
  readonly value: bigint;
  readonly nodes: readonly Uint8Array[];
}

/** A proof, decoded to bytes. */
export interface StorageProof {
  readonly header: Uint8Array;
  readonly account: readonly Uint8Array[];
  readonly slots: readonly SlotProof[];
  readonly claim: unknown;
  /** Not parsed: only a proof of shares has them. */
  readonly shares: unknown;
}

/** The claim of a proof of shares, from which a token computes balances. */
export const SHARES_CLAIM = 'slot-is-shares';

/** The kinds of answers that have a proof. */
export type Kind = 'native' | 'balance' | 'allowance' | 'supply';

/** The content of an answer; addresses and hashes in lower case. */
export interface Statement {
  readonly kind: Kind;
  readonly amount: bigint;
  /** The token; for ether the holder. */
  readonly account: string;
  /** The holder; for an allowance the owner and the spender; none for a supply. */
  readonly accounts: readonly string[];
  readonly blockHash: string;
  readonly blockNumber: number;
  /** Unix milliseconds. */
  readonly timeMs: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** A hash in lower case; undefined if the value is not one. */
export function parseHash(value: unknown): string | undefined {
  return typeof value === 'string' && HASH.test(value) ? value.toLowerCase() : undefined;
}

/** Reads the statement of an answer. @throws {Refused} */
export function readStatement(answer: unknown): Statement {
  const fields = fieldsOf(answer, 'the answer');
  const { kind, amount, ...about } = readAbout(fields);
  const { checked_at_block: blockNumber, checked_at_date: date, block_hash } = fields;
  const blockHash = parseHash(block_hash);
  if (blockHash === undefined) throw invalid('block_hash', 'a hash: 0x and 64 hexadecimal digits');
  if (typeof blockNumber !== 'number' || !Number.isSafeInteger(blockNumber) || blockNumber < 0)
    throw invalid('checked_at_block', 'a height: a whole number');
  const timeMs = typeof date === 'string' && TIME.test(date) ? Date.parse(date) : NaN;
  if (Number.isNaN(timeMs)) throw invalid('checked_at_date', 'a time: 2023-08-26T16:21:35.000Z');
  return { kind, amount: readAmount(amount, AMOUNT_FIELDS[kind]), ...about, blockHash, blockNumber, timeMs };
}

function readAbout(
  fields: Fields,
): Pick<Statement, 'kind' | 'account' | 'accounts'> & { readonly amount: unknown } {
  const { balance, allowance, total_supply: supply, token_id: tokenId } = fields;
  const { token_address: token, holder, owner, spender } = fields;
  const amounts = [balance, allowance, supply].filter((each) => each !== undefined);
  if (amounts.length !== 1 || tokenId !== undefined) {
    throw new Refused(
      'invalid_answer',
      'expected the answer about one balance of ether or of a token, one allowance or one supply: with exactly one of balance, allowance and total_supply',
    );
  }
  const [amount] = amounts;
  if (balance !== undefined && token === undefined) {
    const account = readAddress(holder, 'holder');
    return { kind: 'native', amount, account, accounts: [account] };
  }
  const account = readAddress(token, 'token_address');
  if (supply !== undefined) return { kind: 'supply', amount, account, accounts: [] };
  if (balance !== undefined)
    return { kind: 'balance', amount, account, accounts: [readAddress(holder, 'holder')] };
  const accounts = [readAddress(owner, 'owner'), readAddress(spender, 'spender')];
  return { kind: 'allowance', amount, account, accounts };
}

/** Reads the proof in an answer. @throws {Refused} */
export function readProof(answer: unknown): StorageProof {
  const { proof } = fieldsOf(answer, 'the answer');
  if (proof === undefined || proof === null)
    throw new Refused('no_proof', 'the answer has no proof: ask for it with proof=storage');
  const { header_rlp: header, account_proof: account, storage, claim, shares } = fieldsOf(proof, 'proof');
  return {
    header: readBytes(header, 'proof.header_rlp', MAX_HEADER_BYTES),
    account: readNodes(account, 'proof.account_proof'),
    slots: readArray(storage, 'proof.storage', MAX_SLOTS).map((slot, at) => {
      const name = `proof.storage[${at}]`;
      const { key, value, proof: nodes } = fieldsOf(slot, name);
      if (typeof value !== 'string' || !QUANTITY.test(value))
        throw invalid(`${name}.value`, '0x and 1 to 64 hexadecimal digits');
      return {
        key: readKey(key, `${name}.key`),
        value: BigInt(value),
        nodes: readNodes(nodes, `${name}.proof`),
      };
    }),
    claim,
    shares,
  };
}

/** Reads the key of a slot. @throws {Refused} */
export function readKey(value: unknown, name: string): Uint8Array {
  const hash = parseHash(value);
  const key = hash === undefined ? undefined : parseBytes(hash);
  if (key === undefined) throw invalid(name, 'a key: 0x and 64 hexadecimal digits');
  return key;
}

function readNodes(value: unknown, name: string): readonly Uint8Array[] {
  return readArray(value, name, MAX_NODES).map((node, at) =>
    readBytes(node, `${name}[${at}]`, MAX_NODE_BYTES),
  );
}

/** Copies an array, so that it cannot change while it is read. */
function readArray(value: unknown, name: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(name, 'an array');
  const { length } = value;
  if (length > most)
    throw new Refused('too_large', `${name} has ${length} entries: expected at most ${most}`);
  return Array.from({ length }, (_, at) => value[at] as unknown);
}

function readBytes(value: unknown, name: string, most: number): Uint8Array {
  if (typeof value !== 'string') throw invalid(name, 'bytes: 0x and hexadecimal digits');
  if (value.length > 2 + 2 * most)
    throw new Refused('too_large', `${name} is too long: expected at most ${most} bytes`);
  const bytes = parseBytes(value);
  if (bytes === undefined) throw invalid(name, 'bytes: 0x and an even number of hexadecimal digits');
  return bytes;
}

/** An amount as the API sends it, or as the client returns it. @throws {Refused} */
export function readAmount(value: unknown, name: string): bigint {
  if (typeof value === 'string' && AMOUNT.test(value)) return BigInt(value);
  if (typeof value === 'bigint' && value >= 0n && value < LIMIT) return value;
  throw invalid(name, 'a whole number in decimal digits, as a string');
}

const AMOUNT_FIELDS: Readonly<Record<Kind, string>> = {
  native: 'balance',
  balance: 'balance',
  allowance: 'allowance',
  supply: 'total_supply',
};

function readAddress(value: unknown, name: string): string {
  if (typeof value !== 'string' || !ADDRESS.test(value))
    throw invalid(name, 'an address: 0x and 40 hexadecimal digits');
  return value.toLowerCase();
}

function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name, 'an object');
  return value as Fields;
}

function invalid(name: string, expected: string): Refused {
  return new Refused('invalid_answer', `${name}: expected ${expected}`);
}
