import { sendOne, type EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { isRecent, type Clock } from '@hindsight/kernel/clock.ts';
import { z } from 'zod';
import { publicParts, type PublicPart } from '../domain/status-words.ts';
import type { StatusModel } from '../pages/status.ts';
import { getShort } from './short-answers.ts';

/** A process that reports by `/readyz`. */
export interface StatusSource {
  /** Its name for people. */
  readonly name: string;
  readonly url: string;
}

interface Deps {
  readonly sources: readonly StatusSource[];
  readonly node: EthereumNode | undefined;
  /** The node's network, where there are several. */
  readonly network?: string | undefined;
  readonly clock: Clock;
}

/** The timeout of one process: its checks have less. */
const WAIT_MS = 2_000;
/** The shortest time between two reads, for any number of viewers. */
const KEEP_MS = 2_000;
const MAX_CHARS = 64 * 1024;

const readiness = z.object({
  parts: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })).max(200),
});

const quantity = z
  .string()
  // Higher than any block, and within the range of dates.
  .regex(/^0x[0-9a-f]{1,10}$/)
  .transform(Number);
const header = z.object({ number: quantity, timestamp: quantity });

/**
 * Reads `/readyz` of the sources, and the chain's head and last finalized block of the node: within seconds
 * even if something hangs. Never throws.
 */
export function createStatusReader(deps: Deps): () => Promise<StatusModel> {
  let kept: { readonly status: Promise<StatusModel>; readonly at: number } | undefined;
  return () => {
    const now = deps.clock.now();
    if (kept === undefined || !isRecent(kept.at, KEEP_MS, now)) kept = { status: read(deps), at: now };
    return kept.status;
  };
}

async function read({ sources, node, network, clock }: Deps): Promise<StatusModel> {
  const [lists, latest, finalized] = await Promise.all([
    Promise.all(sources.map(readSource)),
    readBlock(node, 'latest'),
    readBlock(node, 'finalized'),
  ]);
  const lines = withoutRepeats(lists.flat());
  if (finalized !== null) {
    lines.push({
      name: network === undefined ? 'Finality' : `Finality of ${network}`,
      state: 'up',
      detail: `finalized up to block ${finalized.number.toLocaleString('en-US')}`,
    });
  }
  const head = latest && {
    number: latest.number,
    at: new Date(latest.timestamp * 1000),
    ...(network !== undefined && { network }),
  };
  return { checkedAt: new Date(clock.now()), parts: lines, head };
}

async function readSource({ name, url }: StatusSource): Promise<PublicPart[]> {
  const begun = performance.now();
  try {
    const { text } = await getShort(`${url}/readyz`, { waitMs: WAIT_MS, maxChars: MAX_CHARS });
    return publicParts(name, readiness.parse(JSON.parse(text)).parts, performance.now() - begun);
  } catch {
    return [{ name, state: 'down', detail: 'unreachable' }];
  }
}

/** Null if there is no node, or it does not answer in time. */
async function readBlock(node: EthereumNode | undefined, tag: 'latest' | 'finalized') {
  if (node === undefined) return null;
  try {
    const answer = await sendOne(node, 'eth_getBlockByNumber', [tag, false], { timeoutMs: WAIT_MS });
    return header.parse(answer);
  } catch {
    return null;
  }
}

/** Several processes share one node: it is listed once, and as down if one of them says so. */
function withoutRepeats(lines: readonly PublicPart[]): PublicPart[] {
  const byName = new Map<string, PublicPart>();
  for (const line of lines) {
    const known = byName.get(line.name);
    if (known === undefined || line.state === 'down') byName.set(line.name, line);
  }
  return [...byName.values()];
}
