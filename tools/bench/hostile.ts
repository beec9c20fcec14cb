/**
 * `npm run bench hostile`: cost of the worst texts for the event loop, for every input of the public
 * interface.
 */
import { hostileInputs, smallInputs } from '../../tests/support/hostile/inputs.ts';
import type { HostileInput } from '../../tests/support/hostile/requests.ts';
import { startTarget, type Target } from '../../tests/support/hostile/target.ts';

/** Milliseconds of processor time that a request may cost. */
const GOAL_MS = { head: 2, order: 4 };
/** Limit of a body's cost, as a multiple of a good request's of as many units. */
const TIMES_GOOD = 3;
/** Milliseconds of processor time in one turn: 20, plus the lateness of the timer that measures it. */
const TURN_MS = 25;
const AT_ONCE = 8;
/** More rounds for results above the goal: other work on the machine makes a round dearer. */
const ROUNDS = { least: 2, most: 12 };
const WARM_UP = 300;

interface Result extends HostileInput {
  readonly ms: number;
  readonly turnMs: number;
  readonly goalMs: number;
  readonly status: number;
}

/** The least of some rounds: garbage collection and other jobs only ever make a round dearer. */
async function measure(target: Target, input: HostileInput, goalMs: number): Promise<Result> {
  let [ms, turnMs] = [Infinity, Infinity];
  let status = 0;
  const isAbove = (): boolean => ms > goalMs || turnMs > TURN_MS;
  for (let round = 0; round < ROUNDS.least || (round < ROUNDS.most && isAbove()); round++) {
    const cost = await target.cost(Array.from({ length: AT_ONCE }, () => input));
    ms = Math.min(ms, cost.ms / AT_ONCE);
    turnMs = Math.min(turnMs, cost.longestTurnMs);
    status = cost.statuses[0] ?? 0;
  }
  return { ...input, ms, turnMs, goalMs, status };
}

/**
 * Limits of the inputs' costs. Each good request is measured once for all inputs that are compared with it.
 */
class Goals {
  readonly #target: Target;
  readonly #good = new Map<string, number>();

  constructor(target: Target) {
    this.#target = target;
  }

  async of(input: HostileInput): Promise<number> {
    const { good, of = [], isOrder } = input;
    if (good === undefined) return isOrder ? GOAL_MS.order : GOAL_MS.head;
    const key = `${of.join(' ')} ${good({ host: '', headers: [] }).length}`;
    const known = this.#good.get(key) ?? (await this.#measure({ ...input, bytes: good }));
    this.#good.set(key, known);
    return Math.max(TIMES_GOOD * known, GOAL_MS.head);
  }

  async #measure(input: HostileInput): Promise<number> {
    const { ms, status } = await measure(this.#target, input, 0);
    if (status !== 200) throw new Error(`a good ${input.input} was answered ${status}`);
    return ms;
  }
}

/** Prints the dearest text of every input; a word after the benchmark's name picks inputs that contain it. */
export async function run(): Promise<void> {
  const word = process.argv[3] ?? '';
  const target = await startTarget();
  try {
    const small = smallInputs(target.portal);
    for (const input of small) await target.cost(Array.from({ length: WARM_UP }, () => input));
    console.log('| server | input | texts | dearest | status | processor time | goal | longest turn |');
    console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
    for (const input of small) print(await measure(target, input, 0), 1);
    const goals = new Goals(target);
    const groups = Map.groupBy(
      hostileInputs(target.portal).filter(({ server, input }) => `${server} ${input}`.includes(word)),
      ({ server, input }) => `${server} ${input}`,
    );
    const all: Result[] = [];
    for (const inputs of groups.values()) {
      const results: Result[] = [];
      for (const input of inputs) results.push(await measure(target, input, await goals.of(input)));
      all.push(...results);
      const [worst] = results.sort((a, b) => b.ms / b.goalMs - a.ms / a.goalMs);
      if (worst) print(worst, results.length);
    }
    const above = all.filter(({ ms, turnMs, goalMs }) => ms > goalMs || turnMs > TURN_MS);
    console.log(
      `\n${all.length} texts, ${above.length} above the goals: ${GOAL_MS.head} ms, orders ${GOAL_MS.order} ms; bodies ` +
        `${TIMES_GOOD} times a good request of as many units; ${TURN_MS} ms in one turn`,
    );
    for (const { ms, turnMs, goalMs, server, input, text } of above)
      console.log(
        `${ms.toFixed(2)} ms of ${goalMs.toFixed(2)}, turn ${turnMs.toFixed(1)} ms: ${server} ${input}: ${text}`,
      );
    process.exitCode = above.length === 0 ? 0 : 1;
  } finally {
    await target.stop();
  }
}

function print({ server, input, text, status, ms, goalMs, turnMs }: Result, texts: number): void {
  const shown = text.replaceAll('|', '\\|');
  const goal = goalMs === 0 ? '' : `${goalMs.toFixed(2)} ms`;
  console.log(
    `| ${server} | ${input} | ${texts} | \`${shown}\` | ${status} | ${ms.toFixed(2)} ms | ${goal} | ${turnMs.toFixed(1)} ms |`,
  );
}
