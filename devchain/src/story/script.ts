/** Writes the plan: transactions in order, with consistent nonces, ether and blocks. */
import { getCreateAddress } from 'ethers/address';
import { type Artifact, loadArtifact } from '../artifacts.ts';
import { LedgerBook } from '../ledger.ts';
import type { Genesis, PlannedBlock, PlannedTransaction } from '../plan-format.ts';
import { timestampOf } from '../slots.ts';

/** The block gas limit is 30 million, and a transaction counts there with its whole limit. */
const CALL_GAS = 200_000;
const CREATE_GAS = 2_500_000;

interface CallOptions {
  /** Wei sent along. */
  value?: bigint;
  /** The call is intended to revert: the ether stays. */
  fails?: boolean;
}

export class Script {
  readonly blocks: PlannedBlock[] = [];
  readonly ledger = new LedgerBook();
  readonly #artifacts = new Map<string, Artifact>();
  readonly #nonces: Map<string, number>;
  readonly #wei = new Map<string, bigint>();
  #block: number;

  constructor(genesis: Genesis) {
    this.#block = genesis.number;
    this.#nonces = new Map(genesis.nonces);
    for (const [address, wei] of genesis.balances) this.#setWei(address, wei);
  }

  /** The block that is being written. */
  get block(): number {
    return this.#block;
  }

  nextBlock(): void {
    this.#block += 1;
    this.blocks.push({ number: this.#block, timestamp: timestampOf(this.#block), transactions: [] });
  }

  /** Has `from` call a method of the contract at `to`. */
  call(
    from: string,
    to: string,
    contract: string,
    method: string,
    args: unknown[],
    options: CallOptions = {},
  ): void {
    const { value = 0n, fails = false } = options;
    const data = (): string => this.#artifact(contract).interface.encodeFunctionData(method, args);
    this.#send({ from, to, value, gas: CALL_GAS, fails }, data);
    if (!fails) this.moveWei(from, to, value);
  }

  /** Has `from` deploy a contract, which must come to stand at `address`. */
  create(from: string, contract: string, args: unknown[], address: string): void {
    const nonce = this.#nonces.get(from) ?? 0;
    const created = getCreateAddress({ from, nonce });
    if (created !== address) throw new Error(`${contract} would stand at ${created}, not at ${address}`);
    const data = (): string => {
      const artifact = this.#artifact(contract);
      return artifact.bytecode + artifact.interface.encodeDeploy(args).slice(2);
    };
    this.#send({ from, to: null, value: 0n, gas: CREATE_GAS, fails: false }, data);
  }

  /** Has `from` pay ether to an account without code. */
  pay(from: string, to: string, wei: bigint): void {
    this.#send({ from, to, value: wei, gas: 21_000, fails: false }, () => '0x');
    this.moveWei(from, to, wei);
  }

  weiOf(address: string): bigint {
    return this.#wei.get(address) ?? 0n;
  }

  /** Books ether that moves within a call. */
  moveWei(from: string, to: string, wei: bigint): void {
    if (wei === 0n) return;
    if (this.weiOf(from) < wei) throw new Error(`${from} has no ${wei} wei in block ${this.#block}`);
    this.#setWei(from, this.weiOf(from) - wei);
    this.#setWei(to, this.weiOf(to) + wei);
  }

  #setWei(address: string, wei: bigint): void {
    this.#wei.set(address, wei);
    this.ledger.record({ kind: 'native', holder: address, block: this.#block, value: wei });
  }

  /** Adds a transaction, whose data is encoded when it is read: most readers of a plan want its ledger only. */
  #send(transaction: Omit<PlannedTransaction, 'nonce' | 'data'>, data: () => string): void {
    const nonce = this.#nonces.get(transaction.from) ?? 0;
    this.#nonces.set(transaction.from, nonce + 1);
    const block = this.blocks.at(-1);
    if (block === undefined) throw new Error('no block has been begun');
    block.transactions.push({
      ...transaction,
      nonce,
      get data() {
        return data();
      },
    });
  }

  #artifact(contract: string): Artifact {
    const known = this.#artifacts.get(contract) ?? loadArtifact(contract);
    this.#artifacts.set(contract, known);
    return known;
  }
}
