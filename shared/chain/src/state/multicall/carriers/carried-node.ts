/**
 * A node that runs programs, by the best of its carriers. A probe finds them when the node is opened, or
 * first used, and again after a failure that may be the carrier's.
 */
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { SingleFlight } from '@hindsight/kernel/single-flight.ts';
import { rulesAt, type ForkRules, type Network } from '../../../networks.ts';
import {
  leftOf,
  type EthereumNode,
  type RpcCall,
  type RpcOptions,
  type RpcOutcome,
} from '../../../rpc/node.ts';
import { NodeError } from '../../../rpc/node-error.ts';
import type { NodeErrorKind } from '../../../rpc/node-error-kind.ts';
import type { ProgramRoom, ProgramRun } from '../../../rpc/program.ts';
import { bytesTaken, canEnd, RETURN, type Carrier, type CarrierName } from './carrier.ts';
import { probeCarriers, type NodeCarrier, type ProbeResult } from './probe.ts';

/** Carrier of a node's programs, for operators. */
export interface Carriage {
  /** `none`: it was probed, and has none. */
  readonly carrier: CarrierName | 'none';
  readonly room?: ProgramRoom;
  /** Why it has none, or none that is better. */
  readonly reasons: readonly string[];
}

export interface CarriedNode extends EthereumNode {
  room(time?: number): ProgramRoom | undefined;
  /** Undefined until it was probed. */
  carriage(): Carriage | undefined;
  /**
   * Probes it, unless a probe is under way.
   * @throws {NodeError} if it does not reveal its abilities
   */
  probe(options?: RpcOptions): Promise<Carriage>;
}

