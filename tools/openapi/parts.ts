/** Shared by all routes: keys, headers, and the gateway's refusals. */
import { ERROR_CASES, ERROR_CODES, type ErrorCode } from '@hindsight/kernel/error-codes.ts';
import type { ErrorStatus } from '@hindsight/kernel/errors.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The first words of the document. */
export const INFO = {
  title: 'Hindsight',
  version: 'v1',
  summary: 'What did a wallet hold, what could a spender spend, at any block or date? Exact to the unit.',
  description: `Balances, allowances and tokens of Ethereum at any block of its past, and a webhook for signed orders.

## Authentication

Every request carries the API key (the Project ID) of a project: in the header \`x-api-key\`, or, where a header cannot be
sent, in the query parameter \`projectId\`. The header wins.

## Amounts

Amounts are decimal whole numbers written as strings, in the token's smallest unit: they can exceed what a JSON number
holds.

## Blocks and dates

Every answer about the chain names its block by number, time and hash. Name a block by \`block_height\`, \`date\` or
\`block_hash\`; without one of them the latest is used. An unknown or repeated parameter is an error: a typo never
silently means "latest".

## Rate limits

Each plan limits requests per second and per month. Every answer to a valid key carries \`RateLimit-Policy\` and
\`RateLimit\` for both. Over a limit the answer is a 429 with \`Retry-After\`; its \`code\` says which limit.

## Units

The limit of the month is counted in units. A single answer costs one unit; many rows, points or a search cost more, as
their endpoints say. Every answer to a valid key has \`x-units\`: what it cost, 0 where it is not counted. The most that a
request may cost must be left when it comes, by its parameters and the length of its body. Otherwise the 429 names that
(\`cost\`) and what is left (\`left\`); smaller requests are still answered.

Every request that a service answers counts, even with 400 or 404. Not counted: 304, 401, 403, 429, 5xx, and
\`GET /v1/usage\` itself.

## Errors

Errors have one body: \`message\`, \`error\`, \`statusCode\`, \`code\`, \`request_id\` and \`docs\`. \`code\` is stable and
[documented](/docs/errors). An unknown path is a 404; a method that a path does not have is a 405 with \`Allow\`. HEAD
works as GET.

## Request ids

Every answer has an \`x-request-id\`, which names the request in the operator's logs. A valid one that you send is echoed.

## Certainty of an answer

The reference has it for each endpoint (\`x-certainty\`). *Exact from state*: what contracts and accounts said at that block,
whole and for good. *Named by logs*: events say what there is, and only what they name is read; what made no event is
missing. *Bounded search*: searched within bounds; where one was reached, the answer says so (\`complete\`).

## Caching

Answers about finalized blocks never change. They carry a strong \`ETag\`, and you may keep them for good. Send the tag
in \`If-None-Match\` to get a 304, which is not counted.`,
  license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
};

/** Groups of routes. */
export const TAGS = [
  { name: 'Balances', description: 'Balances of wallets' },
  { name: 'Allowances', description: 'What spenders were allowed to spend' },
  { name: 'NFTs', description: 'Tokens with an id: their owners and balances' },
  { name: 'Calls', description: 'Any view of any contract' },
  { name: 'Blocks', description: 'Which block a height, a date or a hash means' },
  { name: 'Networks', description: 'Which networks are served, and questions over all of them' },
  { name: 'Tokens', description: 'Token contracts of the chain' },
  { name: 'Votes', description: 'Scores of voters at a block' },
  { name: 'Orders', description: 'Signed orders of decentralized exchanges' },
  { name: 'Usage', description: 'Usage of this month, and its limit' },
];

/** Either way of sending a key. */
export const SECURITY_SCHEMES = {
  projectKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The Project ID. Recommended: a header is not kept in logs and histories as a URL is.',
  },
  projectKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'projectId',
    description: 'The Project ID, for where no header can be sent.',
  },
};

const header = (description: string, example: string): Json => ({
  description,
  schema: { type: 'string' },
  example,
});

