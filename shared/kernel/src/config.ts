/**
 * Configuration: variables in; out comes one frozen, typed object, or every fault at once.
 *
 * Each process declares its settings as a table of variable name to `Setting`; only its main.ts reads
 * `process.env`. An empty variable counts as not set, as `docker compose` and shells produce them.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { Fault } from './errors.ts';
import { hasReadableCredentials, isDecodable } from './url-escapes.ts';

/** One variable: how it is parsed, whether it may be shown, and what it is for. */
export interface Setting<T> {
  readonly schema: z.ZodType<T>;
  /** A secret's value never appears in a fault or a listing. */
  readonly secret?: boolean;
  readonly about: string;
  /** Settings that this one needs: where it is set, they must be set too, and switched on. */
  readonly needs?: readonly string[];
  /** Settings of which one at least must be set where this one is not. */
  readonly unless?: readonly string[];
}

/** A table of variable name to setting. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;

/** Result of `load` for a table: the same names, parsed. */
export type Config<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

/** The environment as a process sees it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** All that a fault may say about a secret, besides the expectation. */
const WRITE_ESCAPED =
  'write a % in a name or a password as %25, a / as %2F, a ? as %3F, a # as %23, an @ as %40';

/** Carries every fault found. The operator may see `message`: it contains no secret. */
export class ConfigError extends Fault {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((f) => `  - ${f}`).join('\n')}`,
    );
    this.faults = faults;
  }
}

/**
 * Parses the environment by a table of settings.
 * @throws {ConfigError} with every fault, not just the first; values of secrets are masked.
 */
export function load<S extends Settings>(settings: S, env: Environment): Config<S> {
  const faults: string[] = [];
  const entries = Object.entries(settings).map(([name, setting]) => {
    const raw = rawValue(env, name);
    const parsed = setting.schema.safeParse(raw);
    if (parsed.success) {
      const isMissing = (other: string): boolean => isNotSet(env, other, settings[other]);
      if (raw === undefined && setting.unless?.every(isMissing))
        faults.push(`${name} is not set: ${setting.about}`);
      // A setting that has its default, as one that is off does, may stand alone.
      const isUsual = raw === undefined || parsed.data === setting.schema.safeParse(undefined).data;
      const needs = isUsual ? [] : (setting.needs ?? []);
      faults.push(...needs.filter(isMissing).map((other) => `${name} is set: it needs ${other}`));
      return [name, parsed.data];
    }
    faults.push(describeFault(name, setting, raw, parsed.error));
    return [name, undefined];
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(Object.fromEntries(entries)) as Config<S>;
}

/** An empty variable counts as not set. */
function rawValue(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

function isNotSet(env: Environment, name: string, setting: Setting<unknown> | undefined): boolean {
  const raw = rawValue(env, name);
  return raw === undefined || setting?.schema.safeParse(raw).data === false;
}

function describeFault(
  name: string,
  setting: Setting<unknown>,
  raw: string | undefined,
  error: z.ZodError,
): string {
  if (raw === undefined) return `${name} is not set: ${setting.about}`;
  const shown = setting.secret
    ? '(secret)'
    : JSON.stringify(raw.length > 100 ? `${raw.slice(0, 100)}…` : raw);
  const messages = error.issues.map((issue) => issue.message);
  // A schema's own message may quote the value; for a secret only the expectation is repeated.
  const reasons = setting.secret
    ? [setting.about, ...messages.filter((message) => message === WRITE_ESCAPED)]
    : messages;
  return `${name} is ${shown}: ${reasons.join('; ')}`;
}

export function integer(
  about: string,
  bounds: { min: number; max: number; default: number },
): Setting<number> {
  const expected = `expected a whole number from ${bounds.min} to ${bounds.max}`;
  const schema = z
    .string()
    .regex(/^\d{1,15}$/, expected)
    .transform(Number)
    .refine((n) => n >= bounds.min && n <= bounds.max, expected);
  return { about, schema: withDefault(schema, bounds.default) };
}

/** The default replaces an absent variable before any rule is applied. */
function withDefault<T>(schema: z.ZodType<T>, standard: T): z.ZodType<T> {
  return schema.optional().transform((value) => value ?? standard);
}

/** A TCP port; 0 lets the system choose one. */
export function port(about: string, standard: number): Setting<number> {
  return integer(about, { min: 0, max: 65_535, default: standard });
}

export function text(about: string, standard: string): Setting<string> {
  return { about, schema: withDefault(boundedText(), standard) };
}

export function optionalText(about: string, bounds?: TextBounds): Setting<string | undefined> {
  const { schema, ...named } = requiredText(about, bounds);
  return { ...named, schema: schema.optional() };
}

export function requiredText(about: string, { secret, minLength }: TextBounds = {}): Setting<string> {
  return { about, schema: boundedText(minLength), ...(secret && { secret }) };
}

interface TextBounds {
  readonly secret?: boolean;
  readonly minLength?: number;
}

function boundedText(minLength = 1): z.ZodString {
  return z
    .string()
    .min(minLength, `expected at least ${minLength} characters`)
    .max(4096, 'expected at most 4096 characters');
}

export function choice<const T extends string>(about: string, values: readonly T[], standard: T): Setting<T> {
  const { schema, ...named } = optionalChoice(about, values);
  return { ...named, schema: schema.transform((value) => value ?? standard) };
}

export function optionalChoice<const T extends string>(
  about: string,
  values: readonly T[],
): Setting<T | undefined> {
  const words = values.join(', ');
  return { about: `${about}: ${words}`, schema: z.enum(values, `expected one of ${words}`).optional() };
}

/** Off unless it is switched on. */
export function toggle(about: string): Setting<boolean> {
  const { schema } = choice(about, ['on', 'off', 'true', 'false'], 'off');
  return { about: `${about}: on, off`, schema: schema.transform((word) => word === 'on' || word === 'true') };
}

/** Path of a PEM file of certificates; the file is read at once, and its text is the value. May be absent. */
export function optionalCertificates(about: string): Setting<string | undefined> {
  const schema = boundedText().transform((path, context) => {
    try {
      const pem = readFileSync(path, 'utf8');
      new X509Certificate(pem).toString();
      return pem;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const unread = /^E[A-Z]+$/.test(code);
      context.addIssue(unread ? `the file cannot be read (${code})` : 'the file holds no PEM certificate');
      return z.NEVER;
    }
  });
  return { about, schema: schema.optional() };
}

function isUrl(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

/** A required URL. URLs often carry credentials, so their values are never shown. */
export function requiredUrl(about: string, protocols: readonly string[]): Setting<string> {
  const schema = z
    .string()
    .refine((value) => isUrl(value, protocols))
    .refine(hasReadableCredentials, WRITE_ESCAPED);
  return { about: `${about}; ${expectedUrl(protocols)}`, secret: true, schema };
}

const BASE_URL = /^https?:\/\/[^@\s?#]+$/;
const withoutEnd = (value: string): string => value.replace(/(?<!\/)\/+$/, '');

/** An optional base URL, without credentials, a query or a fragment: paths are appended to it. */
export function optionalBaseUrl(about: string): Setting<string | undefined> {
  return baseUrl(`${about}; beginning with http:// or https://`, BASE_URL);
}

