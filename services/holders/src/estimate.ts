/** Estimates what an index of a track would take, from samples of the chain. */
import { RangeTooLarge } from '@hindsight/chain/logs/block-range.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { createFinalizedLogs, type FinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import type { Touched } from './domain/points.ts';
import type { Track } from './domain/tracks.ts';
import { touchedBy } from './jobs/touched.ts';

export interface TrackEstimate {
  readonly from: number;
  readonly to: number;
  readonly sampledBlocks: number;
  readonly logs: number;
  /** Two standard errors of the mean of the samples, as a share of `logs`: a busy week may be between two of them. */
  readonly uncertainty: number;
  readonly rows: number;
  readonly bytes: number;
  readonly minutes: number;
}

interface EstimateDeps {
  readonly node: EthereumNode;
  readonly track: Track;
  readonly from: number;
  readonly signal: AbortSignal;
}

const SAMPLES = 16;
const SAMPLE_BLOCKS = 50;
/** Ranges that a walk has under way at a time. */
const IN_FLIGHT = 4;

/** Of a row in either engine, as measured with holders at random, which compress worst. */
const BYTES_PER_ROW = 20;
const LOGS_TIMEOUT_MS = 20_000;

interface Sample {
  readonly blocks: number;
  readonly logs: number;
  readonly rows: number;
  readonly ms: number;
}

/** @throws {NodeError} where no node answers; {RangeError} where the chain has no finalized block from there on */
export async function estimateTrack(deps: EstimateDeps): Promise<TrackEstimate> {
  const { node, track, signal } = deps;
  const logs = createFinalizedLogs(node, touchedBy(track), LOGS_TIMEOUT_MS);
  const finalized = await logs.finalized(signal);
  if (finalized === null || finalized.number < deps.from)
    throw new RangeError(`the chain has no finalized block from ${deps.from} on`);
  const range = { from: await logs.firstFrom(deps.from, signal), to: finalized.number };
  const total = range.to - range.from + 1;
  const samples: Sample[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    const slice = {
      from: Math.floor((i * total) / SAMPLES),
      to: Math.floor(((i + 1) * total) / SAMPLES) - 1,
    };
    if (slice.to < slice.from) continue;
    // The middle of each part of the chain: the same samples give the same estimate.
    const size = Math.min(SAMPLE_BLOCKS, slice.to - slice.from + 1);
    const first = range.from + slice.from + Math.floor((slice.to - slice.from + 1 - size) / 2);
    samples.push(await readSample(logs, first, size, signal));
  }
  return extrapolate(range, samples);
}

async function readSample(
  logs: Pick<FinalizedLogs<Touched>, 'read'>,
  from: number,
  blocks: number,
  signal: AbortSignal,
): Promise<Sample> {
  for (let size = blocks; ; size = Math.ceil(size / 4)) {
    const begun = performance.now();
    try {
      const { count, found } = await logs.read({ from, to: from + size - 1 }, signal);
      const rows = found.points.length + found.approvals.length;
      return { blocks: size, logs: count, rows, ms: performance.now() - begun };
    } catch (error) {
      if (!(error instanceof RangeTooLarge) || size === 1) throw error;
    }
  }
}

function extrapolate(
  { from, to }: { readonly from: number; readonly to: number },
  samples: readonly Sample[],
): TrackEstimate {
  const blocks = to - from + 1;
  const sum = (of: (sample: Sample) => number): number => samples.reduce((all, one) => all + of(one), 0);
  const mean = (of: (sample: Sample) => number): number =>
    sum((one) => of(one) / one.blocks) / samples.length;
  const perBlock = mean(({ logs }) => logs);
  const variance =
    sum(({ logs, blocks: size }) => (logs / size - perBlock) ** 2) / Math.max(samples.length - 1, 1);
  const rows = Math.round(mean((one) => one.rows) * blocks);
  return {
    from,
    to,
    sampledBlocks: sum((one) => one.blocks),
    logs: Math.round(perBlock * blocks),
    uncertainty: perBlock === 0 ? 0 : (2 * Math.sqrt(variance / samples.length)) / perBlock,
    rows,
    bytes: rows * BYTES_PER_ROW,
    minutes: (mean(({ ms }) => ms) * blocks) / IN_FLIGHT / 60_000,
  };
}
