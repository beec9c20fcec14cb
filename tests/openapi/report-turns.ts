/**
 * Loaded before a process: prints the longest turn of its event loop on SIGUSR2, in microseconds of its thread's processor
 * time. Other work on the machine does not make it longer, unlike the time by a clock.
 */
const EVERY_MS = 50;

let before = 0;
let longest = 0;
setInterval(() => {
  const { user, system } = process.threadCpuUsage();
  longest = Math.max(longest, user + system - before);
  before = user + system;
}, EVERY_MS).unref();
process.on('SIGUSR2', () => {
  process.stdout.write(`\nlongest turn ${longest}\n`);
  longest = 0;
});
