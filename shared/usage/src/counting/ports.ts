/** Processes that count, known to each other by signs of life in the shared ledger. */
export interface CountingProcesses {
  /**
   * Gives a sign of life. @returns the signs given by each process, this one included, by the processes'
   * names
   * @throws {StoreUnavailable}
   */
  beat(name: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Forgets a process that has ended; a live one is known again with its next sign. @throws
   * {StoreUnavailable}
   */
  forget(name: string): Promise<void>;
}

/** Progress of counting, for readers of usage. */
export interface CountingProgress {
  /** Notes that everything published before this moment is counted, Unix milliseconds. @throws {StoreUnavailable} */
  note(countedTo: number): Promise<void>;
  /** The moment noted last; undefined before the first. @throws {StoreUnavailable} */
  countedTo(): Promise<number | undefined>;
}
