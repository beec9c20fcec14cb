/** Loaded before a process: prints the processor time of its event loop's thread, in microseconds, on SIGUSR2. */
process.on('SIGUSR2', () => {
  const { user, system } = process.threadCpuUsage();
  process.stdout.write(`\nprocessor time ${user + system}\n`);
});
