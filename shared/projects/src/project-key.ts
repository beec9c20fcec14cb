/** A key of a project: its permissions, origins and expiry. Its secret is kept apart (`record.ts`). */
import { BlockList, isIP } from 'node:net';
import { InvalidProject, limitsOf, shortText, type Project } from './project.ts';

/** Permissions of a key; each public route needs one of them. */
export const SCOPES = ['read', 'webhook', 'usage'] as const;

export type Scope = (typeof SCOPES)[number];

/** The id of a project's first key, and of all usage from before keys had ids. */
export const DEFAULT_KEY_ID = 'default';

/** Most working keys of a project. */
export const MAX_KEYS = 20;

export interface KeyTerms {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** IP addresses and CIDR ranges that it may be used from; empty for any. */
  readonly allowedAddresses: readonly string[];
  /** Origins of web pages that it may be used from; empty for any client, also one without an origin. */
  readonly allowedOrigins: readonly string[];
  /** Unix milliseconds from which on it is refused; null for never. */
  readonly expiresAt: number | null;
  /** Units a month, in addition to the project's limit; null for no such cap. */
  readonly monthlyCap: number | null;
}

export interface ProjectKey extends KeyTerms {
  /** Unique among the keys that the project ever had; never the secret. */
  readonly id: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The terms of a new key, or those that change. */
export type KeyChoice = Partial<KeyTerms>;

const MAX_ENTRIES = 20;
/** Terms of a key unless others are chosen. */
const DEFAULT_TERMS: KeyTerms = {
  name: 'Default',
  scopes: SCOPES,
  allowedAddresses: [],
  allowedOrigins: [],
  expiresAt: null,
  monthlyCap: null,
};

/** The name of a key's old secret among the last uses: an end tells it from those of other rotations. */
export function oldSecretId(keyId: string, end: number): string {
  return `${keyId}@${end}`;
}

export function defaultKey(createdAt: number): ProjectKey {
  return { id: DEFAULT_KEY_ID, createdAt, ...DEFAULT_TERMS };
}

/**
 * The terms that follow from a choice; terms that it leaves out stay.
 * @throws {InvalidProject} when a part of it is not valid
 */
export function keyTerms(
  choice: KeyChoice,
  { project, now, before = DEFAULT_TERMS }: { project: Project; now: number; before?: KeyTerms },
): KeyTerms {
  const { name, scopes, allowedAddresses, allowedOrigins, expiresAt, monthlyCap } = choice;
  return {
    name: name === undefined ? before.name : shortText('a key’s name', name),
    scopes: scopes === undefined ? before.scopes : validScopes(scopes),
    allowedAddresses:
      allowedAddresses === undefined ? before.allowedAddresses : listOf(ADDRESSES, allowedAddresses),
    allowedOrigins: allowedOrigins === undefined ? before.allowedOrigins : listOf(ORIGINS, allowedOrigins),
    expiresAt:
      expiresAt === undefined || expiresAt === before.expiresAt ? before.expiresAt : end(expiresAt, now),
    monthlyCap:
      monthlyCap === undefined || monthlyCap === before.monthlyCap
        ? before.monthlyCap
        : cap(monthlyCap, limitsOf(project).monthlyLimit),
  };
}

/** Tests whether a key may be used from an address: one of those listed, or within a listed range. */
export function addressMatcher(allowed: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of allowed) {
    const [address = '', bits] = entry.split('/', 2);
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  // An IPv4 address that is written as IPv6 (`::ffff:…`) is checked as the IPv4 address.
  return (address) => isIP(address) > 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** A list of texts that a key has. */
interface ListKind {
  readonly plural: string;
  readonly expected: string;
  /** Its usual form; undefined if it is not valid. */
  readonly parse: (entry: string) => string | undefined;
}

const ADDRESSES: ListKind = {
  plural: 'allowed addresses',
  expected: 'an IP address or a CIDR range, such as 203.0.113.7 or 2001:db8::/32',
  parse(entry) {
    const [address = '', bits, ...rest] = entry.toLowerCase().split('/');
    const family = isIP(address);
    if (family === 0 || address.includes('%') || rest.length > 0) return undefined;
    if (bits === undefined) return address;
    return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
      ? `${address}/${Number(bits)}`
      : undefined;
  },
};

const ORIGINS: ListKind = {
  plural: 'allowed origins',
  expected: 'the origin of a web page, such as https://app.example.com',
  parse(entry) {
    if (!URL.canParse(entry)) return undefined;
    const { protocol, origin, href } = new URL(entry);
    const isOrigin = href === `${origin}/` && (protocol === 'https:' || protocol === 'http:');
    return isOrigin ? origin : undefined;
  },
};

function listOf({ plural, expected, parse }: ListKind, entries: readonly string[]): string[] {
  const parsed = entries.map((entry) => {
    const valid = parse(entry.trim());
    if (valid !== undefined) return valid;
    throw new InvalidProject(`${plural}: ${JSON.stringify(entry.trim().slice(0, 60))} is not ${expected}`);
  });
  const unique = [...new Set(parsed)];
  if (unique.length <= MAX_ENTRIES) return unique;
  throw new InvalidProject(`${plural}: ${unique.length} are given; a key can have ${MAX_ENTRIES}`);
}

function validScopes(scopes: readonly string[]): Scope[] {
  const chosen = SCOPES.filter((scope) => scopes.includes(scope));
  if (chosen.length > 0 && chosen.length === new Set(scopes).size) return chosen;
  throw new InvalidProject(
    `scopes: a key needs at least one of ${SCOPES.join(', ')}, and can have no others`,
  );
}

function end(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null || (Number.isSafeInteger(expiresAt) && expiresAt > now)) return expiresAt;
  throw new InvalidProject('expiry: it must be in the future');
}

function cap(units: number | null, limit: number): number | null {
  if (units === null || (Number.isInteger(units) && units >= 1 && units <= limit)) return units;
  throw new InvalidProject(
    `monthly cap: a whole number from 1 to ${limit}, the project’s limit, is expected`,
  );
}
