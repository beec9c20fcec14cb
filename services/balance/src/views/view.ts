/** Views: questions by GET, about one block or about a range, each a value of a file. */
import { whenParams } from '@hindsight/chain/params.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { z } from 'zod';
import type { NetworkName } from '../domain/pinned.ts';
import type { Asked, Parameter, Resolved } from '../domain/question.ts';
import type { History, StateAt } from '../ports.ts';
import type { Table } from '../rows/csv-table.ts';
import { network, next } from './fields.ts';
import { pathParams } from './parameters.ts';
import { MOVED_NAME_OR_EACH, QUESTION_CODES, QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';

export interface View<Q = never> {
  readonly operation: ApiOperation & { readonly querystring: z.ZodObject };
  /** Makes the record but for the network's fields. @throws {ApiError} where what was read is no answer */
  readonly read: (state: StateAt, asked: Resolved<Q>) => Promise<object>;
  /** Makes a table of the record as it is sent, where it is rows. */
  readonly toTable?: ((body: string, asked: Asked, network: NetworkName) => Table) | undefined;
  /** True if the record names its next page, by the cursor in `next`. */
  readonly isPaged: boolean;
}

export type Fields<R extends z.ZodRawShape> = z.output<z.ZodObject<R>>;

interface Definition<P extends z.ZodRawShape, R extends z.ZodRawShape> {
  readonly operation: Omit<ApiOperation, 'params' | 'querystring' | 'success' | 'codes' | 'errors'> & {
    readonly success: Pick<ApiOperation['success'], 'name' | 'description'>;
    /** In addition to those of every question. */
    readonly codes?: ApiOperation['codes'];
    /** Those of every question where not given. */
    readonly errors?: ApiOperation['errors'];
  };
  /** In addition to those of the block. An account may be given by name; `read` gets its address. */
  readonly parameters: P;
  /** The fields of the record after those of the network. */
  readonly record: R;
  /** Reads the state, and makes the record. @throws {ApiError} where what was read is no answer */
  readonly read: (state: StateAt, asked: Resolved<Fields<P>>) => Promise<Fields<R>>;
  /** Makes a table of the record, where it is rows: it is also answered as CSV. @param asked as it was given */
  readonly table?: (record: Fields<R>, asked: Fields<P>, network: NetworkName) => Table;
}

/** Defines a view. Its answers are kept by all of its parameters. */
export function defineView<
  P extends Readonly<Record<string, z.ZodType<Parameter>>>,
  R extends z.ZodRawShape,
>({ operation, parameters, record, read, table }: Definition<P, R>): View<Fields<P>> {
  const { success, codes = [], errors = QUESTION_ERRORS } = operation;
  const schema = z.object({ ...network, ...record });
  return {
    operation: {
      ...operation,
      params: pathParams,
      querystring: z.strictObject({ ...parameters, ...whenParams }),
      success: {
        status: 200,
        ...success,
        schema,
        cacheable: true,
        ...(table ? { alternatives: ['text/csv'] } : {}),
      },
      codes: [...QUESTION_CODES, ...codes],
      errors,
    },
    read,
    toTable:
      table && ((body, asked, network) => table(JSON.parse(body) as Fields<R>, asked as Fields<P>, network)),
    isPaged: record.next === next,
  };
}

/** A record that was computed for one request. */
export interface ComputedAnswer {
  readonly record: object;
  readonly units: number;
  /** True if the same request will always have this answer. */
  readonly lasting: boolean;
  /** Makes a table of the record, where it is rows. */
  readonly toTable?: ((body: string) => Table) | undefined;
  readonly next?: string | null | undefined;
}

/** A question about the balances of a range: its documentation, and the reading of an answer. */
export interface RangeView<Q = never> {
  readonly operation: View['operation'];
  readonly read: (history: History, asked: Q, signal: AbortSignal) => Promise<ComputedAnswer>;
}

interface RangeDefinition<P extends z.ZodRawShape, R extends object> {
  readonly operation: Omit<ApiOperation, 'tag' | 'params' | 'querystring' | 'success' | 'codes'> & {
    readonly success: Pick<ApiOperation['success'], 'name' | 'schema' | 'description'>;
  };
  readonly parameters: P;
  /** Reads the answer. @throws {ApiError} where what was read is none */
  readonly read: (
    history: History,
    asked: Fields<P>,
    signal: AbortSignal,
  ) => Promise<Omit<ComputedAnswer, 'toTable'> & { readonly record: R }>;
  /** Makes a table of the record. */
  readonly table: (record: R, network: NetworkName) => Table;
}

export function defineRange<P extends z.ZodRawShape, R extends object>({
  operation,
  parameters,
  read,
  table,
}: RangeDefinition<P, R>): RangeView<Fields<P>> {
  return {
    operation: {
      ...operation,
      tag: 'Balances',
      params: pathParams,
      querystring: z.strictObject(parameters),
      success: { status: 200, ...operation.success, cacheable: true, alternatives: ['text/csv'] },
      codes: [...QUESTION_CODES, ...TOKEN_CODES, 'invalid_range', 'name_moved'],
      errors: { ...QUESTION_ERRORS, 409: MOVED_NAME_OR_EACH, ...operation.errors },
    },
    read: async (history, asked, signal) => ({
      ...(await read(history, asked, signal)),
      toTable: (body) => table(JSON.parse(body) as R, history.network),
    }),
  };
}
