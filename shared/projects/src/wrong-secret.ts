import { Fault } from '@hindsight/kernel/errors.ts';
import { retry } from '@hindsight/kernel/retry.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import type { ProjectRepository } from './ports.ts';

type StoredKeys = Pick<ProjectRepository, 'list' | 'listKeys'>;

/** Projects that are looked at in turn, the oldest first: the demo's is among the first in most installations. */
const PAGE = 20;
/** An election of MongoDB's does not end a start. */
const ATTEMPTS = 10;
const PAUSE_MS = 500;

/** The given secrets open no stored key: gateways would refuse every key, or those that are stored under them. */
export class WrongSecret extends Fault {
  constructor() {
    super('SECRETS_KEY is not the one that the stored keys are encrypted with');
  }
}

/**
 * Looks at stored keys up to the first that can be opened. One is enough: after the loss of a secret keys are replaced one by
 * one.
 * @throws {WrongSecret} when there are keys, and none of them can be opened
 * @throws {StoreUnavailable} when the store does not answer for some seconds
 */
export async function refuseWrongSecret(projects: StoredKeys): Promise<void> {
  const isWrong = await retry(() => opensNone(projects), {
    attempts: ATTEMPTS,
    pauseMs: () => PAUSE_MS,
    isTransient: (error) => error instanceof StoreUnavailable,
  });
  if (isWrong) throw new WrongSecret();
}

async function opensNone(projects: StoredKeys): Promise<boolean> {
  let hasKeys = false;
  for (let page = await projects.list(PAGE); page.length > 0; page = await projects.list(PAGE, page.at(-1))) {
    const keys = await Promise.all(page.map(({ id }) => projects.listKeys(id)));
    const living = keys.flat().filter(({ revokedAt }) => revokedAt === null);
    if (living.some(({ last4 }) => last4 !== null)) return false;
    hasKeys ||= living.length > 0;
  }
  return hasKeys;
}
