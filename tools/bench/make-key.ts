/** A project with limits out of reach, for benchmarks through the gateway. */
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createProject, type ProjectRequest } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';

export const SECRETS_KEY = 'a secret of the benchmark';

const BOUNDLESS = { name: 'bench', plan: 'enterprise', monthlyLimit: 1_000_000_000, rate: 100_000 } as const;

/** Makes the project. @param settings of another store than the benchmark's. @returns its key */
export async function makeKey(
  dataDir: string,
  settings: { readonly mongodbUrl?: string; readonly secret?: string } = {},
  project: ProjectRequest = BOUNDLESS,
): Promise<string> {
  const lifecycle = createLifecycle(createLogger({ name: 'bench', level: 'silent' }));
  const platform = { clock: systemClock, ids: randomIds, lifecycle };
  const { projects } = await openProjects({ dataDir, secret: SECRETS_KEY, ...settings }, platform);
  const { key } = await createProject({ projects, ...platform }, project);
  await lifecycle.shutdown('the key is made');
  return key;
}
