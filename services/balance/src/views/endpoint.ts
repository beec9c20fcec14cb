/** The endpoints of this service: their shape, and the parameters and errors that they share. */
import { NETWORKS } from '@hindsight/chain/networks.ts';
import type { ErrorCode } from '@hindsight/kernel/error-codes.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import {
  accountParam,
  addressParam,
  blockHashParam,
  dateParam,
  heightParam,
  networkParam,
} from '@hindsight/chain/params.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { z } from 'zod';
import { NATIVE, type Asset } from '../domain/asset.ts';
import type { When } from '../domain/pinned.ts';
import type { Question } from '../domain/question.ts';
import type { History } from '../ports.ts';
import type { Answers } from '../routes/answers.ts';

/** A public endpoint: how it is documented, and the question that its parameters ask. */
export interface Endpoint<Query = never> {
  readonly operation: ApiOperation & { readonly querystring: z.ZodObject };
  /** @throws {ApiError} 400 where the parameters contradict each other */
  readonly toQuestion: (query: Query) => Question;
}

/** Adds an endpoint to the server. @param histories those of the networks that are served, by name */
export function addEndpoint(
  app: HttpServer,
  { operation, toQuestion }: Endpoint,
  histories: ReadonlyMap<string, History>,
  answers: Answers,
): void {
  const { path, querystring } = operation;
  const units = operation.units?.by === 'request' ? operation.units.units : undefined;
  const params = z.object({ network: networkParam(histories) });
  app.get(path, { schema: { params, querystring } }, (request, reply) => {
    // The endpoint's own schema has made this query.
    const question = toQuestion(request.query as never);
    return answers.send(request, reply, { history: request.params.network, question, units });
  });
}

/** The path's parameters, as they are documented. */
export const pathParams = z.object({ network: networkParam(NETWORKS) });

/** An account as a parameter. */
export const account = (description: string): typeof accountParam => accountParam.meta({ description });

/** A token's address, or `native` for the chain's own coin. */
export const assetParam = z
  .string()
  .transform((value, context): Asset => {
    if (value === NATIVE) return value;
    const read = addressParam.safeParse(value);
    if (read.success) return read.data;
    context.addIssue({ code: 'custom', message: `${read.error.issues[0]?.message}, or ${NATIVE}` });
    return z.NEVER;
  })
  .meta({ pattern: '^(native|0x[0-9a-fA-F]{40})$' });

/** The parameters that say which block is meant. */
export const whenParams = {
  block_height: heightParam
    .optional()
    .meta({ description: 'The block number. Without it, date and block_hash, the latest block is used.' }),
  date: dateParam.optional().meta({
    description:
      'An ISO 8601 date, in UTC if it names no zone. The last block at or before it is used, in place of block_height.',
  }),
  block_hash: blockHashParam.optional().meta({
    description: 'The hash of a block of the canonical chain, in place of block_height. Any other is a 404.',
  }),
};

/** The same in a JSON body, where a height may also be a number. */
export const whenBody = {
  ...whenParams,
  block_height: z
    .union(
      [z.int().min(0).transform(String), z.string().meta({ pattern: '^[0-9]{1,16}$' })],
      'expected a block height: a whole decimal number from 0',
    )
    .pipe(heightParam)
    .optional()
    .meta({ description: 'The block number. Without it, date and block_hash, the latest block is used.' }),
};

interface WhenQuery {
  readonly block_height?: number | undefined;
  readonly date?: number | undefined;
  readonly block_hash?: string | undefined;
}

/** Reads `whenParams`. @throws {ApiError} 400 when more than one is given */
export function readWhen({ block_height: height, date, block_hash: hash }: WhenQuery): When {
  const fields = Object.entries({ block_height: height, date, block_hash: hash });
  const given = fields.filter(([, value]) => value !== undefined).map(([field]) => field);
  if (given.length > 1) {
    const last = given.pop();
    throw badRequest(
      `${last}: given together with ${given.join(' and ')}; expected one of them`,
      'conflicting_parameters',
    );
  }
  if (height !== undefined) return { height };
  if (date !== undefined) return { date };
  return hash === undefined ? 'latest' : { hash };
}

/** What may be wrong with the parameters of any endpoint. */
export const PARAMETER_CODES = [
  'invalid_parameter',
  'missing_parameter',
  'unknown_parameter',
  'repeated_parameter',
  'unknown_network',
] as const satisfies readonly ErrorCode[];

/** What may be wrong with a body of many rows. */
export const BODY_CODES = [
  'invalid_body',
  'length_required',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/** Why no node answers. */
export const NODE_CODES = [
  'state_unavailable',
  'block_unavailable',
  'node_failed',
  'node_unavailable',
  'node_timeout',
] as const satisfies readonly ErrorCode[];

/** What every question about a block may get. */
export const QUESTION_CODES = [
  ...PARAMETER_CODES,
  'conflicting_parameters',
  'invalid_name',
  'unknown_name',
  'no_names',
  'block_above_head',
  'block_not_canonical',
  'no_block_at_date',
  'name_off_chain',
  ...NODE_CODES,
  'name_gateway_failed',
  'name_gateway_timeout',
] as const satisfies readonly ErrorCode[];

/** What a question about a token may get besides. */
export const TOKEN_CODES = [
  'wrong_token_standard',
  'no_contract',
  'not_a_token',
] as const satisfies readonly ErrorCode[];

/** The errors that every question may get. */
export const QUESTION_ERRORS = {
  400: 'A parameter is malformed, unknown or given twice; the message names it and says what is expected',
  422: 'The name is kept off-chain, at a gateway that this server does not ask',
  502: 'No node has the state of the block. It is never replaced by another block’s.',
  503: 'No node can answer at the moment; `Retry-After` says when to try again',
  504: 'The answer took too long',
} as const;
