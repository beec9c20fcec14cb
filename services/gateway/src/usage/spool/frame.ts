/**
 * One line of the spool: a checksum, then a frame, or a part of one, as JSON. Lines that follow each other with the same
 * number are one frame. After a damaged line, the next frame can be recognised again.
 */
import { crc32 } from 'node:zlib';
import type { UsageFrame, UsageRecord } from '../record.ts';

/** Null stands for what is not known; earlier versions ended with the last value that they knew. */
type Packed = [
  projectId: string,
  day: string,
  endpoint: string,
  requests: number,
  units?: number,
  status?: number | null,
  key?: string | null,
  capped?: 1 | null,
];

/** Entries as they grow, by their folding keys. */
export type Counts = Map<string, UsageRecord & { requests: number; units: number }>;

export function addTo(counts: Counts, record: UsageRecord, requests: number, units: number): void {
  const key = foldingKey(record);
  const known = counts.get(key);
  if (known === undefined) {
    counts.set(key, { ...record, requests, units });
  } else {
    known.requests += requests;
    known.units += units;
  }
}

/** Records with the same one are one entry. Only a project's id may be any text, so it comes last. */
function foldingKey({ projectId, day, endpoint, status, key, capped }: UsageRecord): string {
  return `${endpoint}|${day}|${status ?? ''}|${key ?? ''}${capped ? '|capped' : ''}|${projectId}`;
}

export function encodeFrame({ sequence, at, entries }: UsageFrame): string {
  const packed = entries.map(
    ({ projectId, day, endpoint, requests, units = requests, status, key, capped }): Packed => [
      projectId,
      day,
      endpoint,
      requests,
      units,
      status ?? null,
      key ?? null,
      capped ? 1 : null,
    ],
  );
  const json = JSON.stringify([sequence, at, packed]);
  return `${checksum(json)} ${json}\n`;
}

/** The frame of a line without its end; undefined when it is damaged. */
export function decodeFrame(line: string): UsageFrame | undefined {
  const json = line.slice(9);
  if (line.length < 11 || line[8] !== ' ' || checksum(json) !== line.slice(0, 8)) return undefined;
  const [sequence, at, packed] = JSON.parse(json) as [number, number, Packed[]];
  const entries = packed.map(([projectId, day, endpoint, requests, units, status, key, capped]) => ({
    projectId,
    day,
    endpoint,
    requests,
    ...(units !== undefined && units !== requests && { units }),
    ...(typeof status === 'number' && { status }),
    ...(typeof key === 'string' && { key }),
    ...(capped === 1 && { capped: true as const }),
  }));
  return { sequence, at, entries };
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
