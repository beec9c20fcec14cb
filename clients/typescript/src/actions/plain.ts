/** The plain questions of the API: one request, one answer, both as the document has them. */
import { formatUnits } from '../amount.ts';
import type { operations } from '../openapi.ts';
import type { OperationId } from '../paths.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When, type WhenParams } from '../when.ts';

/** Operations that are asked by GET, and answer with JSON. */
type PlainId = {
  [Id in OperationId]: operations[Id] extends {
    readonly requestBody?: never;
    readonly responses: { readonly 200: { readonly content: { readonly 'application/json': unknown } } };
  }
    ? Id
    : never;
}[OperationId];
type QueryOf<Id extends PlainId> = NonNullable<operations[Id]['parameters']['query']>;
/** The answer of an operation, as it is sent. */
export type AnswerOf<Id extends PlainId> = operations[Id]['responses'][200]['content']['application/json'];

/** Parameters as `T` has them; an optional one may also be undefined, and is then not sent. */
type Sparse<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

/** A part of every question. */
export interface Asking {
  readonly signal?: AbortSignal | undefined;
}

/** A record whose amount is exact. */
export type Exact<R, Field extends keyof R> = Omit<R, Field> &
  Readonly<Record<Field, bigint>> & {
    /** In whole tokens: "4550.2275". */
    format(): string;
  };

/** The record with an amount as a number, and in whole tokens. */
export function exact<R extends object, Field extends keyof R & string>(
  record: R & Readonly<Record<Field, string>>,
  field: Field,
  decimals: number | null,
): Exact<R, Field> {
  const amount = BigInt(record[field]);
  const read = { ...record, [field]: amount, format: () => formatUnits(amount, decimals) };
  return read as unknown as Exact<R, Field>;
}

/**
 * The method of a plain question about a block.
 * @param toQuery makes the parameters that are not the block's
 * @param read makes of the API's answer the client's, and may ask for more
 */
export function plain<Id extends PlainId, Q extends When & Asking, A>(
  id: Id,
  toQuery: (question: Q) => Sparse<Omit<QueryOf<Id>, keyof WhenParams>>,
  read: (answer: AnswerOf<Id>, transport: Transport, signal?: AbortSignal) => A | Promise<A>,
): (transport: Transport, question: Q) => Promise<A> {
  return async (transport, question) => {
    const query = { ...toQuery(question), ...whenParams(question) };
    const path = transport.pathTo(id);
    const { signal } = question;
    return read(await transport.json<AnswerOf<Id>>({ path, query, signal }), transport, signal);
  };
}
