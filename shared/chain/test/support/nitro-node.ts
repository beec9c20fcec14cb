/**
 * A node that behaves as Nitro does, in front of an anvil: NUMBER is the height of a first layer, heights are far above it,
 * ArbSys knows them, `requireCanonical` is ignored, and blocks that were reorganised away are answered from.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { compile } from '../../scripts/compile-yul.ts';

/** Heights above those of the first layer, which are the anvil's own. */
const ABOVE = 484_000_000;
const ARBSYS = '0x0000000000000000000000000000000000000064';

/** Word of ArbSys on the second layer's height. */
type ArbSys =
  /** As Nitro's. */
  | 'true'
  /** It confuses the layers. */
  | 'of-first-layer'
  /** There is none. */
  | 'absent';

interface NitroNode {
  readonly url: string;
  /** The height of a block of the anvil. */
  readonly heightOf: (anvil: number) => number;
  /** Tags that were asked for, and methods of calls. */
  readonly asked: Set<string>;
  arbSys: ArbSys;
  /** The chain goes on as on another anvil. */
  reorganise(anvilUrl: string): void;
  close(): Promise<void>;
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
}

/** The position of the block among a call's parameters. */
const BLOCK_PARAM: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_call: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
};

const CODES: Readonly<Record<ArbSys, string>> = {
  true: arbSysCode(ABOVE),
  'of-first-layer': arbSysCode(0),
  absent: '0x',
};

/** ArbSys of a chain whose heights are so far above NUMBER. */
function arbSysCode(above: number): string {
  const yul = `object "ArbSys" { code {
    let height := add(number(), ${above})
    switch div(calldataload(0), 0x100000000000000000000000000000000000000000000000000000000)
    case 0xa3b1b31d { mstore(0, height) }
    case 0x2b407a82 {
      let asked := calldataload(4)
      if or(iszero(lt(asked, height)), gt(sub(height, asked), 256)) { revert(0, 0) }
      mstore(0, blockhash(sub(asked, ${above})))
    }
    default { revert(0, 0) }
    return(0, 32)
  } }`;
  return `0x${compile(yul, 'ArbSys', 'cancun')}`;
}

/** Starts one on loopback. */
export async function startNitroNode(anvilUrl: string): Promise<NitroNode> {
  const branches = [anvilUrl];
  const server = createServer(LASTING, (request, response) => {
    void json(request)
      .then(async (asked) => {
        const calls = [asked].flat() as Call[];
        for (const call of calls) note(call);
        const answers = await answerAll(calls);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
      })
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const node: NitroNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heightOf: (anvil) => anvil + ABOVE,
    asked: new Set(),
    arbSys: 'true',
    reorganise: (url) => void branches.unshift(url),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return node;

  function note({ method, params }: Call): void {
    node.asked.add(method);
    const block = params[BLOCK_PARAM[method] ?? Infinity];
    if (typeof block === 'string' && !block.startsWith('0x')) node.asked.add(block);
  }

  /** In one batch to each branch: a call of its own for each would take ten times as long. */
  async function answerAll(calls: readonly Call[]): Promise<readonly object[]> {
    const urls = await Promise.all(calls.map(branchOf));
    const answers: object[] = [];
    const ask = async (url: string, places: readonly number[]): Promise<void> => {
      const batch = places.map((at) => ({ ...calls[at]!, id: at, params: translated(calls[at]!) }));
      for (const { id: at, result, ...rest } of await post(url, batch)) {
        const { id, method } = calls[at]!;
        answers[at] = { ...rest, id, ...(result === undefined ? {} : { result: raised(method, result) }) };
      }
    };
    await Promise.all(
      Map.groupBy(calls.keys(), (at) => urls[at]!)
        .entries()
        .map(([url, places]) => ask(url, places)),
    );
    return answers;
  }

  /** The newest branch that has the block of a call; the newest of all where no hash names one. */
  async function branchOf({ method, params }: Call): Promise<string> {
    const at = params[BLOCK_PARAM[method] ?? Infinity] as { blockHash?: string } | undefined;
    const hash = at?.blockHash ?? (method === 'eth_getBlockByHash' ? params[0] : undefined);
    if (typeof hash === 'string' && branches.length > 1)
      for (const url of branches) {
        const [found] = await post(url, [{ id: 1, method: 'eth_getBlockByHash', params: [hash, false] }]);
        if (found?.result) return url;
      }
    return branches[0]!;
  }

  function translated({ method, params }: Call): readonly unknown[] {
    if (method === 'eth_getLogs') {
      const { fromBlock, toBlock, ...filter } = params[0] as Record<string, unknown>;
      const range = { fromBlock: lowered(fromBlock), toBlock: lowered(toBlock) };
      return [{ ...filter, ...(fromBlock === undefined ? {} : range) }];
    }
    const at = BLOCK_PARAM[method];
    const own = params.map((param, i) => (i === at ? lowered(param) : param));
    if (method !== 'eth_call') return own;
    return [own[0], own[1], { ...(own[2] as object | undefined), [ARBSYS]: { code: CODES[node.arbSys] } }];
  }
}

async function post(url: string, batch: readonly Call[]): Promise<readonly Answer[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(batch.map((call) => ({ jsonrpc: '2.0', ...call }))),
  });
  return (await response.json()) as Answer[];
}

/** A block as the anvil names it. */
function lowered(block: unknown): unknown {
  if (typeof block === 'string' && /^0x[0-9a-f]{1,13}$/.test(block)) {
    const number = Number(block) - ABOVE;
    // Blocks below the anvil's first one are as unknown as those above its head.
    return `0x${(number < 0 ? Number.MAX_SAFE_INTEGER : number).toString(16)}`;
  }
  const { blockHash } = (block ?? {}) as { blockHash?: string };
  return blockHash === undefined ? block : { blockHash };
}

/** An answer of the anvil at the second layer's heights. */
function raised(method: string, result: unknown): unknown {
  if (method === 'eth_blockNumber') return raise(result as string);
  if (/^eth_get(Block|Logs|TransactionReceipt|TransactionByHash)/.test(method)) return raiseIn(result);
  return result;
}

function raiseIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(raiseIn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [
      field,
      (field === 'number' || field === 'blockNumber') && typeof inner === 'string'
        ? raise(inner)
        : raiseIn(inner),
    ]),
  );
}

function raise(height: string): string {
  return `0x${(Number(height) + ABOVE).toString(16)}`;
}
