/** Work of the commands `index …`, beside the service of the index or without it. */
import { servedNetworks, settingOf } from '@hindsight/chain/network-settings.ts';
import { NETWORKS, type Network } from '@hindsight/chain/networks.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { sendOne } from '@hindsight/chain/rpc/node.ts';
import {
  ALL_TOKENS,
  estimateTrack,
  firstBlockOf,
  isPart,
  MAX_TOKENS,
  openTrackBook,
  readTracks,
  storedTrackBooks,
  type TrackBook,
  type TrackEstimate,
  type TrackReport,
} from '@hindsight/holders/service.ts';
import { describeProgress } from '@hindsight/indexing/progress.ts';
import { ConfigError } from '@hindsight/kernel/config.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseMissingFolder, type AdminConfig } from './config.ts';
import { onPlatform } from './on-platform.ts';
import { print, printFields, printJson, printTable, type Output } from './output.ts';

export interface IndexOptions extends Output {
  readonly network: string;
  readonly from?: number;
}

/** A service that runs takes a wish within two seconds; the administration waits this long for it. */
const TAKEN_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 250;
/** A service that runs has reported within this long. */
const REPORTS_WITHIN_MS = 30_000;

export function readTrack(text: string): string {
  const tracks = readTracks(text);
  if (typeof tracks === 'string') throw new Error(tracks);
  const [track, ...others] = tracks;
  if (track === undefined || others.length > 0) throw new Error('expected one address of a token, or all');
  return track;
}

/** The track as people write it: `all` for all tokens, also in the name of a part. */
function shown(track: string): string {
  return track.replace(ALL_TOKENS, 'all');
}

/** Known networks, and those of NETWORKS_FILE. */
function networksOf({ NETWORKS_FILE: own = [] }: AdminConfig): readonly Network[] {
  return [...NETWORKS.values(), ...own.map(({ network }) => network)];
}

function networkOf(config: AdminConfig, { network: name }: IndexOptions): Network {
  const networks = networksOf(config);
  const network = networks.find((one) => one.name === name);
  if (network !== undefined) return network;
  throw new Error(`--network ${name}: expected one of ${networks.map((one) => one.name).join(', ')}`);
}

function booksOf({ DATA_DIR: dataDir, CLICKHOUSE_URL: clickhouseUrl }: AdminConfig) {
  return { dataDir, clickhouseUrl };
}

async function openBook(config: AdminConfig, network: string, { lifecycle }: Platform): Promise<TrackBook> {
  return openTrackBook(network, booksOf(config), lifecycle);
}

async function connect(
  config: AdminConfig,
  options: IndexOptions,
  platform: Platform,
): Promise<EthereumNode> {
  const { name } = networkOf(config, options);
  const served = servedNetworks({ ...config, NETWORKS: undefined }).find(
    ({ network }) => network.name === name,
  );
  if (served === undefined)
    throw new ConfigError([`${settingOf(name)} is not set: the nodes of the network are asked`]);
  const limits = { urls: served.urls, timeoutMs: 30_000 };
  return openNode(limits, served.network, platform);
}

/** The first block that is wanted: as asked, or that of the contract. */
async function firstOf(node: EthereumNode, track: string, { from }: IndexOptions): Promise<number> {
  if (from !== undefined || track === ALL_TOKENS) return from ?? 0;
  const signal = AbortSignal.timeout(60_000);
  const head = Number(await sendOne(node, 'eth_blockNumber', [], { signal }));
  const first = await firstBlockOf(node, track, head, signal);
  if (first === null) throw new Error(`no node tells when ${track} was made: give --from`);
  return first;
}

export async function estimate(config: AdminConfig, track: string, options: IndexOptions): Promise<void> {
  await onPlatform(async (platform) => {
    const node = await connect(config, options, platform);
    const from = await firstOf(node, track, options);
    const found = await estimateTrack({ node, track, from, signal: AbortSignal.timeout(300_000) });
    print(options, { track: shown(track), ...found }, describeEstimate(track, found));
  });
}

function describeEstimate(track: string, found: TrackEstimate): Record<string, string> {
  const { from, to, sampledBlocks, logs, uncertainty, rows, bytes, minutes } = found;
  const whole = (value: number): string => Math.round(value).toLocaleString('en');
  return {
    track: shown(track),
    blocks: `${whole(to - from + 1)}, from ${from} to ${to}`,
    read: `${whole(sampledBlocks)} of them`,
    logs: `${whole(logs)} (± ${whole(uncertainty * 100)} %)`,
    rows: whole(rows),
    disk: bytes < 1e9 ? `${whole(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`,
    time: minutes < 120 ? `${whole(Math.ceil(minutes))} min` : `${(minutes / 60).toFixed(1)} h`,
  };
}

