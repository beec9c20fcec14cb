/**
 * A Kafka's first second, done once for each installation: an empty folder of data, and an archive of the classes that a
 * broker loads and verifies to begin, which the JVM maps. Both take more than half of the processor time of a start.
 */
import { join } from 'node:path';
import { defaultCache, installRecipe } from './install.ts';
import { RECIPES } from './recipes.ts';

/** From the folder of the recipe, so that every checkout has the same installation. */
const SCRIPT = '../../prepare-kafka/main.ts';

/** Paths of what every start has in common. */
export interface PreparedKafka {
  /** The formatted folder, to be copied. */
  readonly formatted: string;
  /** For `-XX:SharedArchiveFile`; a JVM of another version starts without it. */
  readonly classes: string;
}

/** Prepares an installation, unless that has been done. @param installed its folder */
export async function prepareKafka(installed: string, cache = defaultCache()): Promise<PreparedKafka> {
  const recipe = {
    ...RECIPES.kafka,
    name: 'kafka-prepared',
    doing: 'formats a folder of data, and starts a broker to archive its classes',
    files: ['pom.xml', SCRIPT, '../../kafka-broker.ts'],
    steps: [{ command: 'node', args: [SCRIPT, installed, '{out}'] }],
  };
  const folder = await installRecipe(recipe, cache, (line) => void process.stderr.write(`${line}\n`));
  return preparedIn(folder);
}

/** The same paths in the folder that is being filled. */
export function preparedIn(folder: string): PreparedKafka {
  return { formatted: join(folder, 'formatted'), classes: join(folder, 'classes.jsa') };
}
