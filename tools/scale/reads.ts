/** A simulation of questions to the index of all of mainnet: how long each kind takes, and how many machines are needed. */
import { seeded, zipf } from './random.ts';

/** Costs of questions, in milliseconds of a whole machine. */
export interface IndexCosts {
  /** A page of a token's holders. */
  readonly page: number;
  /** The tokens of a wallet. */
  readonly wallet: number;
  /** A list of all holders of a token, for each million of its points. */
  readonly million: number;
}

export interface IndexShape {
  readonly points: number;
  /** Tokens by size: the n-th has an n-th of the first one's points, and of its questions. */
  readonly tokens: number;
  /** Shares of the questions; the rest are pages. */
  readonly wallets: number;
  readonly lists: number;
}

export type Kind = 'page' | 'wallet' | 'list';
const KINDS = ['page', 'wallet', 'list'] as const;

/** A question that arrives, in milliseconds. */
interface Question {
  readonly kind: Kind;
  readonly at: number;
  readonly cost: number;
}

/** Findings of a simulation. */
export interface ReadsResult {
  readonly machines: number;
  /** The share of their time that the machines work. */
  readonly used: number;
  /** Milliseconds until the answer, by kind. */
  readonly took: Readonly<Record<Kind, { readonly p50: number; readonly p99: number }>>;
}

const QUESTIONS = 50_000;
/** The share of a machine's time that is planned for. */
const USE = 0.5;

/** Questions that come at random at a rate. @param isApart true if lists have machines of their own */
export function simulateReads(
  perSecond: number,
  isApart: boolean,
  costs: IndexCosts,
  shape: IndexShape,
): ReadsResult {
  const questions = makeQuestions(perSecond, costs, shape);
  const groups = isApart
    ? [questions.filter(({ kind }) => kind !== 'list'), questions.filter(({ kind }) => kind === 'list')]
    : [questions];
  const lasts = questions.at(-1)!.at;
  const took: Record<Kind, number[]> = { page: [], wallet: [], list: [] };
  let [machines, worked] = [0, 0];
  for (const group of groups) {
    const work = group.reduce((sum, { cost }) => sum + cost, 0);
    const count = Math.max(1, Math.ceil(work / lasts / USE));
    machines += count;
    worked += work;
    for (let machine = 0; machine < count; machine++)
      serve(
        group.filter((_, i) => i % count === machine),
        (kind, ms) => took[kind].push(ms),
      );
  }
  const quantiles = KINDS.map((kind) => {
    const sorted = took[kind].sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? 0;
    return [kind, { p50: at(0.5), p99: at(0.99) }] as const;
  });
  return {
    machines,
    used: worked / lasts / machines,
    took: Object.fromEntries(quantiles) as ReadsResult['took'],
  };
}

function makeQuestions(perSecond: number, costs: IndexCosts, shape: IndexShape): readonly Question[] {
  const random = seeded(1);
  const pick = zipf(shape.tokens, 1, random);
  let parts = 0;
  for (let n = 1; n <= shape.tokens; n++) parts += 1 / n;
  const largest = shape.points / parts;
  let at = 0;
  return Array.from({ length: QUESTIONS }, () => {
    at += (-Math.log(1 - random()) * 1_000) / perSecond;
    const chance = random();
    if (chance < shape.lists)
      return { kind: 'list', at, cost: (costs.million * largest) / (pick() + 1) / 1e6 };
    const kind = chance < shape.lists + shape.wallets ? 'wallet' : 'page';
    return { kind, at, cost: costs[kind] };
  });
}

/** One machine, which gives each question that it works on the same share of its time. */
function serve(questions: readonly Question[], onAnswer: (kind: Kind, ms: number) => void): void {
  const working: { readonly question: Question; left: number }[] = [];
  let now = 0;
  const workUntil = (end: number): void => {
    while (working.length > 0) {
      const first = working.reduce((least, one) => (one.left < least.left ? one : least));
      const ends = now + first.left * working.length;
      const share = (Math.min(ends, end) - now) / working.length;
      for (const one of working) one.left -= share;
      now = Math.min(ends, end);
      if (ends > end) return;
      onAnswer(first.question.kind, now - first.question.at);
      working.splice(working.indexOf(first), 1);
    }
    now = end;
  };
  for (const question of questions) {
    workUntil(question.at);
    working.push({ question, left: question.cost });
  }
  workUntil(Infinity);
}
