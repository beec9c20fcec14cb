/** A question for a balance at several blocks, of which each point is judged as an answer of its own. */
import { POINTS_PER_UNIT } from '@hindsight/api/series-grid.ts';
import { FIRST, HOLDERS, TOKENS } from './chain/blocks.ts';
import {
  claimsNothing,
  differs,
  falsehoodInAbsence,
  falsehoodInBlock,
  NETWORK,
  type Fields,
  type Question,
  type QuestionDeps,
} from './judge.ts';

const MOST_POINTS = 15;
const LONGEST_STEP = 8;
/** Blocks of the newest that a series may end above or below. */
const NEAR_HEAD = 4;

/** Draws one that ends long ago, or near the head. */
export function drawSeriesQuestion(deps: QuestionDeps): Question {
  const { machine, chain } = deps;
  const { random } = machine;
  const holder = random.pick(HOLDERS);
  const token = random.chance(0.3) ? undefined : random.pick(TOKENS);
  const step = 1 + random.below(LONGEST_STEP);
  const head = chain.tip.number;
  const most = Math.min(MOST_POINTS, Math.floor((head - FIRST) / step));
  const count = 1 + random.below(most);
  const long = (count - 1) * step;
  const last = random.chance(0.5)
    ? head + NEAR_HEAD / 2 - random.below(NEAR_HEAD)
    : FIRST + long + random.below(head - FIRST - long);
  const from = last - long;
  const range = { from: String(from), to: String(last), step: String(step) };
  const query = new URLSearchParams({ token_address: token ?? 'native', holder, ...range });
  const askedAt = machine.now;
  const falsehoodAt = (point: Fields, place: number, isFinal: boolean): string | undefined => {
    const block = chain.find(String(point.block_hash));
    if (block === undefined) return `a point has the block ${String(point.block_hash)}, which was never one`;
    const height = from + place * step;
    return (
      differs('height', point.block, height) ??
      falsehoodInBlock({ ...deps, askedAt, when: { kind: 'height', height } }, block, {
        date: point.date,
        isFinal,
      }) ??
      differs('balance', point.balance, String(block.amountOf(holder, token)))
    );
  };
  return {
    path: `${NETWORK}/balance/series?${query.toString()}`,
    units: Math.ceil(count / POINTS_PER_UNIT),
    falsehoodIn({ status, body }) {
      if (claimsNothing(status)) return undefined;
      if (status === 404) return falsehoodInAbsence(last, body);
      if (status !== 200) return `${status}: ${body}`;
      const { points, finalized } = JSON.parse(body) as { points: Fields[]; finalized?: boolean };
      return (
        differs('number of points', points.length, count) ??
        points
          .map((point, place) => falsehoodAt(point, place, finalized === true))
          .find((falsehood) => falsehood !== undefined)
      );
    },
  };
}
