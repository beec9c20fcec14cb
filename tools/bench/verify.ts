/**
 * Verifies answers as large as mainnet's (nine nodes to the account, eight to the slot), against another implementation that
 * follows the same two proofs (@ethereumjs/mpt). Rates are by processor time, so that a busy machine matters less.
 */
import { verifyMerkleProof } from '@ethereumjs/mpt';
import { verify } from '@hindsight/client/verify';
import { encodeRlp, getBytes, id, keccak256, toBeHex } from 'ethers';
import { slotOf } from '../../tests/support/proven-answers.ts';

const ROUNDS = 7;
const ANSWERS = 300;
const ACCOUNT_BRANCHES = 8;
const SLOT_BRANCHES = 7;
const TOKEN = `0x${'70'.repeat(20)}`;
const HOLDER = `0x${'40'.repeat(20)}`;
const INDEX = 9;
const AMOUNT = 4_550_227_500n;
const NUMBER = 18_000_000;
const TIME = 1_693_066_895;

interface Proof {
  readonly root: string;
  readonly nodes: readonly string[];
}

/** Runs the benchmark and prints its table. */
export async function run(): Promise<void> {
  const { answer, blockHash, account, slot } = makeAnswer();
  const ours = async (): Promise<void> => {
    const result = verify(answer, { blockHash });
    if (!result.verified) throw new Error(result.message);
  };
  // Converts theirs to bytes before the clock runs: decoding hex is not part of it.
  const inBytes = [account, slot].map(({ root, nodes, key }) => ({
    root: getBytes(root),
    nodes: nodes.map((node) => getBytes(node)),
    path: getBytes(keccak256(key)),
  }));
  const theirs = async (): Promise<void> => {
    for (const { root, nodes, path } of inBytes) {
      if ((await verifyMerkleProof(path, nodes, { root })) === null) throw new Error('nothing was found');
    }
  };
  const rates = { theirs: [] as number[], ours: [] as number[] };
  // Discards the first round of each: it compiles.
  for (let round = 0; round <= ROUNDS; round++) {
    const [their, our] = [await rateOf(theirs), await rateOf(ours)];
    if (round === 0) continue;
    rates.theirs.push(their);
    rates.ours.push(our);
  }
  const text = JSON.stringify(answer);
  console.log(
    `${ACCOUNT_BRANCHES + 1} and ${SLOT_BRANCHES + 1} nodes, ${text.length} bytes as JSON; answers a second of processor time\n`,
  );
  for (const [name, each] of [
    ['@ethereumjs/mpt, the two proofs alone', rates.theirs],
    ['verify, the whole answer', rates.ours],
  ] as const) {
    const sorted = each.toSorted((a, b) => a - b);
    const [low, median, high] = [sorted[0]!, sorted[ROUNDS >> 1]!, sorted.at(-1)!].map(Math.round);
    console.log(`${name.padEnd(40)} ${String(median).padStart(7)}/s  (${low} … ${high})`);
  }
}

/** Answers a second of processor time. */
async function rateOf(once: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < ANSWERS; i++) await once();
  const { user, system } = process.cpuUsage(before);
  return (ANSWERS * 1e6) / (user + system);
}

function makeAnswer() {
  const key = slotOf(INDEX, HOLDER);
  const slot = proveAlone(key, encodeRlp(toBeHex(AMOUNT)), SLOT_BRANCHES);
  const state = encodeRlp(['0x01', '0x', slot.root, id('code')]);
  const account = proveAlone(TOKEN, state, ACCOUNT_BRANCHES);
  const header_rlp = makeHeader(account.root);
  const blockHash = keccak256(header_rlp);
  const answer = {
    holder: HOLDER,
    token_address: TOKEN,
    balance: `${AMOUNT}`,
    checked_at_block: NUMBER,
    checked_at_date: new Date(TIME * 1_000).toISOString(),
    block_hash: blockHash,
    proof: {
      header_rlp,
      account_proof: account.nodes,
      storage: [{ key, value: toBeHex(AMOUNT), proof: slot.nodes }],
      claim: 'slot-is-balance',
    },
  };
  return { answer, blockHash, account: { ...account, key: TOKEN }, slot: { ...slot, key } };
}

/** Proves one key in a trie whose other children are only hashes: full branches, then a leaf. */
function proveAlone(key: string, value: string, branches: number): Proof {
  const path = keccak256(key).slice(2);
  const rest = path.slice(branches);
  const flag = rest.length % 2 === 0 ? '20' : '3';
  const nodes = [encodeRlp([`0x${flag}${rest}`, value])];
  for (let depth = branches - 1; depth >= 0; depth--) {
    const own = parseInt(path[depth]!, 16);
    const children = Array.from({ length: 16 }, (_, at) =>
      at === own ? keccak256(nodes[0]!) : id(`${depth} ${at}`),
    );
    nodes.unshift(encodeRlp([...children, '0x']));
  }
  return { root: keccak256(nodes[0]!), nodes };
}

function makeHeader(stateRoot: string): string {
  const hash = id('a hash');
  const before = [hash, hash, TOKEN, stateRoot, hash, hash, `0x${'5a'.repeat(256)}`, '0x', toBeHex(NUMBER)];
  const after = [
    '0x01c9c380',
    '0x01c9c380',
    toBeHex(TIME),
    `0x${'61'.repeat(20)}`,
    hash,
    `0x${'00'.repeat(8)}`,
  ];
  return encodeRlp([...before, ...after, '0x04a817c8', hash]);
}
