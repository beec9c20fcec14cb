import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';

/** Scores by strategy and address: floats as Snapshot answers them, and exact decimal strings. */
export type Scores = components['schemas']['Scores']['result'];

/** Strategies of Snapshot, and the voters. */
export interface ScoresQuestion {
  /** Chain id of the snapshot's network; 1 is Ethereum. */
  readonly network: number | string;
  /** A block's number. */
  readonly snapshot: number | 'latest';
  readonly strategies: readonly {
    readonly name: string;
    readonly network?: number | string | undefined;
    readonly params?: Readonly<Record<string, unknown>> | undefined;
  }[];
  readonly addresses: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Reads scores, on whichever networks the strategies name. */
export async function getScores(
  transport: Transport,
  { signal, ...params }: ScoresQuestion,
): Promise<Scores> {
  const { result } = await transport.json<components['schemas']['Scores']>({
    method: 'POST',
    path: transport.pathTo('getScores'),
    body: { type: 'application/json', text: JSON.stringify({ params }) },
    signal,
  });
  return result;
}
