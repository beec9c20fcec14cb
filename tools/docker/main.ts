/**
 * `npm run docker -- prepare`: builds and assembles every image that tests run, and ends.
 * `npm run docker -- up`: an engine with those images, until Ctrl-C.
 */
import { once } from 'node:events';
import { probesOf } from '../servers/probes.ts';
import { docker } from './engine.ts';
import { openImages } from './open.ts';

const USAGE = 'usage: npm run docker -- prepare | up\n';

async function main(): Promise<number> {
  const [command, ...rest] = process.argv.slice(2);
  if ((command !== 'prepare' && command !== 'up') || rest.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const engine = await openImages(process.env, probesOf(process.env), command === 'up' ? 'run' : 'build');
  if ('absent' in engine) {
    process.stderr.write(`docker: ${engine.absent}\n`);
    return 1;
  }
  const host = engine.host;
  try {
    process.stdout.write(`${await docker({ host }, ['images'])}\n`);
    if (command === 'up') {
      process.stdout.write(
        `export DOCKER_HOST=${host ?? ''}\n${engine.compose} is docker compose\nCtrl-C ends it.\n`,
      );
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    }
  } finally {
    await engine.stop();
  }
  return 0;
}

process.exitCode = await main();
