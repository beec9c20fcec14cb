import type { ProjectRepository } from './ports.ts';

/** Projects that are looked at in turn, the oldest first: the demo's is among the first in most installations. */
const PAGE = 20;

/** The given secrets open no stored key: gateways would refuse every key, or those that are stored under them. */
export class WrongSecret extends Error {
  override readonly name = 'WrongSecret';

  constructor() {
    super('SECRETS_KEY is not the one that the stored keys are encrypted with');
  }
}

/**
 * Looks at stored keys up to the first that can be opened. One is enough: after the loss of a secret keys are replaced one by
 * one.
 * @throws {WrongSecret} when there are keys, and none of them can be opened
 */
export async function refuseWrongSecret(
  projects: Pick<ProjectRepository, 'list' | 'listKeys'>,
): Promise<void> {
  let hasKeys = false;
  for (let page = await projects.list(PAGE); page.length > 0; page = await projects.list(PAGE, page.at(-1))) {
    const keys = await Promise.all(page.map(({ id }) => projects.listKeys(id)));
    const living = keys.flat().filter(({ revokedAt }) => revokedAt === null);
    if (living.some(({ last4 }) => last4 !== null)) return;
    hasKeys ||= living.length > 0;
  }
  if (hasKeys) throw new WrongSecret();
}
