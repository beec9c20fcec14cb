/**
 * Runs `start`, and a second time beside it when the first has not ended after `afterMs` milliseconds.
 * @returns the first result that is not undefined; undefined when none is
 */
export function hedged<T>(start: () => Promise<T | undefined>, afterMs: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let running = 0;
    const run = (): void => {
      running += 1;
      start().then(
        (result) => {
          running -= 1;
          if (result === undefined && running > 0) return;
          clearTimeout(timer);
          resolve(result);
        },
        (error: Error) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    };
    const timer = setTimeout(run, afterMs);
    run();
  });
}
