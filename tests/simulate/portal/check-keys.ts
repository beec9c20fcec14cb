/** Once all faults are over, each gateway soon takes the keys that work, and refuses those that have ended. */
import type { Machine } from '../machine/machine.ts';
import type { Place } from '../place.ts';
import type { People } from './people.ts';

interface Deps {
  readonly machine: Machine;
  readonly people: People;
  readonly gateways: readonly Place[];
}

/** Longer than a gateway takes a key for known that it has asked for, by a clock that has jumped. */
const WITHIN_MS = 10 * 60_000;
const AGAIN_MS = 20_000;

/** @returns the broken promises */
export async function checkKeys({ machine, people, gateways }: Deps): Promise<string[]> {
  const wrong = new Map<string, string>();
  for (const at of gateways)
    for (const person of people.all)
      for (const [place, key] of person.keys.entries()) {
        const of = `${at.name}: key ${place + 1} of ${person.id}`;
        wrong.set(of, 'not answered');
        const look = (): void =>
          people.show(
            { key, at, isKnown: () => true },
            (falsehood) => {
              if (falsehood === undefined) return void wrong.delete(of);
              wrong.set(of, falsehood);
              machine.after(AGAIN_MS, look, machine.world);
            },
            () => machine.after(AGAIN_MS, look, machine.world),
          );
        machine.after(machine.random.between(0, AGAIN_MS), look, machine.world);
      }
  await machine.settle(WITHIN_MS, () => wrong.size === 0);
  return [...wrong].map(([of, falsehood]) => `${of} is ${falsehood}`);
}
