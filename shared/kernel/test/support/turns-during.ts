/** Counts the turns that the event loop gives to others while work goes on. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const over = (): void => void (isOver = true);
  work.then(over, over);
  // Without awaiting anything else than the next turn.
  for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve));
  await work;
  return turns;
}
