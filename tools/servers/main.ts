/** `npm run servers -- install [NAME …]` and `npm run servers -- check`. */
import { parseArgs } from 'node:util';
import { findNative, findShared, type NativeName, type Source } from './find.ts';
import { defaultCache, install, installedFolder, isInstalled, recipeVersion } from './install.ts';
import { prepareKafka } from './kafka-prepared.ts';
import { probesOf } from './probes.ts';
import { RECIPES, type RecipeName, SERVER_RECIPES } from './recipes.ts';

const USAGE = `usage: npm run servers -- install [NAME …] [--cache FOLDER]
       npm run servers -- check [--cache FOLDER]
names: ${Object.keys(RECIPES).join(', ')}; ${SERVER_RECIPES.join(', ')} when none is given
`;

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { cache: { type: 'string', default: defaultCache() } },
  });
  const [command, ...names] = positionals;
  if (command === 'check' && names.length === 0) return check(values.cache);
  if (command === 'install' && names.every(isRecipe)) return installAll(names, values.cache);
  process.stderr.write(USAGE);
  return 2;
}

function isRecipe(name: string): name is RecipeName {
  return Object.hasOwn(RECIPES, name);
}

async function installAll(names: readonly RecipeName[], cache: string): Promise<number> {
  const wanted = names.length > 0 ? names : SERVER_RECIPES;
  let failures = 0;
  for (const name of wanted) {
    try {
      const folder = await install(name, cache);
      if (name === 'kafka') await prepareKafka(folder, cache);
    } catch (error) {
      failures++;
      process.stderr.write(`${(error as Error).message}\n`);
    }
  }
  if (!(await probesOf(process.env).has('redis-server'))) {
    process.stderr.write(
      "servers: redis-server comes from the system's packages (apt-get install redis-server)\n",
    );
  }
  return failures === 0 ? 0 : 1;
}

async function check(cache: string): Promise<number> {
  const probes = probesOf(process.env, cache);
  const lines: Record<string, Record<string, string>> = {};
  for (const name of ['kafka', 'mongodb', 'redis'] as const) {
    lines[name] = await line(name, await findShared(name, process.env, probes), cache);
  }
  for (const name of ['toxiproxy', 'geth', 'geth-1.17'] as const) {
    lines[name] = await line(name, await findNative(name, probes), cache);
  }
  console.table(lines);
  return 0;
}

async function line(name: NativeName, source: Source, cache: string): Promise<Record<string, string>> {
  const comes = source.kind === 'absent' ? `absent: ${source.why}` : source.kind;
  if (name === 'redis') return { version: "the system's", installed: '-', comes };
  const installed = (await isInstalled(name, cache)) ? await installedFolder(name, cache) : 'no';
  return { version: await recipeVersion(name), installed, comes };
}

process.exitCode = await main();
