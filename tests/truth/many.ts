/** Asks for many balances at once, and converts each row to the answer of the endpoint of one balance. */
import type { Network } from '@hindsight/chain/networks.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import type { Inquiry } from './inquiries.ts';
import type { untilAnswered } from './patience.ts';
import { ANSWER_WITHIN_MS } from './service.ts';

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The inquiry's number, its path, and its answer. */
type Answered = readonly [inquiry: number, path: string, answer: Answer];
type Body = Readonly<Record<string, unknown>>;

interface Row {
  readonly at: number;
  readonly token_address: string;
  readonly holder: string;
  readonly when: Inquiry['when'];
}

const ROWS_PER_BATCH = 100;
const BATCHES_AT_ONCE = 2;
const SNAPSHOTS_AT_ONCE = 8;
const MAX_TOKENS = 10;

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
  answered: typeof untilAnswered,
): Promise<readonly Answered[]> {
  const rows = rowsOf(inquiries);
  const batches = Array.from({ length: Math.ceil(rows.length / ROWS_PER_BATCH) }, (_, i) =>
    rows.slice(i * ROWS_PER_BATCH, (i + 1) * ROWS_PER_BATCH),
  );
  return atOnce(batches, BATCHES_AT_ONCE, async (batch) => {
    const path = `/v1/${network.name}/balance/batch`;
    const body = JSON.stringify(batch.map(({ at: _, when, ...row }) => ({ ...row, ...when })));
    const { status, body: answers } = await answered(async () => {
      const { status, text } = await post(service + path, 'application/json', body);
      return { status, body: JSON.parse(text) as Body[] | Body };
    });
    return batch.map(({ at }, i): Answered => {
      if (!Array.isArray(answers)) return [at, path, { status, body: answers }];
      return [at, `${path}, row ${i}`, answerOf(answers[i]!)];
    });
  });
}

/**
 * Reads all balances in snapshots: of each block all holders and tokens at once, but separately a token that
 * does not exist yet.
 */
export async function askSnapshots(
  service: string,
  network: Network,
  inquiries: readonly Inquiry[],
  answered: typeof untilAnswered,
): Promise<readonly Answered[]> {
  const block = ({ at, token_address, when }: Row): string => {
    const { absent } = inquiries[at]!;
    const alone = absent === 'contract' || absent === 'token' ? token_address : '';
    return `${new URLSearchParams(when).toString()} ${alone}`;
  };
  const snapshots = [...Map.groupBy(rowsOf(inquiries), block).values()].flatMap(byTokens);
  return atOnce(snapshots, SNAPSHOTS_AT_ONCE, async (rows) => {
    const tokens = [...new Set(rows.map(({ token_address }) => token_address))];
    const holders = [...new Set(rows.map(({ holder }) => holder))];
    const query = new URLSearchParams({ token_address: tokens.join(','), ...rows[0]?.when });
    const path = `/v1/${network.name}/balance/snapshot?${query.toString()}`;
    const { status, body: records } = await answered(async () => {
      const { status, text } = await post(service + path, 'text/plain', holders.join('\n'));
      const lines = text.split('\n').filter((line) => line !== '');
      return { status, body: lines.map((line) => JSON.parse(line) as Body) };
    });
    const [first, ...others] = records;
    if (status !== 200) return rows.map(({ at }): Answered => [at, path, { status, body: first! }]);
    if (others.pop()?.record !== 'end') throw new Error(`${path} has no end`);
    return rows.map(({ at, holder, token_address }): Answered => {
      const line = holders.indexOf(holder);
      return [at, `${path}, line ${line + 1}`, merge(first!, token_address, others[line]!)];
    });
  });
}

/** A snapshot takes ten tokens. */
function byTokens(rows: readonly Row[]): (readonly Row[])[] {
  const tokens = [...Map.groupBy(rows, ({ token_address }) => token_address).values()];
  return tokens.length <= MAX_TOKENS
    ? [rows]
    : [tokens.slice(0, MAX_TOKENS).flat(), tokens.slice(MAX_TOKENS).flat()];
}

/** A row's balance of a token with the facts of its snapshot, as one record. */
function merge({ record: _, tokens, ...facts }: Body, asked: string, row: Body): Answer {
  const token = (tokens as Body[]).find(({ token_address }) => token_address === asked)!;
  const fields = { ...facts, ...(asked === 'native' ? {} : token), holder: row.holder };
  const { balance, balances, errors, error } = row as Record<string, Body | undefined>;
  return answerOf({ ...fields, balance: balances?.[asked] ?? balance, error: error ?? errors?.[asked] });
}

function answerOf(row: Body): Answer {
  const { error, ...record } = row as Body & { error?: Body };
  if (error === undefined) return { status: 200, body: record };
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
  count: number,
  ask: (one: T) => Promise<readonly Answered[]>,
): Promise<readonly Answered[]> {
  const answered: Answered[] = [];
  const waiting = all.values();
  const worker = async (): Promise<void> => {
    for (const one of waiting) answered.push(...(await ask(one)));
  };
  await Promise.all(Array.from({ length: count }, worker));
  return answered;
}
