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

/** How far counting has come, for those who look at usage. */
export interface CountingProgress {
  /** Notes that everything published before this moment is counted, Unix milliseconds. @throws {StoreUnavailable} */
  note(countedTo: number): Promise<void>;
  /** The moment that was noted last; undefined before the first. @throws {StoreUnavailable} */
  countedTo(): Promise<number | undefined>;
}
