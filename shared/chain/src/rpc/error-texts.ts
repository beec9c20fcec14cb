/**
 * Error texts of Ethereum clients and providers, sorted into few kinds. JSON-RPC has no common codes for any
 * of this (geth answers -32000 to nearly everything), so the text decides; each pattern names its sources.
 */
import type { NodeErrorKind } from './node-error-kind.ts';

/**
 * The EVM ran the call and it failed: about the contract. First of all, since a contract chooses its revert reason
 * ("execution reverted: missing trie node" is still a revert). geth, erigon, Besu, Reth, anvil: "execution reverted",
 * code 3 where there is a reason; Nethermind: -32015 "VM execution error."; Ganache and Hardhat: "VM Exception while
 * processing transaction"; Parity: "Reverted", "Bad instruction".
 */
const REVERTED =
  /^(?:err: )?execution reverted|^reverted\b|vm execution error|vm exception while|always failing transaction/i;

/**
 * The call has more bytes than the rules or the gas allow, by the rules of a fork too: a property of the
 * question, which may be split. geth ("max initcode size exceeded: code size … limit …", "contract creation
 * code storage out of gas", "insufficient gas for floor data gas cost", "transaction gas limit too high (cap:
 * 16777216, …)"), Besu ("Initcode size of … exceeds maximum size"), revm ("CreateInitCodeSizeLimit",
 * "CreateContractSizeLimit", "transaction gas limit … is greater than the cap", "gas floor … exceeds the gas
 * limit").
 */
const BEYOND_RULES =
  /\b(?:max )?(?:init ?code|code|contract) ?size ?(?:limit|exceeded|of \d+ exceeds)|create(?:initcode|contract)sizelimit|code (?:storage|store) out of gas|floor data gas|gas floor|gas limit.{0,60}(?:too (?:high|large)|\bcap\b)/i;

/** The EVM's other failures: in geth's and erigon's words, then in those of revm (Reth, anvil). */
const EXECUTION_FAILED =
  /\bout ?of ?gas\b|invalid ?(?:fe ?)?opcode|opcodenotfound|invalid ?jump|bad (?:jump destination|instruction)|stack ?(?:limit|under|over)|gas uint64 overflow|write protection|return data out of bounds|evm error/i;

/** The node aborted the call: geth and erigon "execution aborted (timeout = 5s)", providers' gateways the others. */
const NODE_TIMEOUT =
  /execution aborted|execution (?:timed? ?out|timeout)|request (?:timed out|timeout)|(?:upstream|gateway|query|operation) (?:timed out|timeout)|timed out|deadline exceeded|request was cancell?ed/i;

/**
 * The node has not reached the last block of an `eth_getLogs`, which it says in words of ranges: geth ("invalid block range
 * params" in 1.16, also Erigon's; "block range extends beyond current head block" since, also Reth's, ethrex's,
 * publicnode's), Nethermind ("requested block range is in the future"), Avalanche ("after last accepted block"), anvil
 * ("block height is 7 but requested was 9"). execution-apis#875 made the error a rule: a smaller range would do no better.
 */
const BEYOND_HEAD =
  /invalid block range params|range extends beyond|beyond (?:the )?(?:head|latest|current)|range is in the future|after last accepted block|block height is \d+ but requested was/i;

/**
 * The range of an `eth_getLogs`, or its contents, are too large for one answer: Alchemy ("Log response size
 * exceeded … up to a 10 block range"), Infura ("query returned more than 10000 results", "range 1000000
 * exceeds limit of 10000"), QuickNode, 1RPC, BlockPI ("limited to a 10,000 range"), Ankr ("block range is too
 * wide", "blocks distance"), Reth ("query exceeds max block range", "max results"), Besu ("Requested range
 * exceeds"), Nethermind ("Too many logs"), geth, bor ("block range greater than"), nitro ("logs matched by
 * query exceeds"), Avalanche ("too many blocks"), publicnode ("exceed maximum block range"), Cloudflare
 * ("range too large"), dRPC ("ranges over 10000 blocks"), Chainstack ("Block range limit exceeded"), Blast
 * ("exceeds the range allowed"), Coinbase ("limit the query to"), thirdweb ("number of requested blocks"),
 * Harmony ("query must be smaller"), Optimism ("backend response too large").
 */
const RANGE_TOO_LARGE =
  /blocks? (?:range|distance)|(?:query|max(?:imum)?|limited to a [\d,]+) range|range (?:limit|(?:is )?too |(?:\d+ )?exceeds|allowed)|ranges over|response size|response (?:is )?too (?:large|big)|more than [\d,]+ (?:results|logs)|max(?:imum)? (?:results|logs)|logs matched by query exceed|too many (?:logs|results|blocks)|limit the query to|query must be smaller|number of requested blocks/i;

/**
 * The question itself is too large, and this is no rate limit, though Infura and others send -32005 with it.
 */
const BATCH_TOO_LARGE = /batch (?:size|limit|too large|of more than)/i;

/**
 * Come back later. Alchemy ("compute units per second capacity", "Monthly capacity limit"), Infura ("daily request
 * count exceeded", "project ID request rate exceeded", 402 "Payment Required"), QuickNode ("50/second request limit
 * reached"), Chainstack ("exceeded the RPS limit"), Ankr and others ("Too many requests", "under too much load").
 */
