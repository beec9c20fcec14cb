/**
 * Many questions of one caller, in as few calls and requests as possible: those about one block share calls.
 *
 * Their gas caps sum up to more than a node grants, since only this caller's questions share the call. An
 * item is only tried if its whole cap is left (see multicall.yul), so that each is answered as if it were
 * alone; the others are repeated in halves of the call, down to one question a call.
 */
import { Bulkhead } from '@hindsight/kernel/bulkhead.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { NodeError, tooManyWait } from '../rpc/node-error.ts';
import {
  halveCall,
  packCalls,
  packColumn,
  type BulkCall,
  type BulkQuestion,
  type Pack,
} from './bulk-packing.ts';
import { CallSize } from './call-size.ts';
import { itemsOf, valueOf, type ColumnAnswer, type ColumnValue } from './multicall/column.ts';
import type { MulticallResult } from './multicall/multicall.ts';
import type { CallOutcome, Failed, PinnedCall, PinnedColumn, PinnedState } from './pinned-state.ts';
import { ANSWERED_PER_REQUEST, CALLS_PER_REQUEST } from './request-size.ts';

/** Requests of one caller, and of all callers, that are under way at once; the rest of a node is for single questions. */
const REQUESTS_PER_CALLER = 4;
const REQUESTS = 6;
const MAX_WAIT_MS = 60_000;
/** A call that starved although its items burned less than this, or than half its gas, was granted less than most are. */
const LITTLE_GAS = 8_000_000;

/** Questions of one form, each known by a `Question`; a call of them has an `Answer`. */
interface Form<Question, Answer> {
  readonly pack: Pack<Question>;
  /** The number of JSON-RPC calls that a call is. */
  readonly count: (call: BulkCall<Question>) => number;
  /** Sends calls as one request. */
  readonly ask: (
    calls: readonly BulkCall<Question>[],
    signal: AbortSignal | undefined,
  ) => Promise<readonly (Answer | Failed)[]>;
  /** Notes the answers to a call's questions. @returns those that starved, and the gas that all of them used */
  readonly note: (call: BulkCall<Question>, answer: Answer) => Noted<Question>;
  readonly fail: (question: Question, failed: Failed) => void;
}

interface Noted<Question> {
  readonly starved: readonly Question[];
  readonly burned: number;
}

type State = Pick<PinnedState, 'ask' | 'askColumns' | 'isPlain' | 'room'>;

