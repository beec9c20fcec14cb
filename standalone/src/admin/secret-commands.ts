/** `secrets …`: the secret that encrypts stored keys. */
import type { ProjectRepository, Resealed } from '@hindsight/projects/ports.ts';
import { Command } from 'commander';
import type { AdminConfig } from './config.ts';
import { command, print, type Output } from './output.ts';
import { reading } from './session.ts';

/** Projects between two progress messages. */
const PAGE = 100;

interface Totals {
  readonly resealed: number;
  readonly unchanged: number;
  readonly unreadable: readonly string[];
}

/** The group of commands. @param config read when a command runs, so that help needs no settings */
export function secretCommands(config: () => AdminConfig): Command {
  const reseal = command(
    'reseal',
    'encrypt every stored key with SECRETS_KEY; older ones are decrypted with SECRETS_KEY_PREVIOUS. ' +
      'May be interrupted and run again',
  ).action(async (options: Output) => {
    const totals = await reading(config(), ({ projects }) => resealAll(projects));
    const { resealed, unchanged, unreadable } = totals;
    print(options, totals, {
      'encrypted again': resealed,
      'already current': unchanged,
      'not decrypted': unreadable.length,
    });
    if (unreadable.length > 0) throw new Error(explain(unreadable));
  });
  return new Command('secrets').description('the secret that encrypts stored keys').addCommand(reseal);
}

async function resealAll(projects: ProjectRepository): Promise<Totals> {
  let totals: Totals = { resealed: 0, unchanged: 0, unreadable: [] };
  for (let last: Resealed['last'] | undefined; last !== null;) {
    const page: Resealed = await projects.resealKeys(PAGE, last);
    totals = {
      resealed: totals.resealed + page.resealed.length,
      unchanged: totals.unchanged + page.unchanged,
      unreadable: [...totals.unreadable, ...page.unreadable],
    };
    last = page.last;
  }
  return totals;
}

function explain(ids: readonly string[]): string {
  const shown = ids.slice(0, 20).join(', ');
  const more = ids.length > 20 ? ` and ${ids.length - 20} more` : '';
  return (
    `none of the given secrets decrypts the keys of these projects: ${shown}${more}. ` +
    'Add the secret that they were encrypted with to SECRETS_KEY_PREVIOUS and run this again, or rotate the keys.'
  );
}
