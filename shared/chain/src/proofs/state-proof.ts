/** Proofs of state at a block: the header, which anyone can check by its hash, and the trie nodes from its state root to an account and its slots. */
import { nextTurn } from '@hindsight/kernel/turns.ts';
import { decodeRlp, getBytes, hexlify } from 'ethers/utils';
import { dataToBytes, parseHash, quantityToBigInt } from '../rpc/hex.ts';
import { resultOf, type EthereumNode, type RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { pinOf, type Block } from '../state/block.ts';
import { encodeHeader, UnknownHeader } from './header-rlp.ts';
import { EMPTY_ROOT, provenValue } from './trie-proof.ts';

/** A slot of an account, with the trie nodes from the storage root. */
export interface SlotProof {
  /** 0x and 64 hex digits. */
  readonly key: string;
  readonly value: bigint;
  /** RLP as hex. */
  readonly proof: readonly string[];
}

export interface AccountProof {
  /** The trie nodes from the state root, RLP as hex. */
  readonly account: readonly string[];
  /** Wei. */
  readonly balance: bigint;
  /** The hash of its code: 0x and 64 lower-cased hex digits. */
  readonly codeHash: string;
  /** In the order of the slots that were asked for. */
  readonly storage: readonly SlotProof[];
}

/** The state of accounts at a block, checked against the block's hash. */
export interface StateProof {
  /** The RLP of the header as hex, whose keccak is the block's hash. */
  readonly header: string;
  /** In the order in which they were asked for. */
  readonly accounts: readonly AccountProof[];
}

export interface Proved {
  /** 0x and 40 hex digits. */
  readonly address: string;
  /** Each 0x and 64 hex digits. */
  readonly slots: readonly string[];
}

/** Slots that are checked in one turn: some milliseconds. */
const SLOTS_PER_TURN = 16;
const NO_ACCOUNT = {
  balance: 0n,
  storageRoot: EMPTY_ROOT,
  codeHash: '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
};

/**
 * Reads proofs of accounts and their slots at a block, in one request, and checks them.
 * @throws {NodeError} `missing-state` or `refused` where no node can prove the state of that block; `malformed` where a node's
 *   proof does not verify
 * @throws {UnknownHeader} where the header has the fields of a fork that is not known here
 */
export async function readProofs(
  node: EthereumNode,
  block: Block,
  proved: readonly Proved[],
  signal?: AbortSignal,
): Promise<StateProof> {
  const { hash, number: height } = block;
  const pin = pinOf(block);
  const outcomes = await node.send(
    [
      { method: 'eth_getBlockByHash', params: [hash, false] },
      ...proved.map(({ address, slots }) => ({
        method: 'eth_getProof',
        params: [address, slots, pin],
        height,
      })),
    ],
    // All name the block by its hash, so they may come from different nodes.
    { signal, independent: true },
  );
  const [header, ...proofs] = outcomes as [RpcOutcome, ...RpcOutcome[]];
  const [answers, fields] = [proofs.map(resultOf), resultOf(header)];
  if (fields === null) throw new NodeError('unknown-block', `${node.label} does not know the block ${hash}`);
  try {
    const { stateRoot } = fields as Readonly<Record<string, unknown>>;
    const header = hexlify(encodeHeader(fields, hash));
    const accounts: AccountProof[] = [];
    for (const [i, each] of proved.entries())
      accounts.push(await check(parseHash(stateRoot), answers[i], each));
    return { header, accounts };
  } catch (cause) {
    if (cause instanceof UnknownHeader) throw cause;
    throw new NodeError('malformed', `${node.label} returned a proof that proves nothing`, { cause });
  }
}

async function check(stateRoot: string, answer: unknown, { address, slots }: Proved): Promise<AccountProof> {
  const { accountProof, storageProof } = answer as Readonly<Record<string, unknown>>;
  const account = provenValue(stateRoot, getBytes(address), readNodes(accountProof));
  const { balance, storageRoot, codeHash } = readAccount(account.value);
  const proofs = storageProof as readonly Readonly<Record<string, unknown>>[];
  const storage: SlotProof[] = [];
  for (const [i, key] of slots.entries()) {
    const { value, proof } = provenValue(storageRoot, getBytes(key), readNodes(proofs[i]?.proof));
    storage.push({ key, value: value === undefined ? 0n : numberOf(decodeRlp(value)), proof });
    if (storage.length % SLOTS_PER_TURN === 0) await nextTurn();
  }
  return { account: account.proof, balance, codeHash, storage };
}

/** Reads an account, which is RLP of nonce, balance, storage root and code hash. */
function readAccount(value: string | undefined): typeof NO_ACCOUNT {
  if (value === undefined) return NO_ACCOUNT;
  const [, balance, storageRoot, codeHash] = decodeRlp(value) as readonly unknown[];
  return {
    balance: numberOf(balance),
    storageRoot: parseHash(storageRoot),
    codeHash: parseHash(codeHash),
  };
}

/** Reads a number from RLP, where zero is no bytes. */
function numberOf(bytes: unknown): bigint {
  return bytes === '0x' ? 0n : quantityToBigInt(bytes);
}

function readNodes(nodes: unknown): readonly string[] {
  if (!Array.isArray(nodes)) throw new TypeError('expected the nodes of a proof');
  return nodes.map((node) => hexlify(dataToBytes(node)));
}