/** The request id of every example. */
export const EXAMPLE_ID = 'a6cf5ae2-7f3c-4a53-8f6e-2b6c5d0b7c11';

export const HEADERS = {
  'x-request-id': header('Names this request in our logs', EXAMPLE_ID),
  RateLimit: header(
    'What is left of each limit (r) and seconds until it is whole again (t), as the IETF draft has it',
    '"burst";r=4;t=1, "month";r=99987;t=777600',
  ),
  'X-Units': header('What the answer cost of the month’s limit; 0 where it is not counted', '1'),
  'RateLimit-Policy': header(
    'The limits: requests (q) in a window of seconds (w)',
    '"burst";q=5;w=1, "month";q=100000;w=2592000',
  ),
  ETag: header('The strong validator of the answer, for If-None-Match', '"q1pXk2Jv4uYfT0mZr8sWcB3nDgH"'),
  'Cache-Control': header(
    'For good where the answer is about a finalized block; otherwise ask first',
    'private, max-age=31536000, immutable',
  ),
  'Retry-After': header('Seconds after which it makes sense to try again', '2'),
  'WWW-Authenticate': header('The scheme that is asked for', 'ApiKey'),
};

/** The names of headers that stand under `components`. */
export type HeaderName = keyof typeof HEADERS;

/** On every answer to a valid key. */
export const LIMIT_HEADERS: readonly HeaderName[] = [
  'x-request-id',
  'RateLimit',
  'RateLimit-Policy',
  'X-Units',
];

/** Refusals on every route, by the gateway or any server in between. */
export const COMMON_ERRORS: Readonly<Partial<Record<ErrorStatus, string>>> = {
  401: 'The key is missing, malformed or unknown: the same words for all of them; or it has expired, which is said',
  403: 'The project is suspended, or the key may not do this: a missing scope, another address or origin',
  429: 'The plan’s limit of the month or of the second is exceeded; the message says which one, and until when',
  500: 'Something went wrong on our side; the request id names the case in our logs',
  502: 'The source answered with something that cannot be used',
  503: 'A dependency is unavailable or overloaded',
  504: 'The answer did not come in time',
};

/** Their codes. */
export const COMMON_CODES: readonly ErrorCode[] = [
  'too_many_parameters',
  'repeated_key',
  'malformed_request',
  'key_missing',
  'key_invalid',
  'key_expired',
  'key_scope_missing',
  'address_not_allowed',
  'origin_not_allowed',
  'project_suspended',
  'burst_exceeded',
  'month_exceeded',
  'key_cap_exceeded',
  'demo_burst_exceeded',
  'demo_day_exceeded',
  'unknown_keys_exceeded',
  'internal_error',
  'service_unavailable',
  'store_unavailable',
  'overloaded',
  'deadline_exceeded',
];

/** Headers of an error besides the request id. */
export const ERROR_HEADERS: Readonly<Partial<Record<ErrorStatus, readonly HeaderName[]>>> = {
  401: ['WWW-Authenticate'],
  429: ['RateLimit', 'RateLimit-Policy', 'Retry-After'],
  503: ['Retry-After'],
};

/** The body of every error. */
export const ERROR_SCHEMA: Json = {
  type: 'object',
  required: ['message', 'error', 'statusCode', 'code', 'request_id', 'docs'],
  properties: {
    message: { type: 'string', description: 'What was wrong, in one sentence; fit to be shown' },
    error: { type: 'string', description: 'The name of the status' },
    statusCode: { type: 'integer', description: 'The status, again' },
    code: {
      type: 'string',
      enum: ERROR_CODES.filter((code) => !('by' in ERROR_CASES[code])),
      description: 'Why, for programs. Codes may be added: treat an unknown one by its status',
    },
    request_id: { type: 'string', description: 'Names this request in our logs, as `x-request-id` does' },
    docs: { type: 'string', description: 'Where the code is explained: a path of this server' },
    cost: { type: 'integer', description: 'Of a 429 of the month: the most units that the request may cost' },
    left: { type: 'integer', description: 'Of a 429 of the month: the units that are left' },
  },
  additionalProperties: false,
};
