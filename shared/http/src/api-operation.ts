/** Describes a public route: the schemas that it validates with, and its answers. */
import type { Operation } from '@hindsight/api/operations.ts';
import type { z } from 'zod';
import type { ErrorCode } from '@hindsight/kernel/error-codes.ts';
import type { ErrorStatus } from '@hindsight/kernel/errors.ts';

/** Faults of the parameters of any endpoint of a network. */
export const PARAMETER_CODES = [
  'invalid_parameter',
  'missing_parameter',
  'unknown_parameter',
  'repeated_parameter',
  'unknown_network',
] as const satisfies readonly ErrorCode[];

/** Faults of the parameters that name a block. */
export const BLOCK_CODES = [
  'block_above_head',
  'block_not_canonical',
  'no_block_at_date',
] as const satisfies readonly ErrorCode[];

/** No node has the answer, or gives one in time. */
export const NODE_CODES = [
  'state_unavailable',
  'block_unavailable',
  'node_failed',
  'node_unavailable',
  'node_timeout',
] as const satisfies readonly ErrorCode[];

export interface ApiOperation extends Operation {
  /** Its group in the document. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: z.ZodObject;
  readonly querystring?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The media types of the body, where it is not JSON. */
  readonly bodyTypes?: readonly string[];
  readonly success: {
    readonly status: 200 | 201;
    readonly description: string;
    readonly schema: z.ZodType;
    /** The name of the schema in the document: `TokenBalance`. */
    readonly name: string;
    /** It carries an `ETag`, and `If-None-Match` gives 304. */
    readonly cacheable: boolean;
    /** Media types of a streamed answer; the schema is that of a line. */
    readonly lines?: readonly string[];
    readonly otherLines?: readonly { readonly name: string; readonly schema: z.ZodType }[];
    /** A JSON object that a parameter selects in place of lines. */
    readonly json?: { readonly name: string; readonly schema: z.ZodType };
    /** The answer is a file of this media type, called `name` in examples; the schema is that of the JSON in the header `facts`. */
    readonly file?: { readonly type: string; readonly facts: string; readonly name: string };
    /** Further media types that a parameter or `Accept` selects, without a schema. */
    readonly alternatives?: readonly string[];
  };
  /** Codes of the service's own refusals, and of its rows where it answers in rows. */
  readonly codes: readonly ErrorCode[];
  /** Refusals by the service itself; those of the gateway are the same for all routes. */
  readonly errors: Readonly<Partial<Record<ErrorStatus, string>>>;
}