interface Deps {
  readonly network: Pick<Network, 'rules' | 'heightFrom'>;
  /** Its time is Unix milliseconds. */
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** A probe that has changed nothing is not repeated for this long, then for twice as long. */
const PROBED_FOR_MS = 10_000;
const MAX_PROBED_FOR_MS = 600_000;
const PROBE_MS = 5_000;
/** A run that was not sent, for its size. */
class TooLarge extends NodeError {}

/** Errors that say nothing of the carrier. */
const OTHER_KINDS: ReadonlySet<NodeErrorKind> = new Set<NodeErrorKind>([
  'unreachable',
  'timeout',
  'busy',
  'missing-state',
  'unknown-block',
]);

export function carryPrograms(node: EthereumNode, { network, clock, logger }: Deps): CarriedNode {
  const { label } = node;
  const probing = new SingleFlight<'probe', ProbeResult>();
  let latest: ProbeResult | undefined;
  let probedFor = PROBED_FOR_MS;
  let probeAgainAt = -Infinity;

  const rulesOf = (time = clock.now() / 1_000): ForkRules => rulesAt(network.rules, time);
  const roomOf = ({ carrier, seen }: NodeCarrier, time?: number): ProgramRoom => {
    const rules = rulesOf(time);
    const allowed = carrier.room(rules);
    return {
      taken: Math.min(allowed.taken, seen.taken),
      answered: Math.min(allowed.answered, seen.answered),
      gas: Math.min(rules.maxGas, seen.gas),
    };
  };
  const carriageOf = ({ found: [best], reasons }: ProbeResult): Carriage =>
    best ? { carrier: best.carrier.name, room: roomOf(best), reasons } : { carrier: 'none', reasons };

  const note = (probed: ProbeResult): void => {
    const isNew = latest === undefined || !isSame(probed, latest);
    probedFor = isNew ? PROBED_FOR_MS : Math.min(MAX_PROBED_FOR_MS, 2 * probedFor);
    probeAgainAt = clock.now() + probedFor;
    latest = probed;
    if (!isNew) return;
    const { carrier, room, reasons } = carriageOf(probed);
    const fields = { node: label, carrier, ...room, reasons };
    if (carrier === 'none') logger?.error(fields, 'node has no carrier for programs');
    else logger?.info(fields, 'node’s carrier for programs');
  };
  const probe = ({ signal, timeoutMs = PROBE_MS }: RpcOptions): Promise<ProbeResult> => {
    const share = probing.join('probe', async (own) => {
      const probed = await probeCarriers(node, network, clock.now() / 1_000, { signal: own, timeoutMs });
      note(probed);
      return probed;
    });
    return probing.waitFor(share, signal);
  };

  /** The carrier of a run, or why there is none. */
  const carrierFor = (run: ProgramRun, { found, reasons }: ProbeResult): Carrier | NodeError => {
    const known = found.find(({ carrier }) => canEnd(carrier, run.program));
    // The rules that have no REVERT let any node return code, at a price that does not matter.
    if (known === undefined && run.program.revert === undefined) return RETURN;
    if (known === undefined) return new NodeError('refused', noCarrier(label, reasons));
    const room = roomOf(known, run.time);
    const taken = bytesTaken(run);
    if (taken <= room.taken && run.mostBytes <= room.answered) return known.carrier;
    const text = `${label} has room for programs of ${room.taken} bytes and answers of ${room.answered}`;
    return new TooLarge('refused', `${text}, not for ${taken} and ${run.mostBytes}`);
  };

  const sendBy = async (
    probed: ProbeResult,
    calls: readonly RpcCall[],
    options: RpcOptions,
  ): Promise<readonly RpcOutcome[]> => {
    const carriers = calls.map(({ run }) => run && carrierFor(run, probed));
    const unlisted = probed.found.find(({ rules }) => !network.rules.includes(rules));
    const sent = calls.flatMap((call, at): RpcCall[] => {
      const carrier = carriers[at];
      if (call.run === undefined || carrier === undefined) return [call];
      if (carrier instanceof NodeError) return [];
      const rules = unlisted?.rules ?? rulesOf(call.run.time);
      return [{ method: call.method, params: carrier.params(call.run, call.params[1], rules) }];
    });
    const answers = (sent.length > 0 ? await node.send(sent, options) : []).values();
    return carriers.map((carrier): RpcOutcome => {
      if (carrier instanceof NodeError) return { error: carrier };
      const outcome = answers.next().value!;
      return carrier ? readAnswer(label, carrier, outcome) : outcome;
    });
  };

  return {
    ...node,
    carriage: () => latest && carriageOf(latest),
    probe: async (options = {}) => carriageOf(await probe(options)),
    room(time) {
      const best = latest?.found[0];
      return best && roomOf(best, time);
    },
    async send(calls, options = {}) {
      if (!calls.some(({ run }) => run)) return node.send(calls, options);
      const begun = performance.now();
      const probed = latest ?? (await probe(options));
      const outcomes = [...(await sendBy(probed, calls, leftOf(options, begun)))];
      const inDoubt = calls.flatMap(({ run }, at) => (run && isInDoubt(outcomes[at]) ? [at] : []));
      if (inDoubt.length === 0 || clock.now() < probeAgainAt) return outcomes;
      // A failure that may be the carrier's: the node was changed, or a fork has come. One more attempt, if
      // that is so.
      const now = await probe(leftOf(options, begun)).catch(() => undefined);
      if (now === undefined || isSame(now, probed)) return outcomes;
      const doubted = inDoubt.map((at) => calls[at]!);
      const again = await sendBy(now, doubted, leftOf(options, begun));
      inDoubt.forEach((at, i) => (outcomes[at] = again[i]!));
      return outcomes;
    },
  };
}

function readAnswer(label: string, carrier: Carrier, outcome: RpcOutcome): RpcOutcome {
  const answer = carrier.answerIn(outcome);
  if (answer !== undefined) return { result: answer };
  if (!('error' in outcome))
    return { error: new NodeError('malformed', `${label} did not run the program that it was sent`) };
  const { error } = outcome;
  if (error.kind !== 'reverted') return outcome;
  // No program fails by itself: the node ended it, or this is another program's revert.
  const text = `${error.message} (for a program that comes back by ${carrier.name})`;
  return { error: new NodeError('refused', text, { ...error.details, cause: error }) };
}

/** The operator's message on a node without a carrier. */
export function noCarrier(label: string, reasons: readonly string[]): string {
  return (
    `${label} can run no program: ${reasons.join('; ')}. ` +
    'It must pass on the data of a revert, or take state overrides in eth_call, or grant it more gas ' +
    '(geth and Erigon --rpc.gascap, Reth --rpc.gascap, Nethermind JsonRpc.GasCap); or set another node'
  );
}

/** True if a run failed in a way that may be the carrier's. */
function isInDoubt(outcome: RpcOutcome | undefined): boolean {
  if (outcome === undefined || !('error' in outcome) || outcome.error instanceof TooLarge) return false;
  return !OTHER_KINDS.has(outcome.error.kind);
}

function isSame(one: ProbeResult, other: ProbeResult): boolean {
  const [first, second] = [one.found[0], other.found[0]];
  return (
    first?.carrier === second?.carrier &&
    first?.seen.taken === second?.seen.taken &&
    first?.seen.answered === second?.seen.answered
  );
}
