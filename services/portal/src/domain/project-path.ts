/** A project's page; those below it begin with the same path. */
export function projectPath(id: string): string {
  return `/dashboard/projects/${encodeURIComponent(id)}`;
}
