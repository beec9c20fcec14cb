/** What can go wrong between us and an Ethereum node, in the few kinds that call for different answers. */

/**
 * - `unreachable`: no connection, or it broke off
 * - `timeout`: no whole answer in time
 * - `busy`: the node asks to come back later (429, 503, a provider's rate limit)
 * - `malformed`: the answer is no JSON-RPC, does not fit the question, or is too large
 * - `missing-state`: the node has pruned the state (or body) of that block, or has never had it
 * - `unknown-block`: the node does not know that block (yet, or any more)
 * - `reverted`: the call ran and reverted: an answer about the contract, not a fault of the node
 * - `refused`: any other error that the node answered
 */
export type NodeErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'busy'
  | 'malformed'
  | 'missing-state'
  | 'unknown-block'
  | 'reverted'
  | 'refused';

interface NodeErrorDetails {
  readonly cause?: unknown;
  /** The node's wish, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The JSON-RPC error code. */
  readonly code?: number;
  /** What a reverted call returned. */
  readonly data?: string;
}

/** A fault met at a node. The message is for operators: it may quote the node, never its URL. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly kind: NodeErrorKind;
  readonly details: NodeErrorDetails;

  constructor(kind: NodeErrorKind, message: string, details: NodeErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.details = details;
  }
}

/**
 * Texts by which clients and providers say that the state or body of a block is gone: geth ("missing trie node",
 * "historical state … is not available", "state … is pruned"), erigon ("pruned", "old data not available"), Nethermind
 * ("No state available", -32002), Besu ("World state unavailable"), Reth ("state at block is pruned"), anvil
 * (BlockOutOfRangeError), Alchemy, Infura, QuickNode and others ("archive", "upgrade your plan").
 */
const MISSING_STATE =
  /missing trie node|historical state|state .*(?:not|un)\s?available|world state unavailable|no state available|\bpruned\b|old data not available|blockoutofrange|out ?of ?range|requires? (?:an )?archive|archive (?:node|data|request|access)|proof window|distance to target block exceeds|state histories haven't been fully indexed/i;

const UNKNOWN_BLOCK =
  /header (?:for hash )?not found|block (?:#?\w+ )?(?:is )?not found|unknown block|block (?:number|hash) (?:does not|doesn't) exist|cannot find (?:block|header)|hash is not currently canonical|not canonical|header for hash not found/i;

const RATE_LIMITED =
  /rate limit|too many requests|request limit|compute units|capacity exceeded|daily request count|throttl|try again (?:later|in)|server (?:is )?(?:busy|overloaded)/i;

/** Codes that mean "slow down": EIP-1474's -32005, and 429 as some providers put it into the body. */
const RATE_CODES = new Set([-32_005, 429, -32_029]);

interface RpcErrorObject {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: unknown;
}

/** Sorts the error object of a JSON-RPC answer into a kind. `label` names the node without its URL. */
export function fromRpcError(label: string, error: RpcErrorObject): NodeError {
  const code = typeof error.code === 'number' ? error.code : 0;
  const text = typeof error.message === 'string' ? error.message.slice(0, 500) : 'an error without a message';
  const data = typeof error.data === 'string' ? error.data : undefined;
  const details = { code, ...(data === undefined ? {} : { data }) };
  return new NodeError(
    classify(code, `${text} ${data ?? ''}`),
    `${label} answered ${code}: ${text}`,
    details,
  );
}

function classify(code: number, text: string): NodeErrorKind {
  if (code === 3 || /execution reverted|vm execution error|always failing transaction|revert\b/i.test(text))
    return 'reverted';
  if (RATE_CODES.has(code) || RATE_LIMITED.test(text)) return 'busy';
  if (MISSING_STATE.test(text)) return 'missing-state';
  if (UNKNOWN_BLOCK.test(text)) return 'unknown-block';
  // Nethermind's "resource unavailable" without words that say more.
  if (code === -32_002) return 'missing-state';
  return 'refused';
}
