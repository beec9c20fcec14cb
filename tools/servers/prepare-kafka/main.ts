/** `node prepare-kafka/main.ts INSTALLED OUT`: a step of an installation, see ../kafka-prepared.ts. */
import { access, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginArguments, brokerProperties, format, probeBroker, writeProperties } from '../kafka-broker.ts';
import { preparedIn } from '../kafka-prepared.ts';
import { freePort } from '../ports.ts';
import { spawnWatched, tailOf, untilReady } from '../watched-child.ts';

const PATIENCE = { withinMs: 150_000, everyMs: 100 };
/** Java's exit after SIGTERM. */
const ENDED_IN_ORDER = 'exit code 143';

const [installed, out] = process.argv.slice(2) as [string, string];
const { formatted, classes } = preparedIn(out);
const folder = await mkdtemp(join(tmpdir(), 'hindsight-kafka-'));
try {
  const [clients, proxied, controller] = [await freePort(), await freePort(), await freePort()];
  const ports = { clients, proxied, proxy: proxied, controller };
  const [properties, logFile] = [join(folder, 'server.properties'), join(folder, 'server.log')];
  await writeProperties(properties, brokerProperties(ports, formatted));
  await format(installed, properties, []);
  const logs = join(folder, 'logs');
  await cp(formatted, logs, { recursive: true });
  await writeProperties(properties, brokerProperties(ports, logs));
  const args = [`-XX:ArchiveClassesAtExit=${classes}`, ...beginArguments(installed, properties)];
  const broker = spawnWatched({ command: 'java', args, folder, logFile, removeWithParent: folder });
  const fault = await untilReady(
    broker,
    () =>
      probeBroker(`127.0.0.1:${clients}`).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      ),
    PATIENCE,
  );
  if (fault !== undefined) throw new Error(`${fault}\n${await tailOf(logFile)}`);
  // The archive is written at the end.
  broker.signal('SIGTERM');
  const end = await broker.exited;
  if (end !== ENDED_IN_ORDER) throw new Error(`${end}\n${await tailOf(logFile)}`);
  await access(classes);
} finally {
  await rm(folder, { recursive: true, force: true });
}
