import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import type { NodeAccess, Servers } from './parts.ts';
import type { ServiceProcess } from './service-process.ts';
import { KINDS } from './services.ts';

/** The contents of stack.json. */
interface StackState {
  readonly services: readonly ServiceProcess[];
  readonly servers: Servers;
  readonly node: NodeAccess;
  /** Of further networks, by name. */
  readonly networks: Readonly<Record<string, NodeAccess>>;
  /** Settings for commands that work on the stack. */
  readonly env: Readonly<Record<string, string>>;
}

/** Writes the file whole or not at all, readable by its owner only: it holds secrets. */
export async function writeStackFile(path: string, state: StackState): Promise<void> {
  const kinds = KINDS.map((kind) => [
    kind,
    state.services
      .filter(({ placed }) => placed.spec.name === kind)
      .map(({ pid, env, placed: { url, metricsUrl } }) => ({ pid, url, metrics: metricsUrl, env })),
  ]);
  const { servers, node, networks, env } = state;
  const content = { ...(Object.fromEntries(kinds) as object), servers, node, networks, env };
  const half = `${path}.${randomUUID()}`;
  try {
    await writeFile(half, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(half, path);
  } finally {
    await rm(half, { force: true });
  }
}
