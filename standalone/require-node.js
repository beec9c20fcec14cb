/**
 * Loaded before a program (`node --import`), in JavaScript: a Node that cannot read TypeScript has to come this far. After
 * `npm ci --ignore-scripts` the machine's own Node runs the programs.
 */
import process from 'node:process';

const WANTED = 24;

if (Number.parseInt(process.versions.node, 10) < WANTED) {
  process.stderr.write(
    `Hindsight needs Node ${WANTED} or newer; this is Node ${process.versions.node}. ` +
      'Install a newer one, or run npm ci without --ignore-scripts: it brings its own.\n',
  );
  process.exit(1);
}
