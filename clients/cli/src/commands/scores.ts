import type { Client, Scores, ScoresQuestion } from '@hindsight/client';
import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { dim, openClient, print, printData, printJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { UsageError } from '../exit-codes.ts';
import { readHolders } from '../holders-file.ts';
import { openInput } from '../input.ts';
import { blockWords, parseWhen } from '../when.ts';

/** Addresses of a request. */
const PART = 1_000;
/** The most addresses of a file: each part of them is a request. */
const MOST = 100_000;

type Strategies = ScoresQuestion['strategies'];

/** `hindsight scores strategies.json voters.csv --at 18000000 --csv` */
export function scoresCommand(program: Command, context: Context): void {
  program
    .command('scores')
    .description('votes of many addresses by Snapshot’s strategies, at one block')
    .argument(
      '<strategies>',
      'a JSON file: strategies, or an object with them (`strategies`), as a space has it',
    )
    .argument('[file]', 'one address a line, or the first column of CSV (default or `-`: standard input)')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('--csv', 'as CSV, with the score of each strategy')
    .option('--json', 'as JSON: the exact scores by strategy, their sums, and the blocks that were read')
    .action(
      async (path: string, file: string | undefined, options: { at?: string; csv?: true; json?: true }) => {
        const { strategies, network } = readStrategies(path);
        const addresses = await readAddresses(context, file);
        const client = openClient(context);
        const { signal } = context;
        const block = await client.block({ ...parseWhen(options.at), signal });
        if (network !== undefined && network !== String(block.chain_id))
          throw new UsageError(
            `the strategies are for chain ${network}, and ${block.network_name} is chain ${block.chain_id}: see --network`,
          );
        const question = { network: block.chain_id, snapshot: block.block_number, strategies, signal };
        const votes = await readVotes(client, question, block.block_hash, addresses);
        if (options.json) return printJson(context, votes);
        if (options.csv) return printCsv(context, strategies, addresses, votes);
        for (const address of addresses)
          print(context, `${votes.total[address] ?? '0'}  ${dim(context, address)}`);
        print(context, dim(context, blockWords({ ...block, checked_at_block: block.block_number })));
      },
    );
}

/** Reads the file. @throws {UsageError} where it has no strategies */
function readStrategies(path: string): {
  readonly strategies: Strategies;
  readonly network: string | undefined;
} {
  let given: unknown;
  try {
    given = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw new UsageError(`the file of strategies cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const space = (Array.isArray(given) ? { strategies: given } : (given ?? {})) as Record<string, unknown>;
  const { strategies, network } = space;
  const isStrategy = (one: unknown): boolean =>
    typeof one === 'object' && one !== null && typeof (one as { name?: unknown }).name === 'string';
  if (!Array.isArray(strategies) || strategies.length === 0 || !strategies.every(isStrategy))
    throw new UsageError(`${path}: expected a list of strategies, each {"name": "…", "params": {…}}`);
  return {
    strategies: (strategies as Strategies).map(({ name, network: own, params }) => ({
      ...{ name, params: params ?? {} },
      ...(own !== undefined && { network: own }),
    })),
    network: typeof network === 'string' || typeof network === 'number' ? String(network) : undefined,
  };
}

/** The addresses of a file, each once. @throws {UsageError} */
async function readAddresses(context: Context, file: string | undefined): Promise<readonly string[]> {
  const input = await openInput(context, file);
  const found = new Map<string, string>();
  for await (const address of readHolders(input)) {
    const key = address.toLowerCase();
    if (!found.has(key)) found.set(key, address);
    if (found.size > MOST) throw new UsageError(`expected at most ${MOST} addresses`);
  }
  if (found.size === 0) throw new UsageError('the file has no addresses');
  return [...found.values()];
}

/** Exact scores, by the addresses as they were given; scores of zero are left out. */
interface Votes {
  readonly scores: readonly Readonly<Record<string, string>>[];
  readonly total: Readonly<Record<string, string>>;
  readonly blocks: Scores['blocks'];
}

/**
 * Asks in parts, all about the same blocks.
 * @param hash of the snapshot's block, which the API takes by its number
 * @throws {Error} if a part was read at other blocks, after a reorganisation
 */
async function readVotes(
  client: Client,
  question: Omit<ScoresQuestion, 'addresses'>,
  hash: string,
  addresses: readonly string[],
): Promise<Votes> {
  const scores = question.strategies.map((): Record<string, string> => ({}));
  const total: Record<string, string> = {};
  let blocks: Scores['blocks'] | undefined;
  for (let from = 0; from < addresses.length; from += PART) {
    const part = addresses.slice(from, from + PART);
    const answer = await client.scores({ ...question, addresses: part });
    const hashes = (of: Scores['blocks']): string => of.map(({ block_hash }) => block_hash).join();
    blocks ??= answer.blocks;
    if (answer.blocks[0]?.block_hash !== hash || hashes(blocks) !== hashes(answer.blocks))
      throw new Error('a block was reorganised away meanwhile: ask again, or about an older block');
    const given = new Map(part.map((address) => [address.toLowerCase(), address]));
    const take = (into: Record<string, string>, found: Readonly<Record<string, string>>): void => {
      for (const [address, score] of Object.entries(found)) into[given.get(address.toLowerCase())!] = score;
    };
    answer.exact.forEach((found, i) => take(scores[i]!, found));
    take(total, answer.exact_total);
  }
  return { scores, total, blocks: blocks ?? [] };
}

function printCsv(
  context: Context,
  strategies: Strategies,
  addresses: readonly string[],
  { scores, total, blocks }: Votes,
): void {
  const [block] = blocks;
  const columns = strategies.map(({ name }, i) => {
    const earlier = strategies.slice(0, i).filter((one) => one.name === name).length;
    return earlier === 0 ? name : `${name} ${earlier + 1}`;
  });
  printData(context, csvLine(['address', ...columns, 'total', 'block', 'block_hash']));
  for (const address of addresses) {
    const own = [...scores, total].map((by) => by[address] ?? '0');
    printData(context, csvLine([address, ...own, block?.checked_at_block, block?.block_hash]));
  }
}