const BUSY =
  /rate[ -]?limit|too many requests|requests? limit|rate exceeded|compute units|capacity (?:limit|exceeded)|has exceeded|exceeded the (?:quota|rps|rate|limit)|reached the (?:quota|free tier|limit)|requests limited to|daily request count|credit limit|usage limit|payment required|limit exceeded|throttl|try again (?:later|in)|too much load|over(?:loaded|\s?capacity)|server (?:is )?busy|temporarily unavailable|unable to complete request at this time|no (?:available|healthy) (?:upstream|backend)|no backend is|quota/i;

/**
 * The state or body of the block is gone, or has never been there. geth ("missing trie node", "historical state … is
 * not available", a bare "not supported" since 1.16 with the hash scheme, "required historical state unavailable", "state histories haven't been fully indexed", 4444 "pruned
 * history unavailable"), erigon ("old data not available due to pruning", "data before txNum=… is not available"),
 * Nethermind ("No state available for block", "MissingTrieNodeException", "StateUnavailableException"), Besu ("World
 * state unavailable"), Reth ("State at block #… is pruned", "exceeds maximum proof window"), OpenEthereum ("running
 * with state pruning"), publicnode ("Archive requests require a personal token"), Chainstack, QuickNode, Ankr
 * ("archive", "upgrade your plan").
 */
const MISSING_STATE =
  /^not supported\s*$|missing ?trie ?node|historical (?:state|data|backend|rpc)|(?:world )?state\b.{0,80}(?:not|un) ?(?:available|found)|stateunavailable|no state (?:available|data|found|for block)|state already discarded|state histories|\bprun(?:ed|ing)\b|old data not available|data before .{0,40}not available|archiv(?:e|al)|proof window|(?:block|height).{0,40} too old|earliest available|lowest height|metadata is not found|body not found|history is available from/i;

/**
 * The node does not know the block, or no longer counts it as canonical. geth, erigon ("header not found", "header for
 * hash not found", "hash is not currently canonical", "block not found"), Besu ("Block not found", "Unknown block"),
 * Nethermind ("… could not be found"), Reth ("block not found: hash …"), ethrex ("Could not get header"), anvil
 * ("BlockOutOfRangeError", EIP-1474's "Resource not found" for a hash), erigon ("block … does not exist").
 */
const UNKNOWN_BLOCK =
  /header(?: for (?:hash|number))?(?: \S+)? not found|no header (?:found )?for block|block\b.{0,90}(?:not found|could not be found|does not exist|doesn't exist|is unknown)|unknown block|^resource not found|(?:cannot|could not) (?:find|get) (?:the )?(?:block|header)|not (?:currently )?canonical|block ?out ?of ?range/i;

/** Codes that mean the same from every sender; only consulted if the text is not recognised. */
const KIND_OF_CODE: Readonly<Record<number, NodeErrorKind>> = {
  // EIP-1474 "limit exceeded"; the two others as Alchemy, Infura and QuickNode put HTTP's status or their own into it.
  [-32_005]: 'busy',
  [-32_007]: 'busy',
  [-32_029]: 'busy',
  402: 'busy',
  429: 'busy',
  // EIP-1474 "resource unavailable": Nethermind's "no state".
  [-32_002]: 'missing-state',
  // EIP-4444 "pruned history unavailable".
  4444: 'missing-state',
};

/** In this order: an error caused by a contract or a question must not be mistaken for a fault of the node. */
const KIND_OF_TEXT: readonly (readonly [RegExp, NodeErrorKind])[] = [
  [REVERTED, 'reverted'],
  [BEYOND_RULES, 'refused'],
  [BEYOND_HEAD, 'unknown-block'],
  [RANGE_TOO_LARGE, 'refused'],
  [BATCH_TOO_LARGE, 'refused'],
  [NODE_TIMEOUT, 'timeout'],
  [MISSING_STATE, 'missing-state'],
  [UNKNOWN_BLOCK, 'unknown-block'],
  [BUSY, 'busy'],
  [EXECUTION_FAILED, 'reverted'],
];

/** Codes of a revert, whatever the text: geth's and Nethermind's. */
const REVERT_CODES = new Set([3, -32_015]);

/** True if an error's text says by itself what it means. */
export function isKnownText(text: string): boolean {
  return KIND_OF_TEXT.some(([pattern]) => pattern.test(text));
}

/** True if an error's text means that the node has not reached the requested last block. */
export function isBeyondHead(text: string): boolean {
  return BEYOND_HEAD.test(text);
}

/** True if an error's text means that the range of an `eth_getLogs` was too large. */
export function isRangeTooLarge(text: string): boolean {
  return !BEYOND_HEAD.test(text) && RANGE_TOO_LARGE.test(text);
}

/**
 * The kind of a node's error.
 * @param text the error's message, and its data where that is text
 */
export function kindOfRpcError(code: number, text: string): NodeErrorKind {
  if (REVERT_CODES.has(code)) return 'reverted';
  const known = KIND_OF_TEXT.find(([pattern]) => pattern.test(text));
  return known?.[1] ?? KIND_OF_CODE[code] ?? 'refused';
}