export class BulkReader {
  readonly #state: State;
  readonly #size: CallSize;
  readonly #requests = new Bulkhead({ concurrency: REQUESTS, queue: Infinity }, () =>
    tooManyWait('for many questions'),
  );

  constructor(state: State, clock: Clock) {
    this.#state = state;
    this.#size = new CallSize(clock);
  }

  /**
   * Asks all questions, each at its block.
   * @returns the outcomes in the order of the questions
   * @throws the signal's reason once it is aborted
   */
  async ask(questions: readonly PinnedCall[], signal?: AbortSignal): Promise<readonly CallOutcome[]> {
    const asked = questions.map(({ block, items }, at) => ({ block, items, at }));
    const outcomes: CallOutcome[] = [];
    const form: Form<BulkQuestion, { readonly results: readonly MulticallResult[] }> = {
      pack: packCalls,
      // Before Byzantium some items are two.
      count: ({ questions: [first] }) => (this.#isPlain(first?.block) ? 2 * (first?.items.length ?? 0) : 1),
      ask: (calls, own) => this.#state.ask(calls.map(pinnedOf), own),
      note: (call, { results }) => noteResults(call, results, outcomes),
      fail: ({ at }, failed) => (outcomes[at] = failed),
    };
    const calls = [...Map.groupBy(asked, ({ block }) => block.hash).values()].flatMap((about) => {
      const room = this.#state.room(about[0]!.block);
      // Plain calls share no gas: each question is a separate call.
      if (this.#isPlain(about[0]?.block)) return about.flatMap((one) => packCalls([one], room, 1));
      return packCalls(about, room, this.#size.part);
    });
    await this.#askAll(form, calls, signal);
    return outcomes;
  }

  /**
   * Asks a column as `ask` asks the questions that it stands for.
   * @returns the values in the order of the accounts
   * @throws the signal's reason once it is aborted
   */
  async askColumn(asked: PinnedColumn, signal?: AbortSignal): Promise<readonly (ColumnValue | Failed)[]> {
    const { block, column } = asked;
    if (this.#isPlain(block)) {
      const items = itemsOf(column);
      const outcomes = await this.ask(
        items.map((item) => ({ block, items: [item] })),
        signal,
      );
      return outcomes.map((outcome, i) =>
        'error' in outcome ? outcome : valueOf(outcome.results[0]!, items[i]!),
      );
    }
    const values = Array<ColumnValue | Failed>(column.accounts.length);
    const form: Form<number, ColumnAnswer> = {
      pack: (places, ...how) => packColumn(asked, places, ...how),
      count: () => 1,
      ask: (calls, own) =>
        this.#state.askColumns(
          calls.map(({ questions }) => partOf(asked, questions)),
          own,
        ),
      note: ({ questions }, { values: found, burned }) => {
        const starved: number[] = [];
        for (let i = 0; i < questions.length; i++) {
          const value = found[i]!;
          if (value === 'starved') starved.push(questions[i]!);
          else values[questions[i]!] = value;
        }
        return { starved, burned };
      },
      fail: (place, failed) => (values[place] = failed),
    };
    const calls = form.pack([...column.accounts.keys()], this.#state.room(block), this.#size.part);
    await this.#askAll(form, calls, signal);
    return values;
  }

  async #askAll<Question, Answer extends object>(
    form: Form<Question, Answer>,
    calls: readonly BulkCall<Question>[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    let left = calls;
    while (left.length > 0) {
      const again: BulkCall<Question>[] = [];
      const waiting = toRequests(form, left).values();
      const sendNext = async (): Promise<void> => {
        for (const request of waiting) {
          const outcomes = await this.#send(form, request, signal);
          request.forEach((call, i) => {
            again.push(...this.#settle(form, call, outcomes[i] ?? { error: new TypeError('no outcome') }));
          });
        }
      };
      await Promise.all(Array.from({ length: REQUESTS_PER_CALLER }, sendNext));
      left = again;
    }
  }

  #isPlain(block: PinnedCall['block'] | undefined): boolean {
    return block !== undefined && this.#state.isPlain(block.number);
  }

  async #send<Question, Answer>(
    form: Form<Question, Answer>,
    calls: readonly BulkCall<Question>[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (Answer | Failed)[]> {
    signal?.throwIfAborted();
    try {
      await this.#requests.enter(MAX_WAIT_MS, signal);
      try {
        // To pack many questions and to write them are turns of their own.
        await nextTurn();
        return await form.ask(calls, signal);
      } finally {
        this.#requests.leave();
      }
    } catch (error) {
      signal?.throwIfAborted();
      return calls.map(() => ({ error }));
    }
  }

  /** Notes the outcomes of a call's questions. @returns calls that repeat the others */
  #settle<Question, Answer extends object>(
    { pack, note, fail }: Form<Question, Answer>,
    call: BulkCall<Question>,
    outcome: Answer | Failed,
  ): readonly BulkCall<Question>[] {
    const { questions, part, room } = call;
    if ('error' in outcome) {
      if (questions.length > 1 && this.#isTooLarge(part, outcome.error))
        return halveCall(call, questions, pack);
      if (!call.late && isLate(outcome.error)) return halveCall(call, questions, pack, true);
      for (const question of questions) fail(question, outcome);
      return [];
    }
    const { starved, burned } = note(call, outcome);
    if (starved.length > 0 && burned < Math.min(LITTLE_GAS, room.gas / 2)) this.#size.refuse(part);
    return halveCall(call, starved, pack);
  }

  /** Notes, and returns true, if the node may have refused the call for its size. */
  #isTooLarge(part: number, error: unknown): boolean {
    if (!(error instanceof NodeError) || !this.#size.isDivisible(part)) return false;
    // No program fails by itself, but one can run out of gas, or its answer can be too large: that is
    // refused, too.
    const refused = error.kind === 'refused';
    // The node aborted the call.
    const aborted = error.kind === 'timeout' && error.details.code !== undefined;
    if (refused || aborted) this.#size.refuse(part);
    return refused || aborted;
  }
}

function toRequests<Question, Answer>(
  { count }: Form<Question, Answer>,
  calls: readonly BulkCall<Question>[],
): BulkCall<Question>[][] {
  const requests: BulkCall<Question>[][] = [];
  let [work, counted] = [Infinity, 0];
  for (const call of calls) {
    // A call that had no answer in time gets a separate request.
    const ownWork = call.late ? ANSWERED_PER_REQUEST : call.size * call.room.returned;
    const ownCount = count(call);
    work += ownWork;
    counted += ownCount;
    if (work <= ANSWERED_PER_REQUEST && counted <= CALLS_PER_REQUEST) {
      requests.at(-1)?.push(call);
    } else {
      requests.push([call]);
      [work, counted] = [ownWork, ownCount];
    }
  }
  return requests;
}

function pinnedOf({ block, questions }: BulkCall): PinnedCall {
  return { block, items: questions.flatMap(({ items }) => items), mayStarve: questions.length > 1 };
}

function partOf({ block, column: { of, accounts } }: PinnedColumn, places: readonly number[]): PinnedColumn {
  return { block, column: { of, accounts: places.map((place) => accounts[place]!) } };
}

function noteResults(
  { questions }: BulkCall,
  results: readonly MulticallResult[],
  outcomes: CallOutcome[],
): Noted<BulkQuestion> {
  let next = 0;
  const starved = questions.filter(({ at, items }) => {
    const own = results.slice(next, (next += items.length));
    outcomes[at] = { results: own };
    return own.some(({ status }) => status === 'starved');
  });
  const burned = results.reduce((sum, result) => sum + ('gasUsed' in result ? result.gasUsed : 0), 0);
  return { starved, burned };
}

function isLate(error: unknown): boolean {
  return error instanceof NodeError && error.kind === 'timeout';
}
