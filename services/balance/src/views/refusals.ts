/** Documented refusals that endpoints share. */
import { BLOCK_CODES, NODE_CODES, PARAMETER_CODES } from '@hindsight/http/api-operation.ts';
import type { ErrorCode } from '@hindsight/kernel/error-codes.ts';

export const BODY_CODES = [
  'invalid_body',
  'length_required',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

export const JSON_BODY_CODES = [
  'invalid_body',
  'unsupported_media_type',
  'body_too_large',
] as const satisfies readonly ErrorCode[];

export const QUESTION_CODES = [
  ...PARAMETER_CODES,
  'conflicting_parameters',
  'invalid_name',
  'unknown_name',
  'no_names',
  ...BLOCK_CODES,
  'name_off_chain',
  ...NODE_CODES,
  'name_gateway_failed',
  'name_gateway_timeout',
] as const satisfies readonly ErrorCode[];

export const TOKEN_CODES = [
  'wrong_token_standard',
  'no_contract',
  'not_a_token',
] as const satisfies readonly ErrorCode[];

/** 409 of a question over a range. */
export const MOVED_NAME =
  'The name meant another address earlier in the range, which would make two wallets look like one; the message names both';

/** The same where `resolve=each` is the way out. */
export const MOVED_NAME_OR_EACH = `${MOVED_NAME}. With \`resolve=each\` the answer is about both, each at its blocks`;

export const QUESTION_ERRORS = {
  400: 'A parameter is malformed, unknown or given twice; the message names it and says what is expected',
  404: 'No such network, a name without an address at the block, or a block above the head',
  422: 'The name is kept off-chain, at a gateway that this server does not ask',
  502: 'No node has the state of the block. It is never replaced by another block’s.',
  503: 'No node can answer at the moment; `Retry-After` says when to try again',
  504: 'The answer took too long',
} as const;
