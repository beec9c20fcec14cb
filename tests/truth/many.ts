/** Asks for many balances at once; each row of an answer is brought to what the endpoint of one balance would answer. */
import type { Network } from '@hindsight/chain/networks.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import type { Inquiry } from './inquiries.ts';

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The inquiry's number, where it was asked, and what was answered. */
type Answered = readonly [inquiry: number, path: string, answer: Answer];
type Body = Readonly<Record<string, unknown>>;

interface Row {
  readonly at: number;
  readonly token_address: string;
  readonly holder: string;
  readonly when: Inquiry['when'];
}

const ROWS_PER_BATCH = 200;
const REQUESTS = 8;
const ANSWER_WITHIN_MS = 60_000;

function rowsOf(inquiries: readonly Inquiry[]): Row[] {
  return inquiries.flatMap(({ subject, name, when }, at): Row[] => {
    if (subject.kind === 'allowance') return [];
    const token = subject.kind === 'native' ? 'native' : TOKENS[subject.token].address;
    return [{ at, token_address: token, holder: name ?? subject.holder, when }];
  });
}

/** Asks all balances in batches. */
export async function askBatches(
  service: string,
  network: Network,
  inquiries: readonly Inquiry[],
): Promise<readonly Answered[]> {
  const rows = rowsOf(inquiries);
  const batches = Array.from({ length: Math.ceil(rows.length / ROWS_PER_BATCH) }, (_, i) =>
    rows.slice(i * ROWS_PER_BATCH, (i + 1) * ROWS_PER_BATCH),
  );
  return atOnce(batches, async (batch) => {
    const path = `/v1/${network.name}/balance/batch`;
    const body = JSON.stringify(batch.map(({ at: _, when, ...row }) => ({ ...row, ...when })));
    const { status, text } = await post(service + path, 'application/json', body);
    const answers = JSON.parse(text) as Body[] | Body;
    return batch.map(({ at }, i): Answered => {
      if (!Array.isArray(answers)) return [at, path, { status, body: answers as Body }];
      return [at, `${path}, row ${i}`, answerOf(answers[i]!)];
    });
  });
}

/** Asks all balances in snapshots, one for each token and block. */
export async function askSnapshots(
  service: string,
  network: Network,
  inquiries: readonly Inquiry[],
): Promise<readonly Answered[]> {
  const asked = ({ token_address, when }: Row): string =>
    new URLSearchParams({ token_address, ...when }).toString();
  const snapshots = [...Map.groupBy(rowsOf(inquiries), asked)];
  return atOnce(snapshots, async ([query, rows]) => {
    const path = `/v1/${network.name}/balance/snapshot?${query}`;
    const body = rows.map(({ holder }) => holder).join('\n');
    const { status, text } = await post(service + path, 'text/plain', body);
    const records = text.split('\n').filter((line) => line !== '');
    const [first, ...others] = records.map((record) => JSON.parse(record) as Body);
    if (status !== 200) return rows.map(({ at }): Answered => [at, path, { status, body: first! }]);
    if (others.pop()?.record !== 'end') throw new Error(`${path} has no end`);
    return rows.map(({ at }, i): Answered => [at, `${path}, line ${i + 1}`, merge(first!, others[i]!)]);
  });
}

/** A row with the facts of its snapshot, as one record. */
function merge({ record: _, tokens, ...facts }: Body, { record: __, line: ___, ...row }: Body): Answer {
  const [token] = tokens as Body[];
  return answerOf({ ...facts, ...(token?.token_address === 'native' ? {} : token), ...row });
}

function answerOf(row: Body): Answer {
  const error = row.error as Body | undefined;
  if (error === undefined) return { status: 200, body: row };
  return { status: error.statusCode as number, body: error };
}

async function post(url: string, type: string, body: string): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': type };
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const response = await fetch(url, { method: 'POST', headers, body, signal });
  return { status: response.status, text: await response.text() };
}

async function atOnce<T>(
  all: readonly T[],
  ask: (one: T) => Promise<readonly Answered[]>,
): Promise<readonly Answered[]> {
  const answered: Answered[] = [];
  const waiting = all.values();
  const worker = async (): Promise<void> => {
    for (const one of waiting) answered.push(...(await ask(one)));
  };
  await Promise.all(Array.from({ length: REQUESTS }, worker));
  return answered;
}
