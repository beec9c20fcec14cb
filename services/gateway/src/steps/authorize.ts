import type { Clock } from '@hindsight/kernel/clock.ts';
import { ApiError, forbidden, unauthorized } from '@hindsight/kernel/errors.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { addressMatcher, type ProjectKey, type Scope } from '@hindsight/projects/project-key.ts';
import type { KeyUses } from '../keys/key-uses.ts';
import { refuseSuspended, type Authentication } from './authenticate.ts';

export interface KeyPurpose {
  readonly scope: Scope;
  /** The client's. */
  readonly address: string;
  /** The `Origin` header: the web page that sends the request. */
  readonly origin: string | undefined;
}

export interface Identification extends Authentication {
  readonly uses: Pick<KeyUses, 'note'>;
  readonly clock: Clock;
}

/** Authorizes an authenticated request, and notes that its key was used. @throws {ApiError} as `authorize` does */
export function authorizeUse(
  { clock, uses }: Pick<Identification, 'clock' | 'uses'>,
  project: FoundByKey,
  purpose: KeyPurpose,
): void {
  const now = clock.now();
  authorize(project, purpose, now);
  uses.note(project, now);
}

/**
 * Identifies a request under way again. A key that was found before is no guess.
 * @throws {ApiError} 401, 403; 503 if it cannot be checked
 */
export async function identifyAgain(
  { projects, clock }: Identification,
  key: string,
  purpose: KeyPurpose,
): Promise<FoundByKey> {
  const project = await projects.findByKey(key);
  if (project === null) throw unauthorized('key_invalid');
  refuseSuspended(project);
  authorize(project, purpose, clock.now());
  return project;
}

/** Keyed by the cached key: a changed key is another object. */
const matchers = new WeakMap<ProjectKey, (address: string) => boolean>();

/**
 * Authorizes a key for a use. Refusals are not counted.
 * @throws {ApiError} 401 for an expired key; 403 that names the missing scope, or the address or origin
 */
function authorize({ key }: FoundByKey, { scope, address, origin }: KeyPurpose, now: number): void {
  const { expiresAt, scopes, allowedAddresses, allowedOrigins } = key;
  if (expiresAt !== null && now >= expiresAt)
    throw new ApiError('key_expired', `This API key expired at ${new Date(expiresAt).toISOString()}.`, {
      headers: { 'www-authenticate': 'ApiKey' },
    });
  if (!scopes.includes(scope))
    throw forbidden(
      'key_scope_missing',
      `This API key lacks the scope "${scope}", which this endpoint needs; it has: ${scopes.join(', ')}.`,
    );
  if (allowedAddresses.length > 0 && !matcherOf(key)(address))
    throw forbidden('address_not_allowed', `This API key may not be used from the address ${address}.`);
  if (allowedOrigins.length > 0 && !allowedOrigins.includes(origin ?? ''))
    throw forbidden(
      'origin_not_allowed',
      origin === undefined
        ? 'This API key may only be used from the web pages that it allows; the request has no Origin header.'
        : `This API key may not be used from the origin ${origin.slice(0, 200)}.`,
    );
}

function matcherOf(key: ProjectKey): (address: string) => boolean {
  let matches = matchers.get(key);
  if (matches === undefined) matchers.set(key, (matches = addressMatcher(key.allowedAddresses)));
  return matches;
}
