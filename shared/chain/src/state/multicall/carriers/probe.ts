/** Finds out which carriers a node has, and what room each of them gives there. */
import { rulesAt, TODAYS_RULES, amsterdamRules, type ForkRules, type Network } from '../../../networks.ts';
import { resultOf, type EthereumNode, type RpcOptions, type RpcOutcome } from '../../../rpc/node.ts';
import { NodeError } from '../../../rpc/node-error.ts';
import type { NodeErrorKind } from '../../../rpc/node-error-kind.ts';
import type { Program, ProgramRoom } from '../../../rpc/program.ts';
import {
  bytesOf,
  callOf,
  decodeMulticall,
  itemRoom,
  multicall,
  multicallOf,
  type CallItem,
  type MulticallItem,
} from '../multicall.ts';
import { bytesTaken, OVERRIDE, RETURN, REVERT, type Carrier } from './carrier.ts';
import { compareCosts, costOf, type Cost } from './cost.ts';

export interface NodeCarrier {
  readonly carrier: Carrier;
  /** Largest input and whole answer that the node was seen to manage. */
  readonly seen: ProgramRoom;
  /** The rules by which its code was priced. */
  readonly rules: ForkRules;
  readonly cost: Cost;
}

export interface ProbeResult {
  /** The carriers that the node has, best first. */
  readonly found: readonly NodeCarrier[];
  /** Reasons against the other carriers, for operators. */
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
/** If it answers so even to the smallest program, it cannot. */
const STILL_NO_WORD: ReadonlySet<NodeErrorKind> = new Set<NodeErrorKind>([
  'timeout',
  'malformed',
  'missing-state',
  'unknown-block',
]);

type Room = Omit<ProgramRoom, 'gas'>;

/**
 * Probes a node at its head, with programs as large as will ever be sent, then with smaller ones if it does
 * not answer those in whole: by REVERT and by an override, and by RETURN if at its best it costs less.
 * @param now Unix seconds
 * @throws {NodeError} if the node does not answer
 */
export async function probeCarriers(
  node: EthereumNode,
  network: Pick<Network, 'rules' | 'heightFrom'>,
  now: number,
  options: RpcOptions,
): Promise<ProbeResult> {
  const own = rulesAt(network.rules, now);
  const program = multicallOf(network);
  const attempt = (carrier: Carrier, rules: ForkRules): Promise<Tried> =>
    tryCarrier(node, { carrier, rules, program }, options);
  const tried = await Promise.all([attempt(REVERT, own), attempt(OVERRIDE, own)]);
  // The network's rules may be behind the node's: a fork that is not known yet.
  for (const priced of [own, amsterdamRules(0)]) {
    const [best] = bestOf(tried);
    const atBest = costOf({ room: RETURN.room(priced), around: 0, text: 0 });
    if (best && compareCosts(best.cost, atBest) <= 0) continue;
    const returned = await attempt(RETURN, priced);
    tried.push(returned);
    if (typeof returned !== 'string') break;
  }
  return { found: bestOf(tried), reasons: tried.filter((one) => typeof one === 'string') };
}

/** A carrier that the node has, or the reason against it. */
type Tried = NodeCarrier | string;

/** Those that the node has, best first. */
function bestOf(tried: readonly Tried[]): readonly NodeCarrier[] {
  return tried
    .filter((one) => typeof one !== 'string')
    .sort((one, other) => compareCosts(one.cost, other.cost));
}

interface Load {
  readonly carrier: Carrier;
  readonly rules: ForkRules;
  readonly program: Program;
}

async function tryCarrier(node: EthereumNode, load: Load, options: RpcOptions): Promise<Tried> {
  const { carrier, rules } = load;
  const [full, ...others] = roomsOf(carrier, rules);
  const attempt = (room: Room): Promise<NodeCarrier | Error> => tryRoom(node, { ...load, room }, options);
  const whole = await attempt(full);
  if (!(whole instanceof Error)) return whole;
  const least = await attempt({ taken: LEAST_ANSWERED, answered: LEAST_ANSWERED });
  if (least instanceof Error) {
    if (least instanceof NodeError && STILL_NO_WORD.has(least.kind)) throw least;
    return `by ${carrier.name}: ${least.message}`;
  }
  for (const room of others) {
    const found = await attempt(room);
    if (!(found instanceof Error)) return found;
  }
  return least;
}

/** Smaller sizes, from all that the rules allow down. */
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

/** Runs a program with that input and answer. @returns the reason if there was no such answer */
async function tryRoom(
  node: EthereumNode,
  asked: Load & { readonly room: Room },
  options: RpcOptions,
): Promise<NodeCarrier | Error> {
  const { carrier, rules, program, room } = asked;
  const items = itemsFor(room, program);
  const { run } = multicall(items, LATEST, { program });
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
    const text = outcome && 'error' in outcome ? (outcome.error.details.textLength ?? 0) : 0;
    const around = JSON.stringify(params).length - 2 * bytesTaken(run!);
    const cost = costOf({ room, around, text: text / answer.length });
    return { carrier, rules, seen: { ...room, gas }, cost };
  } catch (error) {
    if (error instanceof NodeError && NO_WORD.has(error.kind)) throw error;
    options.signal?.throwIfAborted();
    return error as Error;
  }
}

/** The node's text that is no program's answer. */
function wordOf(node: EthereumNode, outcome: RpcOutcome | undefined): Error {
  try {
    const result = resultOf(outcome);
    const length = typeof result === 'string' ? `${result.length} characters` : typeof result;
    return new Error(`${node.label} answered ${length}, not what was asked`);
  } catch (error) {
    return error as Error;
  }
}

/** As many balances as the answer has room for, and bytes that fill the rest of the question. */
function itemsFor(room: Room, program: Program): readonly MulticallItem[] {
  const { taken, returned } = itemRoom(room, program);
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
  return callOf(ACCOUNT, `0x${'00'.repeat(bytes)}`, FILLER_GAS, 0);
}
