/** A question about one block, as data. */
import type { AccountRef } from './account.ts';
import type { ListCursor } from './list-page.ts';
import type { NetworkName, When } from './pinned.ts';

/** A parameter's value. All of it is in the question's key, so it can be nothing that JSON leaves out. */
export type Parameter = string | number | bigint | boolean | AccountRef | ListCursor | undefined;

/** The parameters of a question, by their names in the API. */
export type Asked = Readonly<Record<string, Parameter>>;

export interface Question<Q = Asked> {
  readonly asked: Q;
  readonly when: When;
}

/** Parameters with an address (EIP-55) in place of each account. */
export type Resolved<Q> = { readonly [K in keyof Q]: Q[K] extends AccountRef ? string : Q[K] };

/** Names all that an answer depends on except the block: network, operation, and every parameter. */
export function questionKey(
  { name }: Pick<NetworkName, 'name' | 'chainId'>,
  operationId: string,
  { asked }: Question,
): string {
  // Most questions have none, and JSON is twice as fast without a function to ask for each value.
  const hasBigints = Object.values(asked).some((value) => typeof value === 'bigint');
  return `${name}:${operationId}:${JSON.stringify(asked, hasBigints ? bigintAsText : undefined)}`;
}

const bigintAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);
