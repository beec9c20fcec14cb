/** The in-memory store of the tests' OpenID provider. */
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

/** A store for one provider, by kind. The kinds of the device flow are never issued. */
export function createOpenIdMemory(): AdapterFactory {
  const kept = new Map<string, AdapterPayload>();
  const find = (isIt: (payload: AdapterPayload, key: string) => boolean): AdapterPayload | undefined =>
    [...kept].find(([key, payload]) => isIt(payload, key))?.[1];
  return (kind): Adapter => {
    const keyOf = (id: string): string => `${kind} ${id}`;
    const isOurs = (key: string): boolean => key.startsWith(`${kind} `);
    return {
      upsert: async (id, payload) => void kept.set(keyOf(id), payload),
      find: async (id) => kept.get(keyOf(id)),
      findByUid: async (uid) => find((payload, key) => isOurs(key) && payload.uid === uid),
      findByUserCode: async (code) => find((payload, key) => isOurs(key) && payload.userCode === code),
      consume: async (id) => {
        const payload = kept.get(keyOf(id));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => void kept.delete(keyOf(id)),
      revokeByGrantId: async (grantId) => {
        for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key);
      },
    };
  };
}
