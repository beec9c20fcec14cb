/**
 * A node that runs programs, by the best of its carriers. A probe finds them when the node is opened, or
 * first used, and again after a failure that may be the carrier's.
 */
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { SingleFlight } from '@hindsight/kernel/single-flight.ts';
import { rulesAt, type ForkRules, type Network } from '../../../networks.ts';
import type { EthereumNode, RpcCall, RpcOptions, RpcOutcome } from '../../../rpc/node.ts';
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

/** A node with a carrier. */
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

/** Gives a node a carrier. */
export function carryPrograms(node: EthereumNode, deps: Deps): CarriedNode {
  const carried = new Carried(node, deps);
  return {
    ...node,
    send: (calls, options) => carried.send(calls, options),
    room: (time) => carried.room(time),
    carriage: () => carried.carriage,
    probe: (options) => carried.probe(options),
  };
}

class Carried {
  readonly #node: EthereumNode;
  readonly #deps: Deps;
  readonly #probing = new SingleFlight<'probe', ProbeResult>();
  #probed: ProbeResult | undefined;
  #probedFor = PROBED_FOR_MS;
  #probeAgainAt = -Infinity;

  constructor(node: EthereumNode, deps: Deps) {
    this.#node = node;
    this.#deps = deps;
  }

  get carriage(): Carriage | undefined {
    if (this.#probed === undefined) return undefined;
    const { found, reasons } = this.#probed;
    const [best] = found;
    return best === undefined
      ? { carrier: 'none', reasons }
      : { carrier: best.carrier.name, room: this.#roomOf(best), reasons };
  }

  room(time?: number): ProgramRoom | undefined {
    const best = this.#probed?.found[0];
    return best && this.#roomOf(best, time);
  }

  async probe(options: RpcOptions = {}): Promise<Carriage> {
    await this.#probe(options);
    return this.carriage!;
  }

  async send(calls: readonly RpcCall[], options: RpcOptions = {}): Promise<readonly RpcOutcome[]> {
    if (!calls.some(({ run }) => run)) return this.#node.send(calls, options);
    const begun = performance.now();
    const within = (): RpcOptions =>
      options.timeoutMs === undefined
        ? options
        : { ...options, timeoutMs: Math.max(1, options.timeoutMs - (performance.now() - begun)) };
    const probed = this.#probed ?? (await this.#probe(options));
    const outcomes = [...(await this.#sendBy(probed, calls, within()))];
    const inDoubt = calls.flatMap(({ run }, at) => (run && isInDoubt(outcomes[at]) ? [at] : []));
    if (inDoubt.length === 0 || this.#deps.clock.now() < this.#probeAgainAt) return outcomes;
    // A failure that may be the carrier's: the node was changed, or a fork has come. One more attempt, if
    // that is so.
    const now = await this.#probe(within()).catch(() => undefined);
    if (now === undefined || isSame(now, probed)) return outcomes;
    const again = await this.#sendBy(
      now,
      inDoubt.map((at) => calls[at]!),
      within(),
    );
    inDoubt.forEach((at, i) => (outcomes[at] = again[i]!));
    return outcomes;
  }

  async #sendBy(
    probed: ProbeResult,
    calls: readonly RpcCall[],
    options: RpcOptions,
  ): Promise<readonly RpcOutcome[]> {
    const carriers = calls.map(({ run }) => run && this.#carrierFor(run, probed));
    const listed = this.#deps.network.rules;
    const [unlisted] = probed.found.filter(({ rules }) => !listed.includes(rules));
    const sent: RpcCall[] = [];
    calls.forEach((call, at) => {
      const carrier = carriers[at];
      if (call.run === undefined) sent.push(call);
      else if (carrier && !(carrier instanceof NodeError)) {
        const rules = unlisted?.rules ?? this.#rules(call.run.time);
        const params = carrier.params(call.run, call.params[1], rules);
        sent.push({ method: call.method, params });
      }
    });
    const answers = (sent.length > 0 ? await this.#node.send(sent, options) : []).values();
    return carriers.map((carrier): RpcOutcome => {
      if (carrier instanceof NodeError) return { error: carrier };
      const outcome = answers.next().value!;
      return carrier ? this.#read(carrier, outcome) : outcome;
    });
  }

  /** The carrier of a run, or why there is none. */
  #carrierFor(run: ProgramRun, { found, reasons }: ProbeResult): Carrier | NodeError {
    const { label } = this.#node;
    const known = found.find(({ carrier }) => canEnd(carrier, run.program));
    // The rules that have no REVERT let any node return code, at a price that does not matter.
    if (known === undefined && run.program.revert === undefined) return RETURN;
    if (known === undefined) return new NodeError('refused', noCarrier(label, reasons));
    const room = this.#roomOf(known, run.time);
    const taken = bytesTaken(run);
    if (taken <= room.taken && run.mostBytes <= room.answered) return known.carrier;
    const text = `${label} has room for programs of ${room.taken} bytes and answers of ${room.answered}`;
    return new TooLarge('refused', `${text}, not for ${taken} and ${run.mostBytes}`);
  }

  #read(carrier: Carrier, outcome: RpcOutcome): RpcOutcome {
    const answer = carrier.answerIn(outcome);
    if (answer !== undefined) return { result: answer };
    const { label } = this.#node;
    if (!('error' in outcome))
      return { error: new NodeError('malformed', `${label} did not run the program that it was sent`) };
    const { error } = outcome;
    if (error.kind !== 'reverted') return outcome;
    // No program fails by itself: the node ended it, or this is another program's revert.
    const text = `${error.message} (for a program that comes back by ${carrier.name})`;
    return { error: new NodeError('refused', text, { ...error.details, cause: error }) };
  }

  #roomOf({ carrier, seen }: NodeCarrier, time?: number): ProgramRoom {
    const rules = this.#rules(time);
    const allowed = carrier.room(rules);
    return {
      taken: Math.min(allowed.taken, seen.taken),
      answered: Math.min(allowed.answered, seen.answered),
      gas: Math.min(rules.maxGas, seen.gas),
    };
  }

  #rules(time = this.#deps.clock.now() / 1_000): ForkRules {
    return rulesAt(this.#deps.network.rules, time);
  }

  async #probe(options: RpcOptions): Promise<ProbeResult> {
    const { signal, timeoutMs = PROBE_MS } = options;
    const share = this.#probing.join('probe', async (own) => {
      const probed = await this.#findCarriers({ signal: own, timeoutMs });
      this.#note(probed);
      return probed;
    });
    return this.#probing.waitFor(share, signal);
  }

  #findCarriers(options: RpcOptions): Promise<ProbeResult> {
    const { network, clock } = this.#deps;
    return probeCarriers(this.#node, network, clock.now() / 1_000, options);
  }

  #note(probed: ProbeResult): void {
    const isNew = this.#probed === undefined || !isSame(probed, this.#probed);
    this.#probedFor = isNew ? PROBED_FOR_MS : Math.min(MAX_PROBED_FOR_MS, 2 * this.#probedFor);
    this.#probeAgainAt = this.#deps.clock.now() + this.#probedFor;
    this.#probed = probed;
    if (!isNew) return;
    const { carrier, room, reasons } = this.carriage!;
    const fields = { node: this.#node.label, carrier, ...room, reasons };
    if (carrier === 'none') this.#deps.logger?.error(fields, 'node has no carrier for programs');
    else this.#deps.logger?.info(fields, 'node’s carrier for programs');
  }
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