/** The same to its last slash: an OpenID provider's name has to be the one that it gives itself. */
export function optionalIssuer(about: string): Setting<string | undefined> {
  return baseUrl(`${about}; beginning with http:// or https://`, BASE_URL, (value) => value);
}

/** The same without a path: the whole of a site. */
export function optionalSiteUrl(about: string): Setting<string | undefined> {
  return baseUrl(
    `${about}; beginning with http:// or https://, without a path`,
    /^https?:\/\/[^@\s?#/\\]+\/*$/,
  );
}

function baseUrl(expected: string, shape: RegExp, read = withoutEnd): Setting<string | undefined> {
  const schema = z
    .string()
    .max(2_000, expected)
    .refine((value) => URL.canParse(value) && shape.test(value), expected)
    .transform(read);
  return { about: expected, secret: true, schema: schema.optional() };
}

/** A comma-separated list of URLs, in order of preference; at least one, where it is set. */
export function optionalUrlList(
  about: string,
  protocols: readonly string[],
): Setting<readonly string[] | undefined> {
  const schema = commaSeparated()
    .transform((items) => items.filter((item) => item !== ''))
    .refine((urls) => urls.length > 0 && urls.every((url) => isUrl(url, protocols)))
    .refine((urls) => urls.every(hasReadableCredentials), WRITE_ESCAPED);
  return { about: `${about}; ${expectedUrl(protocols)}`, secret: true, schema: schema.optional() };
}

function commaSeparated() {
  return z.string().transform((value) => value.split(',').map((part) => part.trim()));
}

function optionalList(
  about: string,
  isItem: (part: string) => boolean,
): Setting<readonly string[] | undefined> {
  const schema = commaSeparated().refine((parts) => parts.every(isItem), about);
  return { about, schema: schema.optional() };
}

/**
 * An optional connection string. Unlike a URL it may name several hosts, separated by commas. Never shown.
 */
export function optionalConnectionString(
  about: string,
  schemes: readonly string[],
): Setting<string | undefined> {
  const expected = `beginning with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
  const isConnectionString = (value: string): boolean => {
    const [, scheme = ''] = /^([a-z+]+):\/\/[^\s/]+(?:\/\S*)?$/.exec(value) ?? [];
    return value.length <= 4096 && schemes.includes(scheme);
  };
  return {
    about: `${about}; ${expected}`,
    secret: true,
    schema: z.string().refine(isConnectionString).refine(isReadable, WRITE_ESCAPED).optional(),
  };
}

/** With a / in a password, the port ends before it: drivers refuse that with errors that quote all of it. */
function isReadable(connectionString: string): boolean {
  const [address = ''] = connectionString.split('?');
  const [first = ''] = address.slice(address.lastIndexOf('@') + 1).split(',');
  return isDecodable(address) && URL.canParse(address.slice(0, address.lastIndexOf('@') + 1) + first);
}

function isHostAndPort(value: string): boolean {
  const [, port] = /^(?:\[[\da-f:]+\]|[\w.-]+):(\d{1,5})$/i.exec(value) ?? [];
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}

/** Optional addresses as host:port, separated by commas. */
export function optionalHostList(about: string): Setting<readonly string[] | undefined> {
  return optionalList(`${about}; host:port, several separated by commas`, isHostAndPort);
}

/** Optional IP addresses, or ranges of them as CIDR, separated by commas. */
export function optionalAddressList(about: string): Setting<readonly string[] | undefined> {
  const isAddress = (text: string): boolean => {
    const [address = '', bits, ...rest] = text.split('/');
    const most = isIP(address) === 6 ? 128 : 32;
    // A range of 0 bits is everyone, who could then claim any address.
    const isRange =
      bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= most);
    return isIP(address) !== 0 && isRange && rest.length === 0;
  };
  return optionalList(`${about}; IP addresses or CIDR ranges, separated by commas`, isAddress);
}

/** Optional secrets separated by commas, each with a minimum length. */
export function optionalSecretList(about: string, minLength: number): Setting<readonly string[] | undefined> {
  const isSecret = ({ length }: string): boolean => length >= minLength && length <= 4096;
  return { ...optionalList(about, isSecret), secret: true };
}

/** An optional text that must pass `check`; never shown. */
export function keyText(about: string, check: (value: string) => boolean): Setting<string | undefined> {
  return { about, secret: true, schema: z.string().refine(check).optional() };
}

function expectedUrl(protocols: readonly string[]): string {
  return `beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
}
