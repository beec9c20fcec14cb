/**
 * Loaded before a process: prints the processor time of its event loop's thread on SIGUSR2, and the longest turn since the
 * last time, both in microseconds of that thread. The time of other processes does not count; but where machines share
 * processors, others make both longer.
 */
const EVERY_MS = 5;

let before = 0;
let longest = 0;
function note(): number {
  const { user, system } = process.threadCpuUsage();
  longest = Math.max(longest, user + system - before);
  return (before = user + system);
}
setInterval(note, EVERY_MS).unref();
process.on('SIGUSR2', () => {
  process.stdout.write(`\nprocessor time ${note()}, longest turn ${longest}\n`);
  longest = 0;
});
