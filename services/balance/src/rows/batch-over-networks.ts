/** Answers rows of several networks: those of each are read as a batch of its own. */
import { ApiError } from '@hindsight/kernel/errors.ts';
import type { ManyBalances } from '../ports.ts';
import { answerBatch, type BatchQuestion } from './batch.ts';

/** The question of a row. */
export interface NetworkQuestion extends BatchQuestion {
  readonly many: ManyBalances;
}

type Answers = Awaited<ReturnType<typeof answerBatch>>;

/**
 * Answers the rows in their order. An unavailable network is an error of its own rows alone.
 * @param rows what each asks, or why it asks nothing
 * @param client aborted when the caller has left
 */
export async function answerOverNetworks(
  rows: readonly (NetworkQuestion | ApiError)[],
  client: AbortSignal,
  deadlineMs: number,
): Promise<Answers> {
  const answers: Answers[number][] = rows.map((row) => ({
    error: row instanceof ApiError ? row.body : LATER,
  }));
  const asked = [...rows.entries()].filter((entry): entry is [number, NetworkQuestion] => 'many' in entry[1]);
  const byNetwork = Map.groupBy(asked, ([, { many }]) => many);
  await Promise.all(
    [...byNetwork].map(async ([many, own]) => {
      const questions = own.map(([, question]) => question);
      const found = await answerBatch(many, questions, client, deadlineMs);
      for (const [i, [at]] of own.entries()) answers[at] = found[i]!;
    }),
  );
  return answers;
}

/** The place of an answer until its network's batch is read. */
const LATER = new ApiError('deadline_exceeded', 'The row was not read.').body;
