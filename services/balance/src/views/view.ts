/** Views: questions about one block by GET, each a value of a file. */
import { whenParams } from '@hindsight/chain/params.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { z } from 'zod';
import type { Asked, Parameter, Resolved } from '../domain/question.ts';
import type { StateAt } from '../ports.ts';
import type { Table } from '../rows/csv-table.ts';
import { network, next } from './fields.ts';
import { pathParams } from './parameters.ts';

/** A view: its documentation, and the reading of an answer. */
export interface View<Q = never> {
  readonly operation: ApiOperation & { readonly querystring: z.ZodObject };
  /** Makes the record but for the network's fields. @throws {ApiError} where what was read is no answer */
  readonly read: (state: StateAt, asked: Resolved<Q>) => Promise<object>;
  /** Makes a table of the record as it is sent, where it is rows. */
  readonly toTable?: ((body: string, asked: Asked) => Table) | undefined;
  /** True if the record names its next page, by the cursor in `next`. */
  readonly isPaged: boolean;
}

/** The record that a shape describes. */
export type Fields<R extends z.ZodRawShape> = z.output<z.ZodObject<R>>;

interface Definition<P extends z.ZodRawShape, R extends z.ZodRawShape> {
  readonly operation: Omit<ApiOperation, 'params' | 'querystring' | 'success'> & {
    /** The name of the record in the document, and its description. */
    readonly success: Pick<ApiOperation['success'], 'name' | 'description'>;
  };
  /** In addition to those of the block. An account may be given by name; `read` gets its address. */
  readonly parameters: P;
  /** The fields of the record after those of the network. */
  readonly record: R;
  /** Reads the state, and makes the record. @throws {ApiError} where what was read is no answer */
  readonly read: (state: StateAt, asked: Resolved<Fields<P>>) => Promise<Fields<R>>;
  /** Makes a table of the record, where it is rows: it is also answered as CSV. @param asked as it was given */
  readonly table?: (record: Fields<R>, asked: Fields<P>) => Table;
}

/** Defines a view. Its answers are kept by all of its parameters. */
export function defineView<
  P extends Readonly<Record<string, z.ZodType<Parameter>>>,
  R extends z.ZodRawShape,
>({ operation, parameters, record, read, table }: Definition<P, R>): View<Fields<P>> {
  const { success } = operation;
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
    },
    read,
    toTable: table && ((body, asked) => table(JSON.parse(body) as Fields<R>, asked as Fields<P>)),
    isPaged: record.next === next,
  };
}
