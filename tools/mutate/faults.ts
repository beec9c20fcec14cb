/**
 * Guards and bounds, each with a fault that removes it and the suites that must notice. A fault whose text is
 * no longer in its file fails `tools/test/mutate.test.ts`: the list moves with the code.
 */

/** One planted fault. */
export interface Fault {
  /** The broken promise, in a few words. */
  readonly promise: string;
  /** From the repository's root. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** Paths, or parts of paths, for `npm test`. At least one must fail. */
  readonly suites: readonly string[];
}

const SNAPSHOT_READERS = ['services/balance/test/snapshot-readers', 'services/balance/src/rows'];

export const FAULTS: readonly Fault[] = [
  {
    promise: 'a node of another chain is refused at start',
    file: 'shared/chain/src/pool/open-node.ts',
    from: 'if (Number.isNaN(found) || found === chainId) return undefined;',
    to: 'if (Number.isNaN(found) || found > 0) return undefined;',
    suites: ['shared/chain/test/pool/open-node'],
  },
  {
    promise: 'a token list of another network is refused',
    file: 'services/tokens/src/adapters/network-mark.ts',
    from: 'if (stored.name === name && stored.chainId === chainId) return;',
    to: 'if (stored.name === name || stored.chainId === chainId || chainId > 0) return;',
    suites: ['services/tokens/test/networks'],
  },
  {
    promise: 'each network has token collections of its own',
    file: 'services/tokens/src/adapters/mongodb-documents.ts',
    from: "network === ETH_MAINNET.name ? '' : `.${network}`",
    to: "''",
    suites: ['services/tokens/test/networks'],
  },
  {
    promise: 'a unit pays for 100 rows',
    file: 'shared/api/src/units.ts',
    from: 'ROWS_PER_UNIT = 100;',
    to: 'ROWS_PER_UNIT = 101;',
    suites: ['shared/api', 'services/gateway/test/units'],
  },
  {
    promise: 'a series of months ends before its end',
    file: 'shared/api/src/series-grid.ts',
    from: 'monthsAfter(from, months) <= to ? months + 1 : months',
    to: 'months + 1',
    suites: ['shared/api'],
  },
  {
    promise: 'a stream costs its rows for each token',
    file: 'shared/api/src/units.ts',
    from: 'unitsOf(rows) * tokens',
    to: 'unitsOf(rows)',
    suites: ['shared/api'],
  },
  {
    promise: 'usage of an alias is shown with its operation',
    file: 'shared/usage/src/breakdown.ts',
    from: 'const name = shownEndpoint(counted);',
    to: 'const name = counted;',
    suites: ['shared/usage/src/breakdown'],
  },
  {
    promise: 'blank lines are bounded',
    file: 'shared/api/src/body-rows.ts',
    from: 'this.#blankLines > MAX_BLANK_LINES + this.#rows',
    to: 'false',
    suites: ['shared/api'],
  },
  {
    promise: 'a line in quotes is no row',
    file: 'shared/api/src/body-rows.ts',
    from: "byte === LF && this.#place === 'quoted'",
    to: 'false',
    suites: ['shared/api'],
  },
  {
    promise: 'a long row is no header',
    file: 'shared/api/src/body-rows.ts',
    from: 'mayBeHeader && fault === undefined && isHeader',
    to: 'mayBeHeader && isHeader',
    suites: ['shared/api'],
  },
  {
    promise: 'a client may send everything before it reads',
    file: 'services/balance/src/rows/snapshot.ts',
    from: 'NOT_READ_MS = 2_000;',
    to: 'NOT_READ_MS = 2_000_000;',
    suites: ['services/balance/test/snapshot-readers'],
  },
  {
    promise: 'a node that lacks the past is asked for it last',
    file: 'shared/chain/src/pool/failover.ts',
    from: 'if (question && member.lacks(question)) return 2;',
    to: '',
    suites: ['shared/chain/test/pool/kept-blocks'],
  },
  {
    promise: 'what a node keeps moves with its head',
    file: 'shared/chain/src/pool/kept-blocks.ts',
    from: 'head - (kept?.window ?? Infinity) + 1',
    to: '0',
    suites: ['shared/chain/test/pool/kept-blocks'],
  },
  {
    promise: 'a node that answers an old block is asked for such again',
    file: 'shared/chain/src/pool/kept-blocks.ts',
    from: 'lacked !== undefined && height <= lacked',
    to: 'false',
    suites: ['shared/chain/test/pool/kept-blocks'],
  },
  {
    promise: 'a node is not asked with each question what it keeps',
    file: 'shared/chain/src/pool/member.ts',
    from: 'clock.now() < this.#learnAgainAt || ',
    to: '',
    suites: ['shared/chain/src/pool/member'],
  },
  {
    promise: 'ether that a contract pays is not promised to be complete',
    file: 'services/balance/src/chain/ether-changes.ts',
    from: '(low.nonce > 0 && !low.hasCode)',
    to: 'low.nonce >= 0',
    suites: ['services/balance/src/views/balance-changes'],
  },
  {
    promise: 'a transaction that leaves the balance as it was is looked into',
    file: 'services/balance/src/chain/ether-changes.ts',
    from: 'one.amount === other.amount && one.nonce === other.nonce',
    to: 'one.amount === other.amount',
    suites: ['services/balance/test/ether-changes'],
  },
  {
    promise: 'looks for the changes of a page are bounded',
    file: 'services/balance/src/chain/first-gaps.ts',
    from: 'changes >= limit || left <= 0',
    to: 'changes >= limit',
    suites: ['services/balance/src/chain/first-gaps'],
  },
  {
    promise: 'the time for the changes of a page is bounded',
    file: 'services/balance/src/chain/first-gaps.ts',
    from: 'performance.now() > deadline',
    to: 'false',
    suites: ['services/balance/src/chain/first-gaps'],
  },
  {
    promise: 'a node that has changed its carrier is probed again',
    file: 'shared/chain/src/state/multicall/carriers/carried-node.ts',
    from: 'inDoubt.length === 0 ||',
    to: 'inDoubt.length >= 0 ||',
    suites: ['shared/chain/test/state/carriers'],
  },
  {
    promise: 'a node without a carrier is not probed with each question',
    file: 'shared/chain/src/state/multicall/carriers/carried-node.ts',
    from: 'this.#deps.clock.now() < this.#probeAgainAt',
    to: 'false',
    suites: ['shared/chain/test/state/carriers'],
  },
  {
    promise: 'a snapshot ends whose client takes nothing',
    file: 'services/balance/src/rows/snapshot.ts',
    from: 'else end();',
    to: 'else watch(inMs);',
    suites: ['services/balance/test/snapshot-readers'],
  },
  {
    promise: 'bodies share one budget',
    file: 'services/balance/src/rows/body-reader.ts',
    from: 'this.#takesAll && budget.hasRoom',
    to: 'this.#takesAll',
    suites: SNAPSHOT_READERS,
  },
  {
    promise: 'a body that waits for the budget goes on',
    file: 'services/balance/src/rows/body-reader.ts',
    from: 'if (this.#takesAll) budget.wait(this.#adjust);',
    to: '',
    suites: SNAPSHOT_READERS,
  },
  {
    promise: 'a dropped body returns what it held',
    file: 'services/balance/src/rows/body-reader.ts',
    from: 'this.#count(-this.#bytes);',
    to: '',
    suites: SNAPSHOT_READERS,
  },
  {
    promise: 'a JSON body is measured before it is parsed',
    file: 'shared/http/src/json-bodies.ts',
    from: 'return values > maxValues;',
    to: 'return false;',
    suites: ['shared/http/src/json-bodies'],
  },
  {
    promise: "a call's list is measured before it is read",
    file: 'services/balance/src/domain/call/encode.ts',
    from: 'if (this.#wordsLeft >= 0) return;',
    to: 'if (this.#wordsLeft >= -1_000_000) return;',
    suites: ['services/balance/src/domain/call'],
  },
  {
    promise: 'checksums of a request are bounded',
    file: 'services/balance/src/domain/call/encode.ts',
    from: 'return this.#left >= 0;',
    to: 'return true;',
    suites: ['services/balance/src/domain/call'],
  },
  {
    promise: 'a look-up that began before a change is not remembered after it',
    file: 'services/gateway/src/keys/cached-projects.ts',
    from: 'if (before === this.#changes) ',
    to: '',
    suites: ['services/gateway/src/keys/cached-projects'],
  },
  {
    promise: 'units that were leased under a higher limit are not spent',
    file: 'services/gateway/src/limits/quota/project-quota.ts',
    from: 'this.#limit < this.#leaseLimit || ',
    to: '',
    suites: ['services/gateway/src/limits/quota/leased-quota'],
  },
  {
    promise: 'a series of dates lasts once the block after its last is final',
    file: 'services/balance/src/chain/series-reader.ts',
    from: 'isForGood(deps.reader, last, instants !== null)',
    to: 'isForGood(deps.reader, last, false)',
    suites: ['services/balance/src/views/balance-series'],
  },
  {
    promise: 'changes last once the block after their last is final',
    file: 'services/balance/src/chain/changes-reader.ts',
    from: 'isForGood(reader, to, true)',
    to: 'isForGood(reader, to, false)',
    suites: ['services/balance/src/views/balance-changes'],
  },
  {
    promise: 'an answer at a date lasts once the block after it is final',
    file: 'services/balance/src/chain/ranges.ts',
    from: 'number: block.number + 1 }',
    to: 'number: block.number }',
    suites: ['services/balance/src/routes/answers'],
  },
  {
    promise: 'an answer is kept by all parameters of its question',
    file: 'services/balance/src/domain/question.ts',
    from: 'JSON.stringify(asked, asJson)',
    to: 'JSON.stringify(Object.values(asked)[0], asJson)',
    suites: ['services/balance/test/question-key'],
  },
  {
    promise: 'a cursor continues its own question',
    file: 'services/balance/src/chain/changes-reader.ts',
    from: 'cursor !== undefined && cursor.mark !== mark',
    to: 'false',
    suites: ['services/balance/src/views/balance-changes'],
  },
  {
    promise: 'a search for what a wallet has leaves time to read it',
    file: 'services/balance/src/chain/wallet-reader.ts',
    from: 'LOGS_SHARE = 0.5;',
    to: 'LOGS_SHARE = 5;',
    suites: ['services/balance/src/chain/wallet-reader'],
  },
  {
    promise: 'a wallet has 2,000 candidates at most',
    file: 'services/balance/src/chain/fair-candidates.ts',
    from: 'MAX_CANDIDATES = 2_000;',
    to: 'MAX_CANDIDATES = 20_000;',
    suites: ['services/balance/src/chain/fair-candidates', 'services/balance/test/flooded-wallet'],
  },
  {
    promise: 'a contract has 500 of a wallet’s candidates at most',
    file: 'services/balance/src/chain/fair-candidates.ts',
    from: 'MAX_OF_CONTRACT = 500;',
    to: 'MAX_OF_CONTRACT = 5_000;',
    suites: ['services/balance/src/chain/fair-candidates', 'services/balance/test/flooded-wallet'],
  },
  {
    promise: 'calls that a node grants little gas become smaller',
    file: 'shared/chain/src/state/bulk-reader.ts',
    from: 'LITTLE_GAS = 8_000_000;',
    to: 'LITTLE_GAS = 0;',
    suites: ['shared/chain/src/state/bulk-reader', 'shared/chain/test/state/read-many'],
  },
  {
    promise: 'an index of another chain answers nothing',
    file: 'services/holders/src/routes/indexed-chain.ts',
    from: 'if ((await this.#balances.block(when, signal)).hash !== hash) return false;',
    to: 'await this.#balances.block(when, signal);',
    suites: ['tests/holders'],
  },
  {
    promise: 'no code is believed only of a node that has the balance',
    file: 'shared/chain/src/pool/attempt.ts',
    from: 'call.withPrevious === true && previous !== undefined',
    to: 'previous !== undefined && false',
    suites: ['services/balance/src/views/code'],
  },
];
