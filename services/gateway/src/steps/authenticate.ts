import { ApiError, forbidden, unauthorized } from '@hindsight/kernel/errors.ts';
import { isWellFormedKey } from '@hindsight/projects/key.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import type { GuessGuard } from '../keys/guess-guard.ts';
import type { CachedProjects } from '../keys/cached-projects.ts';

/** A longer text is no key; nothing is computed over it. */
const MAX_KEY_LENGTH = 64;

export interface Authentication {
  readonly projects: Pick<CachedProjects, 'findByKey' | 'remembers'>;
  readonly guard: GuessGuard;
}

/**
 * Authenticates a request: finds its project and key.
 * @throws {ApiError} 401, the same for a missing, malformed or unknown key; 403 for a suspended project; 429
 * for a key that is not cached, from an address with too many guesses under way
 */
export async function authenticate(
  { projects, guard }: Authentication,
  key: string | undefined,
  address: string,
): Promise<FoundByKey> {
  if (key === undefined || key === '') throw unauthorized('key_missing');
  if (key.length > MAX_KEY_LENGTH || !isWellFormedKey(key)) throw unauthorized('key_invalid');
  // A known-good key still works from an address that is throttled for guessing.
  if (!guard.admits(address) && !projects.remembers(key)) throw tooManyGuesses();
  const project = await projects.findByKey(key);
  if (project === null) {
    await guard.guessed(address);
    throw unauthorized('key_invalid');
  }
  refuseSuspended(project);
  return project;
}

/** @throws {ApiError} 403 */
export function refuseSuspended({ status }: FoundByKey): void {
  if (status === 'suspended') throw forbidden('project_suspended', 'This project is suspended.');
}

function tooManyGuesses(): ApiError {
  return new ApiError(
    'unknown_keys_exceeded',
    'Too many unknown keys from this address; try again in a few seconds.',
    { headers: { 'retry-after': '5' } },
  );
}
