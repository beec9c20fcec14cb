/** Loaded before a service: prints the heap after a full collection, and all of the process's memory, on SIGUSR2. */
process.on('SIGUSR2', () => {
  // Twice: what a first collection finalizes, the second one frees.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  console.log(`heap ${heapUsed} rss ${rss}`);
});
