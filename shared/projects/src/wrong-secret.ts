import type { ProjectRepository } from './ports.ts';

/** The oldest projects: one of them is the demo's in most installations. */
const SAMPLE = 20;

/** The given secrets open no stored key: gateways would refuse every key, or those that are stored under them. */
export class WrongSecret extends Error {
  override readonly name = 'WrongSecret';

  constructor() {
    super('SECRETS_KEY is not the one that the stored keys are encrypted with');
  }
}

/**
 * Looks at some stored keys. One that can be opened is enough: after the loss of a secret keys are replaced one by one.
 * @throws {WrongSecret} when there are keys, and none of them can be opened
 */
export async function refuseWrongSecret(
  projects: Pick<ProjectRepository, 'list' | 'listKeys'>,
): Promise<void> {
  const oldest = await projects.list(SAMPLE);
  const keys = await Promise.all(oldest.map(({ id }) => projects.listKeys(id)));
  const living = keys.flat().filter(({ revokedAt }) => revokedAt === null);
  if (living.length > 0 && living.every(({ last4 }) => last4 === null)) throw new WrongSecret();
}
