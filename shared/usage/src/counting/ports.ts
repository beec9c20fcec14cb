/** Processes that count, as they know each other: by signs of life in the ledger that they share. */
export interface CountingProcesses {
  /**
   * Gives a sign of life. @returns how many each process has given, this one included, by the processes' names
   * @throws {StoreUnavailable}
   */
  beat(name: string): Promise<ReadonlyMap<string, number>>;
  /** Forgets one that has ended; if it lives, it is known again with its next sign. @throws {StoreUnavailable} */
  forget(name: string): Promise<void>;
}
