/** Finds out which carriers a node has, and what room each of them gives there. */
import { rulesAt, TODAYS_RULES, amsterdamRules, type ForkRules, type Network } from '../../../networks.ts';
import { resultOf, type EthereumNode, type RpcOptions, type RpcOutcome } from '../../../rpc/node.ts';
import { NodeError } from '../../../rpc/node-error.ts';
import type { NodeErrorKind } from '../../../rpc/node-error-kind.ts';
import type { ProgramRoom } from '../../../rpc/program.ts';
import {
  bytesOf,
  decodeMulticall,
  itemRoom,
  multicall,
  type CallItem,
  type MulticallItem,
} from '../multicall.ts';
import { OVERRIDE, RETURN, REVERT, type Carrier } from './carrier.ts';

/** A carrier as a node has it. */
export interface NodeCarrier {
  readonly carrier: Carrier;
  /** What the node was seen to take, and to answer in whole. */
  readonly seen: ProgramRoom;
  /** The rules by which its code was priced. */
  readonly rules: ForkRules;
}

/** What a probe found. */
export interface ProbeResult {
  /** The carriers that the node has, best first. */
  readonly found: readonly NodeCarrier[];
  /** Why it has none of the others, for operators. */
  readonly reasons: readonly string[];
}

/** Below this an answer has no room for a token's facts. */
const LEAST_ANSWERED = 4_096;
/** The first of the precompiled contracts: it is there under all rules. */
const ACCOUNT = `0x${'00'.repeat(19)}01`;
const LATEST = 'latest';
const WEI: MulticallItem = { kind: 'wei', target: ACCOUNT };
const FILLER_GAS = 50_000;
const MAX_FILLER = 65_000;
/** The node has not said whether it can. */
const NO_WORD: ReadonlySet<NodeErrorKind> = new Set<NodeErrorKind>(['unreachable', 'busy']);
/** Nor has it, where that is its answer to the least of questions too. */
const STILL_NO_WORD: ReadonlySet<NodeErrorKind> = new Set<NodeErrorKind>([
  'timeout',
  'malformed',
  'missing-state',
  'unknown-block',
]);
/** What one balance takes of a call, and of its answer. */
const BALANCE = { taken: 21, answered: 41 };

type Room = Omit<ProgramRoom, 'gas'>;

interface Trial {
  readonly seen: ProgramRoom;
  /** Of question and answer. */
  readonly bytes: number;
}

/**
 * Asks a node at its head, with programs as large as will ever be sent, then with smaller ones where it does not answer those
 * in whole: by REVERT and by an override, and by RETURN where neither has its full room.
 * @param now Unix seconds
 * @throws {NodeError} where the node does not say
 */
export async function probeCarriers(
  node: EthereumNode,
  { rules, now }: { readonly rules: Network['rules']; readonly now: number },
  options: RpcOptions,
): Promise<ProbeResult> {
  const own = rulesAt(rules, now);
  const first = await Promise.all([
    tryCarrier(node, REVERT, own, options),
    tryCarrier(node, OVERRIDE, own, options),
  ]);
  const tried = [...first];
  if (first.every(({ whole }) => !whole)) {
    // The network's rules may be behind the node's: a fork that is not known yet.
    for (const priced of [own, amsterdamRules(0)]) {
      const returned = await tryCarrier(node, RETURN, priced, options);
      tried.push(returned);
      if (returned.carrier) break;
    }
  }
  const found = tried.flatMap(({ carrier, trial }) => (carrier && trial ? [{ carrier, trial }] : []));
  found.sort(
    (one, other) => capacity(other.trial) - capacity(one.trial) || one.trial.bytes - other.trial.bytes,
  );
  return {
    found: found.map(({ carrier, trial }) => ({ ...carrier, seen: trial.seen })),
    reasons: tried.flatMap(({ reason }) => reason ?? []),
  };
}

/** Balances that a call has room for: the more, the fewer requests a question takes. */
function capacity({ seen }: Trial): number {
  return Math.floor(Math.min(seen.taken / BALANCE.taken, seen.answered / BALANCE.answered));
}

interface Tried {
  readonly carrier?: Omit<NodeCarrier, 'seen'>;
  readonly trial?: Trial;
  /** Whether it has all the room that the rules allow. */
  readonly whole: boolean;
  readonly reason?: string;
}

