/** Claims for every node, in terms of the seeding plan: the same list every time. */
import type { Ledger, LedgerEntry } from '@hindsight/devchain/ledger.ts';
import { CHAIN, ENS_NAMES, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { ASKED_TOKENS, bookedAmount, type AskedToken, type Subject } from './subject.ts';

/** The reason for an answer without a value. */
export type Absence = 'contract' | 'token' | 'name' | 'allowance';

/** A question about the state after a block of the plan. */
export interface Claim {
  readonly subject: Subject;
  /** Number in the plan; other nodes have that state at another height. */
  readonly block: number;
  readonly by: 'height' | 'date' | 'latest';
  /** The ENS name given in place of the holder. */
  readonly name?: string;
  readonly absent?: Absence;
}

const TOKEN_BY_ADDRESS: ReadonlyMap<string, AskedToken> = new Map(
  ASKED_TOKENS.map((token) => [TOKENS[token].address, token]),
);
const { alice, market, relay, treasury } = HOLDERS;
/** Blocks between two looks at the same name, and at the same allowance. */
const NAME_STEP = 7;
const ALLOWANCE_STEP = 33;

/** All claims, without duplicates. */
export function claimsOf(ledger: Ledger): readonly Claim[] {
  const all = [
    ...ledger.entries.flatMap((entry) => aroundEntry(ledger, entry)),
    ...allowancesOverTime(ledger),
    ...strangers(),
    ...names(ledger),
    ...tooEarly(),
    ...latest(ledger),
  ];
  const byIdentity = new Map(all.map((claim) => [JSON.stringify(claim), claim]));
  return [...byIdentity.values()];
}

/** Every change, right after it and right before it; some of them by date. */
function aroundEntry(ledger: Ledger, entry: LedgerEntry): Claim[] {
  const subject = subjectOf(entry);
  if (subject === undefined) return [];
  const since = subject.kind === 'native' ? CHAIN.genesis : TOKENS[subject.token].since;
  return [entry.block, entry.block - 1]
    .filter((block) => block >= since)
    .map((block) => claim(ledger, subject, block, block % 4 === 0 ? 'date' : 'height'));
}

function subjectOf(entry: LedgerEntry): Subject | undefined {
  if (entry.kind === 'native') return { kind: 'native', holder: entry.holder };
  if (entry.kind !== 'balance' && entry.kind !== 'allowance') return undefined;
  const token = TOKEN_BY_ADDRESS.get(entry.token);
  if (token === undefined) throw new Error(`${entry.token} is no token that can be asked about`);
  if (entry.kind === 'balance') return { kind: 'balance', token, holder: entry.holder };
  return { kind: 'allowance', token, holder: entry.owner, spender: entry.spender };
}

function allowancesOverTime(ledger: Ledger): Claim[] {
  const granted = ledger.entries.map(subjectOf).filter((subject) => subject?.kind === 'allowance');
  const pairs = new Map(granted.map((subject) => [JSON.stringify(subject), subject]));
  return [...pairs.values()].flatMap((subject, i) =>
    heights(LANDMARKS.traffic + (i % ALLOWANCE_STEP), ALLOWANCE_STEP).map((block) =>
      claim(ledger, subject, block, 'height'),
    ),
  );
}

/** A holder without any balance, at a token's first block and at the head. */
function strangers(): Claim[] {
  return ASKED_TOKENS.flatMap((token): Claim[] => {
    const subject: Subject = { kind: 'balance', token, holder: UNUSED_ADDRESS };
    return [TOKENS[token].since, CHAIN.head].map((block) => ({ subject, block, by: 'height' }));
  });
}

/** Names, before they are there, while they point to different addresses, and after they are gone. */
function names(ledger: Ledger): Claim[] {
  return ENS_NAMES.filter((name) => name !== 'offchain.eth').flatMap((name) =>
    heights(LANDMARKS.traffic, NAME_STEP).flatMap((block, i): Claim[] => {
      const holder = ledger.nameAt(name, block);
      const by = i % 3 === 0 ? 'date' : 'height';
      if (holder === null) {
        return [{ subject: { kind: 'native', holder: UNUSED_ADDRESS }, block, by, name, absent: 'name' }];
      }
      const subjects: Subject[] = [
        { kind: 'native', holder },
        { kind: 'balance', token: 'usdc', holder },
        { kind: 'allowance', token: 'uni', holder, spender: market },
      ];
      return [{ ...claim(ledger, subjects[i % subjects.length]!, block, by), name }];
    }),
  );
}

/** Tokens before they are there. */
function tooEarly(): Claim[] {
  const before = (token: AskedToken, absent: Absence, back: number): Claim[] =>
    [alice, relay].map((holder) => ({
      subject: { kind: 'balance', token, holder },
      block: TOKENS[token].since - back,
      by: 'height',
      absent,
    }));
  return [
    ...before('late', 'contract', 1),
    ...before('late', 'contract', 200),
    ...before('script', 'contract', 1),
    ...before('nameless', 'contract', 1),
    // The proxy is there by then, and leads nowhere.
    ...before('usdc', 'token', 1),
  ];
}

function latest(ledger: Ledger): Claim[] {
  return [alice, treasury, relay].flatMap((holder) => [
    claim(ledger, { kind: 'native', holder }, CHAIN.head, 'latest'),
    ...ASKED_TOKENS.map((token) => claim(ledger, { kind: 'balance', token, holder }, CHAIN.head, 'latest')),
    claim(ledger, { kind: 'allowance', token: 'usdc', holder, spender: market }, CHAIN.head, 'latest'),
  ]);
}

/** An allowance of zero is none. */
function claim(ledger: Ledger, subject: Subject, block: number, by: Claim['by']): Claim {
  const isNone = subject.kind === 'allowance' && bookedAmount(ledger, subject, block) === 0n;
  return { subject, block, by, ...(isNone ? { absent: 'allowance' as const } : {}) };
}

function heights(from: number, step: number): number[] {
  return Array.from({ length: Math.floor((CHAIN.head - from) / step) + 1 }, (_, i) => from + i * step);
}
