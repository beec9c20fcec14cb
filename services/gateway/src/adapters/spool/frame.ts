/**
 * One line of the spool: a checksum, then a frame, or a part of one, as JSON. Lines that follow each other with the same
 * number are one frame. After a damaged line, the next frame can be recognised again.
 */
import { crc32 } from 'node:zlib';
import type { UsageFrame } from '../../ports.ts';

/** Without units where a request costs one, as earlier versions wrote it. */
type Packed = [projectId: string, day: string, endpoint: string, requests: number, units?: number];

/** The line of a frame. */
export function encodeFrame({ sequence, at, entries }: UsageFrame): string {
  const packed = entries.map(({ projectId, day, endpoint, requests, units = requests }): Packed =>
    units === requests ? [projectId, day, endpoint, requests] : [projectId, day, endpoint, requests, units],
  );
  const json = JSON.stringify([sequence, at, packed]);
  return `${checksum(json)} ${json}\n`;
}

/** The frame of a line without its end; undefined when it is damaged. */
export function decodeFrame(line: string): UsageFrame | undefined {
  const json = line.slice(9);
  if (line.length < 11 || line[8] !== ' ' || checksum(json) !== line.slice(0, 8)) return undefined;
  const [sequence, at, packed] = JSON.parse(json) as [number, number, Packed[]];
  const entries = packed.map(([projectId, day, endpoint, requests, units]) => ({
    projectId,
    day,
    endpoint,
    requests,
    ...(units === undefined ? {} : { units }),
  }));
  return { sequence, at, entries };
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
