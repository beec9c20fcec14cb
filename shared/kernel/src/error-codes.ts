/** Every code that an error answer can have. The documents are made from this table: `npm run build:errors`. */

export interface ErrorCase {
  readonly status: number;
  /** In full sentences, as Markdown. */
  readonly meaning: string;
  /** True if the answer counts towards the project's month. */
  readonly counted: boolean;
  /** Advice on repeating the request: at once, after `Retry-After`, or never. */
  readonly retry: 'yes' | 'after' | 'no';
  /** The gateway or a service of the API; or a page or form of the portal. */
  readonly by?: 'portal';
}

/** A service has looked at the request: it is counted, and repeating it would change nothing. */
const refused = <S extends 400 | 404 | 409 | 415 | 422>(status: S, meaning: string) =>
  ({ status, meaning, counted: true, retry: 'no' }) as const;
/** Refused before any service has seen it, or what no server of this installation can do. */
const rejected = <S extends number>(status: S, meaning: string) =>
  ({ status, meaning, counted: false, retry: 'no' }) as const;
/** A limit, or a dependency that is expected to return. */
const postponed = <S extends number>(status: S, meaning: string) =>
  ({ status, meaning, counted: false, retry: 'after' }) as const;
/** May work the next time. */
const failed = <S extends number>(status: S, meaning: string) =>
  ({ status, meaning, counted: false, retry: 'yes' }) as const;
const ofPortal = <T extends ErrorCase>(error: T) => ({ ...error, by: 'portal' }) as const;

