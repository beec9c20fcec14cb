import { runAdmin } from './admin.ts';

/** The API key of a new project that no limit of a plan slows down. */
export async function makeFastKey(dataDir: string): Promise<string> {
  const limits = ['--plan', 'enterprise', '--monthly-limit', '1000000', '--rate', '1000'];
  const { stdout } = await runAdmin(
    { DATA_DIR: dataDir },
    'project',
    'create',
    '--name',
    'test',
    ...limits,
    '--json',
  );
  return (JSON.parse(stdout) as { key: string }).key;
}
