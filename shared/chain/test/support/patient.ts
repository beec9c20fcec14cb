/** For a node whose answers a test needs: longer than any machine takes for one. */
export const PATIENT = { timeoutMs: 60_000 } as const;