/** By code: snake case, never renamed and never given another meaning once released. */
export const ERROR_CASES = {
  invalid_parameter: refused(
    400,
    'A parameter or a field of the body has a value that is not allowed. The message names it and says what is expected.',
  ),
  missing_parameter: refused(400, 'A required parameter or field is missing. The message names it.'),
  unknown_parameter: refused(
    400,
    'The endpoint has no such parameter. The message suggests the one that was probably meant.',
  ),
  repeated_parameter: refused(400, 'A parameter was sent more than once.'),
  conflicting_parameters: refused(
    400,
    'Two parameters that exclude each other were sent together, such as `block_height` and `date`.',
  ),
  invalid_range: refused(400, 'The range is empty, or asks for more points than one request may have.'),
  invalid_name: refused(400, 'The ENS name cannot be normalised, so no such name can exist.'),
  invalid_function: refused(
    400,
    'The signature of a function cannot be read, or one of its types is not supported.',
  ),
  invalid_arguments: refused(400, 'An argument does not have the type that the function declares.'),
  invalid_body: refused(
    400,
    'The body is empty, incomplete, or not valid JSON; or a row of it is not in the expected format.',
  ),
  wrong_token_standard: refused(
    400,
    'The token follows another standard than this endpoint needs: an ERC-1155 has no single balance, for instance. Use the endpoint that the message or the reference names.',
  ),
  page_too_large: refused(400, 'The page size is larger than the plan allows. Ask for a smaller page.'),
  too_many_parameters: rejected(400, 'The query has more than 100 parameters.'),
  repeated_key: rejected(400, '`projectId` was sent more than once.'),
  malformed_request: rejected(
    400,
    'The request is not valid HTTP/1.1, its URL is longer than 8 KiB, or its path is not valid UTF-8.',
  ),
  key_missing: rejected(
    401,
    'No API key was sent. Send it in the header `x-api-key`, or as the query parameter `projectId`.',
  ),
  key_invalid: rejected(
    401,
    'The API key is malformed, unknown, or no longer valid since it was rotated. Copy the current one from the dashboard.',
  ),
  key_expired: rejected(
    401,
    'The API key has expired: the message says when. Use another key of the project.',
  ),
  key_scope_missing: rejected(
    403,
    'The API key may not do this: the message names the scope that the endpoint needs. Add it to the key, or use another.',
  ),
  address_not_allowed: rejected(403, 'The API key may not be used from this address.'),
  origin_not_allowed: rejected(403, 'The API key may not be used from this web page.'),
  project_suspended: rejected(403, 'The project is suspended. Contact the operator.'),
  demo_read_only: rejected(403, 'The demo key may only read. Create a key of your own.'),
  foreign_origin: ofPortal(rejected(403, 'The form was not submitted from a page of this portal.')),
  unknown_route: rejected(404, 'There is no endpoint at this path.'),
  unknown_network: refused(
    404,
    'The network in the path does not exist, or this server does not serve it. The message lists those it serves.',
  ),
  unknown_name: refused(404, 'The ENS name has no address at that block.'),
  block_above_head: refused(404, 'The block does not exist yet. The message names the latest one.'),
  block_not_canonical: refused(404, 'No block of the canonical chain has this hash.'),
  no_block_at_date: refused(
    404,
    'There is no block for this date: it is in the future, or before the chain began.',
  ),
  no_contract: refused(404, 'There was no contract at this address at that block.'),
  not_a_token: refused(404, 'The contract was not a token at that block, or could not be read as one.'),
  no_balance: refused(404, 'The contract reports no balance for this holder at that block.'),
  no_allowance: refused(
    404,
    'The spender could spend nothing of the owner’s at that block: it was never approved, or the allowance was used up or revoked.',
  ),
  no_supply: refused(404, 'The token reports no total supply at that block.'),
  no_owner: refused(404, 'The token id did not exist at that block, so it had no owner.'),
  not_a_vault: refused(
    404,
    'The token is not an ERC-4626 vault, or could not value its shares at that block.',
  ),
  token_not_listed: refused(
    404,
    'The token list does not have this contract: it is not a token, or not indexed yet. The message says which.',
  ),
  unknown_order: refused(
    404,
    'No such order is known here: it was never received, is no longer kept, or is another project’s where the operator limits each to its own.',
  ),
  not_found: ofPortal(rejected(404, 'There is no such page, file or project in the portal.')),
  method_not_allowed: rejected(
    405,
    'The path exists, but not with this method. `Allow` lists the methods that it has.',
  ),
  request_timeout: failed(408, 'The request, or the rest of its body, did not arrive in time.'),
  length_required: rejected(
    411,
    'A body of many rows needs a `Content-Length`, which says what the request may cost.',
  ),
  body_too_large: rejected(413, 'The body has more bytes or rows than allowed. Split it.'),
  unsupported_media_type: refused(
    415,
    'The body has a type, charset or compression that the endpoint does not take. A compressed body of many rows is refused before it counts.',
  ),
  expectation_failed: rejected(417, 'The `Expect` header names something other than `100-continue`.'),
  name_off_chain: refused(
    422,
    'The ENS name is kept off-chain (CCIP-read), at a gateway that this server is not configured to ask.',
  ),
  no_names: refused(
    422,
    'ENS names live on Ethereum: this server has no Ethereum node, or Ethereum had no block at that time. Send an address.',
  ),
  too_many_names: refused(
    422,
    'The body has more ENS names than one request may have. Send addresses, or split it.',
  ),
  too_many_holders: refused(
    422,
    'The token has more holders than are read to find the largest ones. Ask for the list in the order of addresses.',
  ),
  call_too_costly: refused(422, 'The call used up its gas. Among fewer rows, or alone, it gets more gas.'),
  call_answer_too_long: refused(
    422,
    'The contract’s answers are longer than is read. Ask for fewer rows at once.',
  ),
  call_answer_mismatch: refused(
    422,
    'The contract’s answer does not have the types that the function declares.',
  ),
  strategy_unsupported: refused(
    422,
    'The strategy is not one of those that depend on the state at a block alone. The message names it.',
  ),
  strategy_failed: refused(
    422,
    'The contract of a strategy gives no number for an address. The message names both.',
  ),
  not_provable: refused(
    422,
    'A proof was asked for, and the amount is not the value of one slot: the contract computes it, from shares for instance, or keeps it together with others. The message says which, and whether `proof=shares` proves the shares. Without `proof` the question is answered.',
  ),
  order_wrong_chain: refused(422, 'The order is for another chain than the path names.'),
  order_wrong_reactor: refused(
    422,
    'The order names a reactor that is not one of the exchange’s on this chain.',
  ),
  order_wrong_type: refused(
    422,
    'The order’s `type` is not supported, or is not what `encodedOrder` contains.',
  ),
  order_malformed: refused(422, '`encodedOrder` is not the ABI encoding of an order.'),
  order_wrong_hash: refused(422, '`orderHash` is not the hash of `encodedOrder`.'),
  order_field_mismatch: refused(422, 'A field of the body contradicts `encodedOrder`. The message names it.'),
  order_expired: refused(422, 'The order’s deadline has passed, or lies beyond the year 9999.'),
  order_wrong_signature: refused(422, 'The signature is not the swapper’s.'),
  order_wrong_cosignature: refused(422, 'The cosignature is missing, or is not the cosigner’s.'),
  wallet_signature_rejected: ofPortal(rejected(422, 'The wallet’s signature could not be confirmed.')),
  burst_exceeded: postponed(
    429,
    'The project made more requests in this second than its plan allows. Wait for `Retry-After`, a second or two.',
  ),
  month_exceeded: postponed(
    429,
    'The month has fewer units left than this request may cost: `cost` and `left` in the body say how many. Smaller requests may still be answered.',
  ),
  key_cap_exceeded: postponed(
    429,
    'The API key has fewer units left of its own monthly cap than this request may cost: `cost` and `left` say how many. The project may have more.',
  ),
  demo_burst_exceeded: postponed(
    429,
    'The demo key allows 2 requests per second from one address. Use a key of your own.',
  ),
  demo_day_exceeded: postponed(
    429,
    'This address has used its share of the demo key for today. Use a key of your own.',
  ),
  streams_exceeded: postponed(
    429,
    'The project, its account or this address has as many snapshots, lists of holders, event streams or MCP messages under way as it may.',
  ),
  unknown_keys_exceeded: postponed(
    429,
    'Too many requests with unknown keys came from this address. Known keys keep working from there.',
  ),
  attempts_exceeded: ofPortal(postponed(429, 'Too many attempts to sign in, sign up or change something.')),
  headers_too_large: rejected(431, 'The headers are longer than 16 KiB.'),
  internal_error: failed(500, 'A fault of ours. Report the `request_id`; the logs explain it.'),
  proof_unavailable: rejected(
    501,
    'A proof was asked for, and no node of this server can prove the state of that block. `GET /v1/networks` says from where on proofs can be had: `proofs_from`.',
  ),
  not_indexed: refused(
    409,
    'The holders of this token are not indexed, or not from so early a block on. The operator of the server decides which tokens are: `INDEX_TOKENS`.',
  ),
  name_moved: refused(
    409,
    'The ENS name meant another address earlier in the range. Send the address that you mean: the message names both. Or ask with `resolve=each`, where the endpoint has it.',
  ),
  state_unavailable: failed(
    502,
    'The Ethereum node has no state for this block: an archive node is needed. Another number is never answered instead.',
  ),
  block_unavailable: failed(
    502,
    'The Ethereum node does not have this block: it has not arrived there yet, or is earlier than the first one that the node has.',
  ),
  node_failed: failed(502, 'The Ethereum node answered with something that cannot be used.'),
  name_gateway_failed: failed(502, 'The off-chain gateway of the ENS name gave no usable answer.'),
  node_unavailable: postponed(503, 'No Ethereum node can be reached.'),
  index_behind: postponed(
    503,
    'The index of holders does not have this block yet, and the nodes did not say in time what is missing.',
  ),
  store_unavailable: postponed(503, 'A database is unavailable. Nothing was lost or counted.'),
  service_unavailable: postponed(503, 'The service behind the gateway cannot be reached.'),
  overloaded: postponed(503, 'Too many requests are waiting.'),
  node_timeout: failed(504, 'The Ethereum node did not answer in time.'),
  name_gateway_timeout: failed(504, 'The off-chain gateway of the ENS name did not answer in time.'),
  deadline_exceeded: failed(
    504,
    'The answer took longer than a request may take. Ask for less at once, or repeat it.',
  ),
} as const satisfies Record<string, ErrorCase>;

export type ErrorCode = keyof typeof ERROR_CASES;

export type CodeOf<S extends number> = {
  [Code in ErrorCode]: (typeof ERROR_CASES)[Code]['status'] extends S ? Code : never;
}[ErrorCode];

export const ERROR_CODES = Object.keys(ERROR_CASES) as [ErrorCode, ...ErrorCode[]];
