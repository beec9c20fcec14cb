/**
 * go-ethereum in development mode (https://geth.ethereum.org/docs/developers/dapp-developer/dev-mode): a real node
 * that makes a block for each transaction. As `archive` it answers for every block, as `full` it has forgotten the
 * state of all but the latest 128 blocks.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { install } from './install.ts';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerOptions, type ServerProcess, startServer } from './process.ts';

const COMMAND_WITHIN_MS = 120_000;
const OUTPUT_LIMIT = 8 * 1024 * 1024;
const ANSWER_WITHIN_MS = 2_000;
/** A million ether, in wei. */
const FUNDS = `0x${(10n ** 24n).toString(16)}`;

export interface GethOptions extends ServerOptions {
  /** What becomes of old state; `archive` by default. */
  readonly history?: 'archive' | 'full';
  /**
   * How state is stored: `hash` by default for an archive, `path` (geth's own default) for a full node. They refuse
   * a forgotten state in different words.
   */
  readonly stateScheme?: 'hash' | 'path';
  /** Rules from before Cancun, by which contracts can destroy themselves. */
  readonly beforeCancun?: boolean;
  /** 1 by default, as mainnet. */
  readonly chainId?: number;
  /** Addresses that own a million ether each in the first block. */
  readonly funded?: readonly string[];
  /** Further accounts of the first block. */
  readonly alloc?: GenesisAlloc;
}

/** Accounts of a first block by address, as a genesis file writes them: quantities and code in hex. */
export type GenesisAlloc = Readonly<Record<string, { readonly balance: string; readonly code?: string }>>;

/** A node of its own. */
export interface GethServer extends ServerProcess {
  /** JSON-RPC over HTTP: eth, net, web3, debug, txpool. */
  readonly url: string;
}

/** Starts a node; it is ready when it answers `eth_chainId`. */
export async function startGeth(options: GethOptions = {}): Promise<GethServer> {
  const geth = join(await install('geth', options.cache), 'geth');
  const data = await openDataFolder('geth', options);
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const history = options.history ?? 'archive';
  const scheme = options.stateScheme ?? (history === 'archive' ? 'hash' : 'path');
  const common = ['--datadir', join(data.path, 'node'), '--state.scheme', scheme];
  const genesis = join(data.path, 'genesis.json');
  const server = await startServer({
    name: 'geth',
    command: geth,
    args: [
      ...common,
      ...['--dev', '--gcmode', history, '--verbosity', '2'],
      ...['--http', '--http.addr', '127.0.0.1', '--http.port', String(port)],
      ...['--http.api', 'eth,net,web3,debug,txpool', '--ipcdisable'],
      ...['--nodiscover', '--maxpeers', '0', '--port', '0'],
    ],
    data,
    prepare: async () => {
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
}

/** The development chain's own first block, with the chain id and the accounts asked for. */
async function firstBlock(geth: string, options: GethOptions): Promise<Genesis> {
  const genesis = JSON.parse(await runGeth(geth, ['--dev', 'dumpgenesis'])) as Genesis;
  const funds = (options.funded ?? []).map((address) => [address, { balance: FUNDS }] as const);
  const accounts = [...funds, ...Object.entries(options.alloc ?? {})].map(
    ([address, account]) => [address.replace(/^0x/i, ''), account] as const,
  );
  return {
    ...genesis,
    config: { ...rulesOf(genesis, options), chainId: options.chainId ?? 1 },
    alloc: { ...genesis.alloc, ...Object.fromEntries(accounts) },
  };
}

function rulesOf({ config }: Genesis, { beforeCancun = false }: GethOptions): Genesis['config'] {
  if (!beforeCancun) return config;
  const later = /^(?:cancun|prague|osaka|amsterdam|verkle|bpo\d)Time$|^blobSchedule$/;
  return Object.fromEntries(Object.entries(config).filter(([name]) => !later.test(name)));
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
