const ANSWER_WITHIN_MS = 2_000;

/** True if the process at this address says by `/readyz` that it is ready. */
export async function isReady(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  try {
    const answer = await fetch(`${url}/readyz`, { signal });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}
