/** Sign-in with Ethereum: the message of EIP-4361 (https://eips.ethereum.org/EIPS/eip-4361), written, read and judged. */
import { getAddress, isAddress } from 'ethers/address';

export interface SignInMessage {
  /** The host with its port that the wallet shows to its owner. */
  readonly domain: string;
  /** EIP-55. */
  readonly address: string;
  readonly uri: string;
  readonly chainId: number;
  readonly nonce: string;
  /** Unix milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number | null;
  readonly notBefore: number | null;
}

const STATEMENT = 'Sign in to Hindsight.';
/** Longer ones are not read at all. */
const MAX_MESSAGE = 2_000;

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)`;
const MESSAGE = new RegExp(
  String.raw`^(?:(?<scheme>https?)://)?(?<domain>[^\s/@]{1,260}) wants you to sign in with your Ethereum account:\n` +
    String.raw`(?<address>0x[0-9a-fA-F]{40})\n\n(?:[^\n]{0,500}\n)?\n` +
    String.raw`URI: (?<uri>[^\s]{1,500})\nVersion: 1\nChain ID: (?<chain>[1-9]\d{0,15})\nNonce: (?<nonce>[A-Za-z0-9]{8,100})\n` +
    String.raw`Issued At: (?<issued>${TIME})(?:\nExpiration Time: (?<expires>${TIME}))?(?:\nNot Before: (?<begins>${TIME}))?` +
    String.raw`(?:\nRequest ID: [^\n]{0,200})?(?:\nResources:(?:\n- [^\n]{1,500}){0,20})?$`,
);

export function writeMessage(message: Omit<SignInMessage, 'notBefore'>): string {
  const { domain, address, uri, chainId, nonce, issuedAt, expiresAt } = message;
  const lines = [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    '',
    STATEMENT,
    '',
    `URI: ${uri}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(issuedAt).toISOString()}`,
  ];
  if (expiresAt !== null) lines.push(`Expiration Time: ${new Date(expiresAt).toISOString()}`);
  return lines.join('\n');
}

/** Reads a message; null if it deviates from the standard or its address has a wrong checksum. */
export function readMessage(text: string): SignInMessage | null {
  if (text.length > MAX_MESSAGE) return null;
  const { domain = '', address = '', uri = '', ...rest } = MESSAGE.exec(text)?.groups ?? {};
  const { chain, nonce = '', issued, expires, begins } = rest;
  const isChecksummed = isAddress(address) && getAddress(address) === address;
  const times = [issued, expires, begins].map((time) => (time === undefined ? null : Date.parse(time)));
  const [issuedAt = null, expiresAt = null, notBefore = null] = times;
  if (!isChecksummed || issuedAt === null || times.some((time) => Number.isNaN(time))) return null;
  return { domain, address, uri, chainId: Number(chain), nonce, issuedAt, expiresAt, notBefore };
}

export interface Expected {
  /** The portal's origin, `https://host:port`. */
  readonly origin: string;
  readonly chainId: number;
  /** Unix milliseconds. */
  readonly now: number;
  /** Greatest age of a message, and greatest lead of its writer's clock over ours. */
  readonly maxAgeMs: number;
  readonly skewMs: number;
}

/** The reason to refuse a message; undefined if it is fine. Nonce and signature are checked elsewhere. */
export function refusalOf(message: SignInMessage, expected: Expected): string | undefined {
  const { origin, chainId, now, maxAgeMs, skewMs } = expected;
  if (message.domain !== new URL(origin).host) return 'The message is for another site.';
  if (!URL.canParse(message.uri) || new URL(message.uri).origin !== origin)
    return 'The message is for another site.';
  if (message.chainId !== chainId) return 'The message is for another chain.';
  const { issuedAt, expiresAt, notBefore } = message;
  const early = issuedAt > now + skewMs || (notBefore ?? 0) > now + skewMs;
  const late = issuedAt < now - maxAgeMs || (expiresAt ?? Infinity) <= now;
  return early || late ? 'The message has expired or is not valid yet. Please try again.' : undefined;
}
