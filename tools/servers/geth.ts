/**
 * go-ethereum in development mode (https://geth.ethereum.org/docs/developers/dapp-developer/dev-mode): a real
 * node that makes a block for each transaction. As `archive` it answers for every block, as `full` it has
 * forgotten the state of all but the latest 128 blocks. Release 1.17 has Ethereum's next fork, Amsterdam
 * (EIP-7773).
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { install } from './install.ts';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerOptions, type ServerProcess, startServer } from './process.ts';

const COMMAND_WITHIN_MS = 600_000;
const OUTPUT_LIMIT = 8 * 1024 * 1024;
const ANSWER_WITHIN_MS = 2_000;
/**
 * Seconds ahead of the clock at which a chain with a scheduled fork starts: longer than its first block
 * takes.
 */
const AHEAD_S = 600;
/**
 * Keep the state of every block (0), and for 1.17 the trie's nodes, from which it makes proofs. Release 1.17 indexes them
 * only once its head is less than 6 hours old, looked at each minute, and until then refuses all but the latest 128
 * (https://github.com/ethereum/go-ethereum/blob/v1.17.10/triedb/pathdb/history_indexer_state.go): so the chain begins now.
 */
const ARCHIVE_BY_PATH: Readonly<Record<GethRelease, readonly string[]>> = {
  geth: ['--history.state', '0'],
  'geth-1.17': ['--history.state', '0', '--history.trienode', '0'],
};
/** Of a block, as mainnet's. */
const GAS_LIMIT = `0x${(60_000_000).toString(16)}`;
/** A million ether, in wei. */
const FUNDS = `0x${(10n ** 24n).toString(16)}`;

/** The releases that can be started; each is a recipe. `geth` is 1.16. */
export type GethRelease = 'geth' | 'geth-1.17';
/** The one that is started where none is asked for. */
export const GETH: GethRelease = 'geth-1.17';

export interface GethOptions extends ServerOptions {
  /** `GETH` by default. */
  readonly release?: GethRelease;
  /**
   * The first height with Amsterdam's rules; none by default. Release 1.17 only. The chain then starts ahead of the
   * clock, so that each block is one second after its parent and the fork's time is known beforehand.
   */
  readonly amsterdamAt?: number;
  /** Gas that one `eth_call` may use; geth's own default (50 million) unless given. */
  readonly gasCap?: number;
  /** Keeps old state or forgets it; `archive` by default. */
  readonly history?: 'archive' | 'full';
  /**
   * Storage of state: `hash` by default for an archive, `path` (geth's default) for a full node. They refuse
   * a forgotten state in different words. An archive of release 1.17 by path keeps all proofs as well.
   */
  readonly stateScheme?: 'hash' | 'path';
  /** False for a node without an index of logs, which takes a quarter of its processor time: it reads each block then. */
  readonly logIndex?: boolean;
  /** Rules from before Cancun, by which contracts can destroy themselves. */
  readonly beforeCancun?: boolean;
  /** 1 by default, as mainnet. */
  readonly chainId?: number;
  /** Addresses that own a million ether each in the first block. */
  readonly funded?: readonly string[];
  /** Further accounts of the first block. */
  readonly alloc?: GenesisAlloc;
}

/** An account of a first block, as a genesis file writes it: quantities, code, and slots by their keys, all in hex. */
interface GenesisAccount {
  readonly balance: string;
  readonly code?: string;
  readonly storage?: Readonly<Record<string, string>>;
}

/** Accounts of a first block by address. */
export type GenesisAlloc = Readonly<Record<string, GenesisAccount>>;

/** A running node. */
export interface GethServer extends ServerProcess {
  /** JSON-RPC over HTTP: eth, net, web3, debug, txpool. */
  readonly url: string;
}

