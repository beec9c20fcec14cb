import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { embeddedSecret } from '@hindsight/standalone/secrets-file.ts';

/** Limits of a project: units a month, and a second. */
interface Limits {
  readonly monthlyLimit?: number;
  readonly rate?: number;
}

/**
 * The API key of a new project that no limit of a plan slows down, made in the data of an embedded installation, in this
 * process.
 */
export async function makeFastKey(
  dataDir: string,
  { monthlyLimit = 1_000_000, rate = 1_000 }: Limits = {},
): Promise<string> {
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const parts = { clock: systemClock, ids: randomIds, lifecycle };
  try {
    const { projects } = await openProjects({ dataDir, secret: embeddedSecret(dataDir) }, parts);
    const terms = { name: 'test', plan: 'enterprise', monthlyLimit, rate } as const;
    return (await createProject({ projects, ...parts }, terms)).key;
  } finally {
    await lifecycle.shutdown('the project is made');
  }
}
