/** JSON-RPC of a node that has some view of the chain. */
import type { RpcCall } from '@hindsight/chain/rpc/node.ts';
import { NOT_TAKEN, readProgramCall, type AskedItem } from '@hindsight/chain/test/support/program-calls.ts';
import { addressTopic, TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { FIRST, HOLDERS, NOT_FINAL, TOKENS, type ChainBlock } from './blocks.ts';
import { newcomerAt, type Newcomer } from './newcomers.ts';

/** The blocks that a node has. */
export interface View {
  /** Its canonical blocks, from the first on. */
  readonly canonical: readonly ChainBlock[];
  /** Blocks that it has or had, by hash. */
  readonly known: ReadonlyMap<string, ChainBlock>;
  /** It answers as if its canonical block at this height were its head. */
  readonly height: number;
  /** Its answer to a search of logs beyond its head: those that it has, or an error. */
  readonly beyond: 'part' | 'error';
  /** The state in which it answers; another block's is a planted fault. */
  readonly stateOf: (block: ChainBlock) => ChainBlock;
  /** The logs of holders that it answers; fewer are a planted fault. */
  readonly logsOf: (logs: readonly object[]) => readonly object[];
}

/** A reply without its id. */
type Reply = { readonly result: unknown } | { readonly error: object };

const UNKNOWN_BLOCK: Reply = { error: { code: -32_000, message: 'header not found' } };
const NO_METHOD: Reply = { error: { code: -32_601, message: 'the method does not exist' } };
const REVERTED: Reply = { error: { code: 3, message: 'execution reverted', data: '0x' } };
/** They rule out all logs, and none. */
const EMPTY_BLOOM = `0x${'00'.repeat(256)}`;
const FULL_BLOOM = `0x${'ff'.repeat(256)}`;
const CODE_BYTES = 100;
const WORD_BYTES = 32;

/** Answers one call. */
export function answerTo({ method, params }: RpcCall, view: View): Reply {
  switch (method) {
    case 'eth_chainId':
      return { result: '0x1' };
    case 'eth_blockNumber':
      return { result: quantity(view.height) };
    case 'eth_getBlockByNumber':
      return { result: headerOf(byTag(view, params[0])) };
    case 'eth_getBlockByHash':
      return { result: headerOf(view.known.get(String(params[0]))) };
    case 'eth_getLogs':
      return logs(view, params[0] as Filter);
    case 'eth_getBlockReceipts':
      return receiptsOf(byTag(view, params[0]));
    case 'eth_call':
      return inState(view, params[1], (state, block) => call(state, block, params));
    case 'eth_getBalance':
      return inState(view, params[1], (state) => ({ result: quantity(state.amountOf(String(params[0]))) }));
    case 'eth_getCode':
      return inState(view, params[1], (state) => ({
        result: `0x${'60'.repeat(codeSize(state, String(params[0])))}`,
      }));
    default:
      return NO_METHOD;
  }
}

function byTag({ canonical, height }: View, tag: unknown): ChainBlock | undefined {
  const tags: Readonly<Record<string, number>> = {
    earliest: FIRST,
    finalized: height - NOT_FINAL,
    latest: height,
  };
  const asked = tags[String(tag)] ?? Number(tag);
  return asked > height ? undefined : canonical[asked - FIRST];
}

/** The canonical block with a hash. */
function byHash({ canonical, known, height }: View, hash: string): ChainBlock | undefined {
  const block = known.get(hash);
  return block && block.number <= height && canonical[block.number - FIRST] === block ? block : undefined;
}

function inState(view: View, at: unknown, read: (state: ChainBlock, block: ChainBlock) => Reply): Reply {
  const block =
    typeof at === 'string' ? byTag(view, at) : byHash(view, (at as { blockHash: string }).blockHash);
  return block === undefined ? UNKNOWN_BLOCK : read(view.stateOf(block), block);
}

function headerOf(block: ChainBlock | undefined): object | null {
  if (block === undefined) return null;
  const { number, hash, parentHash, timestamp, transfers } = block;
  const logsBloom = transfers.length === 0 ? EMPTY_BLOOM : FULL_BLOOM;
  return { number: quantity(number), hash, parentHash, timestamp: quantity(timestamp), logsBloom };
}

function receiptsOf(block: ChainBlock | undefined): Reply {
  return block === undefined ? UNKNOWN_BLOCK : { result: [{ logs: logsOf(block, { topics: [] }) }] };
}

interface Filter {
  readonly address?: string;
  /** One block by its hash, or a range. */
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly topics: readonly (string | readonly string[] | null)[];
}

function logs(view: View, { blockHash, fromBlock, toBlock, ...filter }: Filter): Reply {
  const given = (found: readonly object[]): Reply => ({
    result: filter.topics.length > 1 ? view.logsOf(found) : found,
  });
  if (blockHash !== undefined) {
    const block = view.known.get(blockHash);
    if (block === undefined || block.number > view.height) return UNKNOWN_BLOCK;
    return given(logsOf(block, filter));
  }
  const last = Number(toBlock);
  if (last > view.height && view.beyond === 'error') return UNKNOWN_BLOCK;
  const blocks = view.canonical.slice(Number(fromBlock) - FIRST, Math.min(last, view.height) - FIRST + 1);
  return given(blocks.flatMap((block) => logsOf(block, filter)));
}

function logsOf(block: ChainBlock, { address, topics }: Filter): object[] {
  return block.transfers.flatMap(({ token, from, to, amount }) => {
    if (address !== undefined && address.toLowerCase() !== token) return [];
    const own = [TOPICS.transfer, addressTopic(from), addressTopic(to)];
    const isMeant = topics.every((wanted, at) => wanted === null || [wanted].flat().includes(own[at]!));
    if (!isMeant) return [];
    const { number, hash } = block;
    return {
      ...{ address: token, topics: own, data: `0x${word(amount)}`, blockHash: hash, transactionHash: hash },
      blockNumber: quantity(number),
    };
  });
}

/** A program of ours, or a call of a token. */
function call(state: ChainBlock, block: ChainBlock, params: readonly unknown[]): Reply {
  const { to, data = '0x' } = params[0] as { to?: string; data?: string };
  if (params[2] === undefined && to !== undefined) {
    const value = returned(state, to, data.slice(2));
    return value === undefined ? REVERTED : { result: `0x${word(value)}` };
  }
  const asked = readProgramCall(params);
  if (asked?.name !== 'multicall') return NOT_TAKEN;
  const body = asked.items.map((item) => answerOf(state, item)).join('');
  return asked.answer(block, body) as Reply;
}

function answerOf(state: ChainBlock, { gas, mostBytes, target, data }: AskedItem): string {
  if (gas > 0) return result(returned(state, target, data) ?? []);
  const wei = state.amountOf(target);
  return result(mostBytes > WORD_BYTES ? [wei, BigInt(codeSize(state, target))] : wei);
}

/** The value that a contract returns for a call. @param data without 0x */
function returned(state: ChainBlock, token: string, data: string): bigint | undefined {
  const newcomer = newcomerAt(token);
  if (newcomer !== undefined) return returnedByNewcomer(newcomer, state.number, data.slice(0, 8));
  if (!TOKENS.includes(token)) return undefined;
  switch (data.slice(0, 8)) {
    case '70a08231':
      return state.amountOf(`0x${data.slice(-40)}`, token);
    case '18160ddd':
      return HOLDERS.reduce((sum, holder) => sum + state.amountOf(holder, token), 0n);
    case '313ce567':
      return 18n;
    default:
      return undefined;
  }
}

function returnedByNewcomer(
  { block, isToken, nameAt }: Newcomer,
  at: number,
  selector: string,
): bigint | undefined {
  if (at < block || !isToken) return undefined;
  switch (selector) {
    case '06fdde03':
    case '95d89b41':
      return BigInt(
        `0x${Buffer.from(nameAt(at))
          .toString('hex')
          .padEnd(2 * WORD_BYTES, '0')}`,
      );
    case '70a08231':
      return 0n;
    case '18160ddd':
      return 1n;
    case '313ce567':
      return 18n;
    default:
      return undefined;
  }
}

/** An item of a multicall's answer: status, gas, size and words. */
function result(values: bigint | readonly bigint[]): string {
  const words = [values].flat();
  const size = (WORD_BYTES * words.length).toString(16).padStart(8, '0');
  return `${words.length === 0 ? '00' : '01'}00000000${size}${words.map(word).join('')}`;
}

function codeSize(state: ChainBlock, address: string): number {
  const isThere = TOKENS.includes(address) || (newcomerAt(address)?.block ?? Infinity) <= state.number;
  return isThere ? CODE_BYTES : 0;
}

function quantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

function word(value: bigint): string {
  return value.toString(16).padStart(2 * WORD_BYTES, '0');
}
