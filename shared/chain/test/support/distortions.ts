/** For tests: plausible wrong answers, derived from a real node's. */

/** One JSON-RPC call. */
export interface Call {
  readonly jsonrpc: string;
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One JSON-RPC answer. */
export interface Answer {
  readonly jsonrpc: string;
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { code: number; message: string; data?: string };
}

/** Ways in which a node's answers are wrong. */
export type Distortion = { readonly distorts: true } & (
  | { readonly kind: 'wrong-chain'; readonly chainId: number }
  /** Every call is answered with this error; the first alone where `only` says so. */
  | { readonly kind: 'rpc-error'; readonly code: number; readonly message: string; readonly method?: string }
  /** One method is answered with this result. */
  | { readonly kind: 'says'; readonly method: string; readonly result: unknown }
  /** Blocks are not known: null. */
  | { readonly kind: 'null-block' }
  /** Behind by this many blocks, in everything it says. */
  | { readonly kind: 'lag'; readonly blocks: number }
  /** Reports a head this many blocks too far, with nothing else wrong. */
  | { readonly kind: 'boast'; readonly blocks: number }
  /** The block that it calls finalized is this many beyond its head. */
  | { readonly kind: 'false-finality'; readonly blocks: number }
  /** Headers say this in place of the truth; only the one of a height if that is given. */
  | {
      readonly kind: 'false-header';
      readonly fields: Readonly<Record<string, string>>;
      readonly height?: number;
    }
  /** Headers are right; calls by height run this many blocks earlier, calls by hash too where `pinned`. */
  | { readonly kind: 'reorg'; readonly blocks: number; readonly pinned: boolean }
  | Pruning
);

/** States below the floor and from the ceiling on are missing; `how` is answered instead. */
interface Pruning {
  readonly kind: 'prune';
  readonly floor: number;
  readonly ceiling?: number;
  readonly how: 'error' | 'empty' | 'list';
}

/** Asks the real node. */
type Ask = (calls: readonly Call[]) => Promise<Answer[]>;

/** Position of the block among the parameters of calls about state. */
const AT_BLOCK = 1;
const STATE_METHODS = new Set(['eth_call', 'eth_getBalance', 'eth_getCode']);

/** Answers the calls wrongly. */
export async function distort(how: Distortion, calls: readonly Call[], ask: Ask): Promise<Answer[]> {
  switch (how.kind) {
    case 'wrong-chain':
      return (await ask(calls)).map((answer, at) =>
        calls[at]?.method === 'eth_chainId' ? { ...answer, result: toHex(how.chainId) } : answer,
      );
    case 'rpc-error':
      return (await ask(calls)).map((answer, at) =>
        how.method === undefined || how.method === calls[at]?.method ? failure(answer.id, how) : answer,
      );
    case 'says':
      return (await ask(calls)).map((answer, at) =>
        how.method === calls[at]?.method
          ? { jsonrpc: answer.jsonrpc, id: answer.id, result: how.result }
          : answer,
      );
    case 'null-block':
      return (await ask(calls)).map((answer, at) =>
        calls[at]?.method.startsWith('eth_getBlock') ? { ...answer, result: null } : answer,
      );
    case 'lag':
      return distortLag(how.blocks, calls, ask);
    case 'boast':
      return (await ask(calls)).map((answer, at) =>
        calls[at]?.method === 'eth_blockNumber'
          ? { ...answer, result: toHex(Number(answer.result) + how.blocks) }
          : answer,
      );
    case 'false-finality':
      return distortHeaders(calls, ask, {
        isMeant: (_number, tag) => tag === 'finalized',
        fields: { number: toHex((await readHead(ask)) + how.blocks) },
      });
    case 'false-header':
      return distortHeaders(calls, ask, {
        isMeant: (number) => how.height === undefined || Number(number) === how.height,
        fields: how.fields,
      });
    case 'reorg':
      return distortReorg(how, calls, ask);
    case 'prune':
      return distortPrune(how, calls, ask);
  }
}

async function distortLag(blocks: number, calls: readonly Call[], ask: Ask): Promise<Answer[]> {
  const head = (await readHead(ask)) - blocks;
  const heights = await heightsOf(calls, ask);
  const answers = await ask(calls.map((call) => replaceTag(call, 'latest', toHex(head))));
  return answers.map((answer, at) => {
    const call = calls[at];
    if (call?.method === 'eth_blockNumber') return { ...answer, result: toHex(head) };
    if ((heights[at] ?? 0) <= head) return answer;
    return call?.method.startsWith('eth_getBlock')
      ? { ...answer, result: null }
      : failure(answer.id, { code: -32000, message: 'header not found' });
  });
}

async function distortHeaders(
  calls: readonly Call[],
  ask: Ask,
  lie: { isMeant(number: unknown, tag: unknown): boolean; readonly fields: Readonly<Record<string, string>> },
): Promise<Answer[]> {
  return (await ask(calls)).map((answer, at) => {
    const call = calls[at];
    if (call?.method !== 'eth_getBlockByNumber' || !answer.result) return answer;
    const header = answer.result as Record<string, unknown>;
    return lie.isMeant(header.number, call.params[0])
      ? { ...answer, result: { ...header, ...lie.fields } }
      : answer;
  });
}

async function distortReorg(
  how: { readonly blocks: number; readonly pinned: boolean },
  calls: readonly Call[],
  ask: Ask,
): Promise<Answer[]> {
  const heights = await heightsOf(calls, ask);
  const head = await readHead(ask);
  return ask(
    calls.map((call, at) => {
      const block = call.params[AT_BLOCK];
      if (!STATE_METHODS.has(call.method) || (typeof block === 'object' && !how.pinned)) return call;
      const height = (block === 'latest' ? head : (heights[at] ?? head)) - how.blocks;
      return { ...call, params: call.params.with(AT_BLOCK, toHex(height)) };
    }),
  );
}

async function distortPrune(
  { floor, ceiling = Infinity, how }: Pruning,
  calls: readonly Call[],
  ask: Ask,
): Promise<Answer[]> {
  const heights = await heightsOf(calls, ask);
  return (await ask(calls)).map((answer, at) => {
    const call = calls[at];
    const height = heights[at];
    const isThere = height === undefined || (height >= floor && height < ceiling);
    if (isThere || !call || !STATE_METHODS.has(call.method)) return answer;
    if (how === 'error') {
      const message = `missing trie node ${'ab'.repeat(32)} (path ) state 0x${'ab'.repeat(32)} is not available`;
      return failure(answer.id, { code: -32000, message });
    }
    return { jsonrpc: answer.jsonrpc, id: answer.id, result: how === 'empty' ? '0x' : [] };
  });
}

/** The height that each call is about, as far as it names a block by height or hash. */
async function heightsOf(calls: readonly Call[], ask: Ask): Promise<(number | undefined)[]> {
  return Promise.all(
    calls.map(async ({ method, params }) => {
      const block = method.startsWith('eth_getBlock') ? params[0] : params[AT_BLOCK];
      if (typeof block === 'string') return block.startsWith('0x') ? Number(block) : undefined;
      const hash = (block as { blockHash?: string } | undefined)?.blockHash;
      if (hash === undefined) return undefined;
      const call = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByHash', params: [hash, false] };
      const [answer] = await ask([call]);
      return Number((answer?.result as { number: string } | null)?.number);
    }),
  );
}

async function readHead(ask: Ask): Promise<number> {
  const [answer] = await ask([{ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }]);
  return Number(answer?.result);
}

function replaceTag(call: Call, tag: string, value: string): Call {
  return { ...call, params: call.params.map((param) => (param === tag ? value : param)) };
}

function failure(id: number, { code, message }: { code: number; message: string }): Answer {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function toHex(value: number): string {
  return `0x${value.toString(16)}`;
}
