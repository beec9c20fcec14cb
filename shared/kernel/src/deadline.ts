/** Waits for work no longer than a time. The work itself goes on: others may be waiting for it too. */
export async function withDeadline<T>(work: Promise<T>, milliseconds: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for work no longer than a time; whether it settled by then. Its rejection is not passed on. */
export async function settledWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  return withDeadline(settled, milliseconds, () => new Error('late')).catch(() => false);
}
