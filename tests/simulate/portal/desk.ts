/** A process of the portal, as people reach it. */
import type { PortalWork } from '@hindsight/portal/service.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import type { Machine } from '../machine/machine.ts';
import type { Network } from '../machine/network.ts';
import { isTransient, type Place } from '../place.ts';

/** The portal's parts that people make use of. */
export interface Desk extends PortalWork {
  readonly projects: ProjectRepository;
}

/** One place of a portal. */
export interface Portal {
  readonly place: Place;
  /** Of the process that runs there; undefined until it has started. */
  desk: Desk | undefined;
}

/**
 * An answer; `nothing` if the portal was not reached; `unknown` if it was killed, or a fault stopped it: then it has done all,
 * some or none of it, and does nothing more.
 */
export type Outcome<T> = { readonly value: T } | 'nothing' | 'unknown';

interface Visit<T> {
  readonly machine: Machine;
  readonly network: Network;
  readonly portal: Portal;
  readonly work: (desk: Desk) => Promise<T>;
  readonly onEnd: (outcome: Outcome<T>) => void;
  /** Called with an error that no fault explains. */
  readonly onFault: (fault: string) => void;
}

/** Has a portal do something. People wait as long as it takes, so that nothing happens behind their backs. */
export function visit<T>({ machine, network, portal, work, onEnd, onFault }: Visit<T>): void {
  const arrive = (): void => {
    const { desk, place } = portal;
    const { process } = place;
    if (desk === undefined || !place.isReady) return onEnd('nothing');
    const end = (outcome: Outcome<T>): void => {
      if (!process.onKill.delete(killed)) return;
      machine.as(machine.world, () => machine.after(network.latency(), () => onEnd(outcome)));
    };
    const killed = (): void => end('unknown');
    const failed = (error: unknown): void => {
      if (!isTransient(error) && place.isReady) onFault(`the portal failed: ${String(error)}`);
      end('unknown');
    };
    process.onKill.add(killed);
    const begin = (): void => void work(desk).then((value) => end({ value }), failed);
    machine.after(0, begin, process);
  };
  machine.after(network.latency(), arrive, machine.world);
}
