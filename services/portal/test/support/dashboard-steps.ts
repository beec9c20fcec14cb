/** Steps that tests of the dashboard begin with. */
import type { RunningDashboard, Visitor } from './run-dashboard.ts';

/** The path of a user's first project, which is created if there is none. */
export async function firstOf(visitor: Visitor): Promise<string> {
  return (await visitor.get('/dashboard')).headers.get('location') ?? '';
}

/** The key of the project at a path, as Show reveals it. */
export async function keyOf(visitor: Visitor, path: string): Promise<string> {
  return ((await (await visitor.post(`${path}/key`)).json()) as { key: string }).key;
}

/** The project at a path. */
export function idOf(path: string): string {
  return path.split('/').at(-1) ?? '';
}

/** The audit log of the project at a path, latest first. */
export async function actionsOf({ opened }: RunningDashboard, path: string): Promise<string[]> {
  return (await opened.audit.list(idOf(path), 100)).map(({ action }) => action);
}