async function tryCarrier(
  node: EthereumNode,
  carrier: Carrier,
  rules: ForkRules,
  options: RpcOptions,
): Promise<Tried> {
  const [full, ...others] = roomsOf(carrier, rules);
  const attempt = (room: Room): Promise<Trial | Error> => tryRoom(node, { carrier, rules, room }, options);
  const wholeTrial = await attempt(full);
  if (!(wholeTrial instanceof Error)) return { carrier: { carrier, rules }, trial: wholeTrial, whole: true };
  const least = await attempt({ taken: LEAST_ANSWERED, answered: LEAST_ANSWERED });
  if (least instanceof Error) {
    if (least instanceof NodeError && STILL_NO_WORD.has(least.kind)) throw least;
    return { whole: false, reason: `by ${carrier.name}: ${least.message}` };
  }
  for (const room of others) {
    const trial = await attempt(room);
    if (!(trial instanceof Error)) return { carrier: { carrier, rules }, trial, whole: false };
  }
  return { carrier: { carrier, rules }, trial: least, whole: false };
}

/** From all that the rules allow, over what those before them did, down. */
function roomsOf(carrier: Carrier, rules: ForkRules): [Room, ...Room[]] {
  const full = carrier.room(rules);
  const older = carrier.room(TODAYS_RULES);
  const rooms: [Room, ...Room[]] = [full];
  if (older.taken < full.taken) rooms.push({ taken: older.taken, answered: full.answered });
  const taken = Math.min(full.taken, TODAYS_RULES.maxInitCode);
  for (let answered = full.answered; answered >= LEAST_ANSWERED; answered = Math.floor(answered / 2))
    if (answered < full.answered) rooms.push({ taken, answered });
  return rooms;
}

/** Runs a program that takes and answers as much. @returns why there was no such answer, where there was none */
async function tryRoom(
  node: EthereumNode,
  asked: {
    readonly carrier: Carrier;
    readonly rules: ForkRules;
    readonly room: Room;
  },
  options: RpcOptions,
): Promise<Trial | Error> {
  const { carrier, rules, room } = asked;
  const items = itemsFor(room);
  const { run } = multicall(items, LATEST);
  const params = carrier.params(run!, LATEST, rules);
  let outcome: RpcOutcome | undefined;
  try {
    [outcome] = await node.send([{ method: 'eth_call', params }], options);
    const answer = outcome && carrier.answerIn(outcome);
    if (answer === undefined) {
      if (outcome && 'error' in outcome && NO_WORD.has(outcome.error.kind)) throw outcome.error;
      return wordOf(node, outcome);
    }
    const { gas, results } = decodeMulticall(answer, items);
    if (!results.every(({ status }) => status !== 'starved'))
      return new Error('the node grants too little gas for it');
    const errorBytes = outcome && 'error' in outcome ? (outcome.error.details.textLength ?? 0) : 0;
    return { seen: { ...room, gas }, bytes: JSON.stringify(params).length + answer.length + errorBytes };
  } catch (error) {
    if (error instanceof NodeError && NO_WORD.has(error.kind)) throw error;
    options.signal?.throwIfAborted();
    return error as Error;
  }
}

/** What a node said that is no answer of ours. */
function wordOf(node: EthereumNode, outcome: RpcOutcome | undefined): Error {
  try {
    const result = resultOf(outcome);
    const length = typeof result === 'string' ? `${result.length} characters` : typeof result;
    return new Error(`${node.label} answered ${length}, not what was asked`);
  } catch (error) {
    return error as Error;
  }
}

/** As many balances as the answer has room for, and bytes that fill what is left of the question. */
function itemsFor(room: Room): readonly MulticallItem[] {
  const { taken, returned } = itemRoom({ ...room, gas: 0 });
  const items: MulticallItem[] = [WEI];
  const one = bytesOf([WEI], WEI);
  const count = Math.min(
    Math.floor(returned / one.returned) - 3,
    Math.floor((taken - bytesOf([WEI]).taken) / one.taken) - 4,
  );
  while (items.length < count) items.push(WEI);
  for (let left = taken - bytesOf(items).taken; ; left = taken - bytesOf(items).taken) {
    const bytes = Math.min(MAX_FILLER, left - bytesOf([fillerOf(0)]).taken);
    if (bytes <= 0 || items.length > count + 2) return items;
    items.push(fillerOf(bytes));
  }
}

function fillerOf(bytes: number): CallItem {
  return { kind: 'call', target: ACCOUNT, data: `0x${'00'.repeat(bytes)}`, gas: FILLER_GAS, maxBytes: 0 };
}
