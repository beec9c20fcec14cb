/** Ends the process when nothing reads its output any more: a reader that has seen enough (`| head`) is no fault. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  // Notes that cannot be written end no work: a new key is printed after them.
  process.stderr.on('error', () => undefined);
}