/** Starts a node; it is ready when it answers `eth_chainId`. */
export async function startGeth(options: GethOptions = {}): Promise<GethServer> {
  const release = options.release ?? GETH;
  const geth = join(await install(release, options.cache), release);
  const data = await openDataFolder(release, options);
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const history = options.history ?? 'archive';
  const scheme = options.stateScheme ?? (history === 'archive' ? 'hash' : 'path');
  const common = ['--datadir', join(data.path, 'node'), '--state.scheme', scheme];
  const genesis = join(data.path, 'genesis.json');
  const server = await startServer({
    name: release,
    command: geth,
    args: [
      ...common,
      // The developer's account protects nothing: sealing and opening it takes a second of processor time by default.
      ...['--dev', '--lightkdf', '--gcmode', history, '--verbosity', '2'],
      ...(options.logIndex === false ? ['--history.logs.disable'] : []),
      ...(options.gasCap === undefined ? [] : ['--rpc.gascap', String(options.gasCap)]),
      ...(history === 'archive' && scheme === 'path' ? ARCHIVE_BY_PATH[release] : []),
      ...['--http', '--http.addr', '127.0.0.1', '--http.port', String(port)],
      ...['--http.api', 'eth,net,web3,debug,txpool', '--ipcdisable'],
      ...['--nodiscover', '--maxpeers', '0', '--port', '0'],
    ],
    data,
    prepare: async () => {
      // A caller's folder may have the chain of an earlier start.
      if (existsSync(genesis)) return;
      await writeFile(genesis, JSON.stringify(await firstBlock(geth, options)));
      await runGeth(geth, [...common, 'init', genesis]);
    },
    probe: () => askChainId(url),
  });
  return Object.assign(server, { url });
}

interface Genesis {
  readonly config: Readonly<Record<string, unknown>>;
  readonly alloc: Readonly<Record<string, unknown>>;
  readonly gasLimit: string;
  readonly timestamp: string;
}

/** The development chain's first block, with another chain id and other accounts. */
async function firstBlock(geth: string, options: GethOptions): Promise<Genesis> {
  const genesis = JSON.parse(await runGeth(geth, ['--dev', 'dumpgenesis'])) as Genesis;
  const start = Math.floor(Date.now() / 1_000) + (options.amsterdamAt === undefined ? 0 : AHEAD_S);
  const funds = (options.funded ?? []).map((address) => [address, { balance: FUNDS }] as const);
  const accounts = [...funds, ...Object.entries(options.alloc ?? {})].map(
    ([address, account]) => [address.replace(/^0x/i, ''), account] as const,
  );
  return {
    ...genesis,
    gasLimit: GAS_LIMIT,
    timestamp: `0x${start.toString(16)}`,
    config: { ...rulesOf(genesis, options, start), chainId: options.chainId ?? 1 },
    alloc: { ...genesis.alloc, ...Object.fromEntries(accounts) },
  };
}

/** Rules of a chain whose first block has the time `start`, in Unix seconds. */
function rulesOf({ config }: Genesis, options: GethOptions, start: number): Genesis['config'] {
  const { beforeCancun = false, amsterdamAt } = options;
  // A draft beyond Amsterdam that the development chain of 1.17 turns on.
  const dropped = beforeCancun
    ? /^(?:cancun|prague|osaka|amsterdam|bogota|verkle|bpo\d)Time$|^blobSchedule$/
    : /^bogotaTime$/;
  const kept = Object.fromEntries(Object.entries(config).filter(([name]) => !dropped.test(name)));
  if (amsterdamAt === undefined) return kept;
  const { prague } = config.blobSchedule as { readonly prague: unknown };
  const blobSchedule = { ...(config.blobSchedule as object), osaka: prague, amsterdam: prague };
  return { ...kept, amsterdamTime: start + amsterdamAt, blobSchedule };
}

async function runGeth(geth: string, args: readonly string[]): Promise<string> {
  const limits = { timeout: COMMAND_WITHIN_MS, maxBuffer: OUTPUT_LIMIT, killSignal: 'SIGKILL' } as const;
  const { stdout } = await promisify(execFile)(geth, [...args], limits);
  return stdout;
}

async function askChainId(url: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const { result } = (await response.json()) as { result?: unknown };
  if (typeof result !== 'string') throw new Error('eth_chainId has no result');
}
