/** Reseals stored keys under the current secret, a project at a time, each by one conditional write. */
import type { KeyVault } from './key-vault.ts';
import type { Resealed } from './ports.ts';
import type { KeyRecord, ProjectRecord, StoredKey } from './record.ts';
import type { ListPosition, ProjectStore } from './store.ts';

interface Deps {
  readonly store: ProjectStore;
  readonly vault: KeyVault;
}

type Outcome = 'resealed' | 'unchanged' | 'unreadable';

/**
 * Attempts for a project under concurrent changes; those write under the current secret, or cause another
 * attempt.
 */
const ATTEMPTS = 20;

/** A page of projects; see `ProjectRepository.resealKeys`. @throws {Error} when one keeps changing */
export async function resealKeys(deps: Deps, limit: number, after?: ListPosition): Promise<Resealed> {
  const records = await deps.store.list(limit, after);
  const ids: Readonly<Record<Outcome, string[]>> = { resealed: [], unchanged: [], unreadable: [] };
  for (const record of records) ids[await resealOne(deps, record)].push(record.project.id);
  const last = records.at(-1)?.project;
  return {
    ...ids,
    unchanged: ids.unchanged.length,
    last: last === undefined ? null : { createdAt: last.createdAt, id: last.id },
  };
}

async function resealOne({ store, vault }: Deps, first: ProjectRecord): Promise<Outcome> {
  let record: ProjectRecord | null = first;
  for (let attempt = 1; attempt <= ATTEMPTS && record !== null; attempt++) {
    const keys = underCurrent(vault, record.keys);
    if (typeof keys === 'string') return keys;
    // A new seal affects no copy of the project: there is no event to publish.
    const outcome = await store.replace({ ...record, keys }, null);
    if (outcome === 'replaced') return 'resealed';
    record = await store.read(first.project.id);
  }
  if (record === null) return 'unchanged';
  throw new Error(`project ${first.project.id} has too many concurrent changes`);
}

function underCurrent(
  vault: KeyVault,
  keys: readonly KeyRecord[],
): readonly KeyRecord[] | 'unchanged' | 'unreadable' {
  let changed = false;
  const reseal = (secret: StoredKey): StoredKey => {
    const next = vault.reseal(secret);
    changed ||= next !== null;
    return { ...secret, ...next };
  };
  try {
    const all = keys.map((key) => ({ ...key, secrets: key.secrets.map(reseal) }));
    return changed ? all : 'unchanged';
  } catch {
    return 'unreadable';
  }
}