export async function add(config: AdminConfig, track: string, options: IndexOptions): Promise<void> {
  await onPlatform(async (platform) => {
    const network = networkOf(config, options);
    const book = await openBook(config, network.name, platform);
    const [wishes, reports] = await Promise.all([book.wishes(), book.reports()]);
    const known = wishes.find((wish) => wish.track === track);
    const isEarlier = known !== undefined && options.from !== undefined && options.from < known.fromBlock;
    if (known?.wish === 'index' && !isEarlier)
      throw new Error(
        `${shown(track)} is wanted already, from block ${known.fromBlock}: give an earlier --from, or remove it first`,
      );
    if (reports.some((report) => report.track === track && report.isSet))
      throw new Error(`${shown(track)} is one of INDEX_TOKENS already`);
    const removed = wishes.filter(({ wish }) => wish === 'remove').map((one) => one.track);
    if (reports.filter((one) => !removed.includes(one.track) && isOther(track, one)).length >= MAX_TOKENS)
      throw new Error(`the index has ${MAX_TOKENS} tracks, the most: remove one first`);
    if (known?.wish === 'remove') throw new Error(`${shown(track)} is being removed: wait until it is gone`);
    const fromBlock =
      options.from ?? (await firstOf(await connect(config, options, platform), track, options));
    // An older report does not show that a service runs now.
    const before = reports.find((report) => report.track === track)?.at;
    await book.wish({ track, wish: 'index', fromBlock });
    const isTaken = await until(async () =>
      (await book.reports()).some((report) => report.track === track && report.at !== before),
    );
    print(
      options,
      { track: shown(track), fromBlock, isTaken },
      {
        track: shown(track),
        'from block': String(fromBlock),
        indexed: isTaken ? 'the service has begun' : 'as soon as the service runs',
      },
    );
  });
}

/** True for the report of another track that a service walks now. */
function isOther(track: string, report: TrackReport): boolean {
  return report.track !== track && !isPart(report.track) && !isSilent(report);
}

function isSilent({ at }: TrackReport): boolean {
  return Date.now() - at > REPORTS_WITHIN_MS;
}

export async function remove(config: AdminConfig, track: string, options: IndexOptions): Promise<void> {
  refuseMissingFolder(config, 'CLICKHOUSE_URL');
  await onPlatform(async (platform) => {
    const book = await openBook(config, networkOf(config, options).name, platform);
    if ((await book.reports()).some((report) => report.track === track && report.isSet))
      throw new Error(
        `${shown(track)} is one of INDEX_TOKENS: take it out there, restart the service, and repeat this`,
      );
    await book.wish({ track, wish: 'remove', fromBlock: 0 });
    const isGone = await until(async () => !(await book.wishes()).some((wish) => wish.track === track));
    const removed = isGone ? 'yes' : 'as soon as the service runs, or has time';
    print(options, { track: shown(track), isGone }, { track: shown(track), removed });
  });
}

/** True once it holds; false where it does not in time: the service may not run. */
async function until(holds: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + TAKEN_WITHIN_MS; performance.now() < end; await sleep(LOOK_EVERY_MS))
    if (await holds()) return true;
  return false;
}

export async function status(config: AdminConfig, json: true | undefined): Promise<void> {
  refuseMissingFolder(config, 'CLICKHOUSE_URL');
  await onPlatform(async (platform) => {
    const lines: ReturnType<typeof lineOf>[] = [];
    for (const network of await storedTrackBooks(booksOf(config))) {
      const book = await openBook(config, network, platform);
      const [wishes, reports] = await Promise.all([book.wishes(), book.reports()]);
      const tracks = new Set([...reports, ...wishes].map(({ track }) => track));
      for (const track of tracks) {
        const wish = wishes.find((one) => one.track === track)?.wish;
        lines.push(
          lineOf(
            network,
            { track, wish },
            reports.find((one) => one.track === track),
          ),
        );
      }
    }
    if (json) return printJson({ tracks: lines });
    if (lines.length === 0) return printFields({ index: 'nothing is indexed: INDEX_TOKENS, or index add' });
    printTable(
      ['network', 'track', 'from', 'to', 'missing', 'progress', 'self-check', 'last seen'],
      lines.map(({ network, track, from, block, missing, progress, checked, seen }) =>
        [
          ...[network, track, from ?? '–', block ?? '–', missing ?? '–', progress],
          ...[checked ?? '–', seen ?? 'never'],
        ].map(String),
      ),
    );
  });
}

function lineOf(
  network: string,
  { track, wish }: { readonly track: string; readonly wish: string | undefined },
  report: TrackReport | undefined,
) {
  const { position = null, status: said = null, at } = report ?? {};
  const isUntold = report === undefined || isSilent(report);
  const progress = describeProgress(position?.number ?? null, said);
  const words = [
    wish === 'remove' ? 'to be removed' : progress,
    ...(isUntold ? ['no service tells of it'] : []),
    ...(isUntold && wish === undefined && report?.isSet === false
      ? ['index remove gives its space back']
      : []),
  ];
  const finalized = said?.finalized ?? null;
  return {
    network,
    track: shown(track),
    progress: words.join('; '),
    from: position?.from ?? null,
    block: position?.number ?? null,
    missing: finalized === null ? null : Math.max(0, finalized - (position?.number ?? finalized)),
    checked: report?.checked ?? null,
    seen: at === undefined ? null : new Date(at).toISOString(),
  };
}
