/** ENS names: normalised, and hashed for the registry. */
import { Fault } from '@hindsight/kernel/errors.ts';
import { ensNormalize } from 'ethers/hash';
import { keccak } from '../keccak.ts';

/** The text cannot be a registered name. Callers may read the message. */
export class UnusableName extends Fault {}

/** A name in every form that ENS contracts take. */
export interface EnsName {
  /** Normalised (ENSIP-15). */
  readonly text: string;
  /** Its node (EIP-137, "namehash"). */
  readonly node: string;
  /** The nodes above it, the nearest first, without the root. */
  readonly parents: readonly string[];
  /** As DNS writes it on the wire (RFC 1035), for resolvers that answer for names below theirs (ENSIP-10). */
  readonly wire: string;
}

/** Normalising takes time, so the input is bounded first. */
export const MAX_NAME_LENGTH = 512;
/** RFC 1035 gives a label's length one byte. */
const MAX_LABEL_BYTES = 255;
/** One call covers all levels, each with its share of gas. */
const MAX_LABELS = 10;
const SHOWN = 60;
/** Such a name is normalised already. ENSIP-15's tables take 20 MB, and the process half a second: most need them never. */
const PLAIN = /^(?!..--)[a-z\d-]+(?:\.(?!..--)[a-z\d-]+)*$/;

/** Reads a caller's name. @throws {UnusableName} with the fault */
export function parseName(given: string): EnsName {
  if (given.length > MAX_NAME_LENGTH) throw unusable(given, `it has more than ${MAX_NAME_LENGTH} characters`);
  const text = normalise(given);
  const labels = text.split('.');
  if (labels.length > MAX_LABELS) throw unusable(given, `it has more than ${MAX_LABELS} parts`);
  if (labels.some((label) => Buffer.byteLength(label) > MAX_LABEL_BYTES)) {
    throw unusable(given, `one of its parts has more than ${MAX_LABEL_BYTES} bytes`);
  }
  const nodes: string[] = [];
  let node: Uint8Array = new Uint8Array(32);
  for (const label of labels.toReversed()) {
    node = keccak(Buffer.concat([node, keccak(Buffer.from(label))]));
    nodes.unshift(`0x${Buffer.from(node).toString('hex')}`);
  }
  return { text, node: nodes[0]!, parents: nodes.slice(1), wire: toWire(labels) };
}

/** Like ethers' `dnsEncode`, which loads the tables of ENSIP-15. */
function toWire(labels: readonly string[]): string {
  const parts = labels.map((label) =>
    Buffer.concat([Buffer.of(Buffer.byteLength(label)), Buffer.from(label)]),
  );
  return `0x${Buffer.concat(parts).toString('hex')}00`;
}

function normalise(given: string): string {
  if (PLAIN.test(given)) return given;
  try {
    return ensNormalize(given);
  } catch (error) {
    const { shortMessage = '' } = error as { shortMessage?: string };
    const [, reason = 'it cannot be normalised'] = /^invalid ENS name \((.*)\)$/su.exec(shortMessage) ?? [];
    throw unusable(given, reason);
  }
}

function unusable(given: string, reason: string): UnusableName {
  return new UnusableName(`${visible(given)} is not an ENS name: ${visible(reason)}`);
}

/** Characters of a name may be invisible, or reverse the direction of the line. */
function visible(text: string): string {
  const plain = text.replace(/\p{C}/gu, '');
  return plain.length > 2 * SHOWN ? `${plain.slice(0, SHOWN)}…` : plain;
}
