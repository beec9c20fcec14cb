/** The units for one machine start what `npm start` does, with settings that exist. */
import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');
const unit = read('deploy/systemd/hindsight.service');

describe('deploy/systemd', () => {
  it('starts what npm start does', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
    const words = scripts.start.split(' exec node ')[1];
    expect(unit).toContain(`\nExecStart=/opt/hindsight/node_modules/.bin/node ${words}\n`);
  });

  it('is administered without a secret on a command line, which sudo would log', () => {
    const page = read('docs/operations/vm.md').replaceAll('\\\n', ' ');
    const lines = page.split('\n').filter((line) => /\bsudo\b/.test(line) && line.includes(' -- '));
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).not.toContain('SECRETS_KEY');
  });

  it('is upgraded with the units of the new version', () => {
    const [, upgrade = ''] = read('docs/operations/vm.md').split('\n## Upgrade\n');
    const pattern = /^sudo cp (deploy\/systemd\/\S+) \/etc\/systemd\/system\/$/m.exec(upgrade)?.[1] ?? '';
    const units = globSync('deploy/systemd/*.{service,timer}', { cwd: ROOT });
    expect(globSync(pattern, { cwd: ROOT }).sort()).toEqual(units.sort());
    expect(upgrade.indexOf('daemon-reload')).toBeGreaterThan(upgrade.indexOf(pattern));
  });

  it('names settings that exist', () => {
    const settings = read('docs/operations/settings.md');
    const lines = globSync('deploy/systemd/*.service', { cwd: ROOT }).map(read).join('\n');
    const names = [...lines.matchAll(/^Environment=(.+)$/gm)].flatMap(([, words = '']) =>
      words.split(' ').map((word) => word.split('=')[0]),
    );
    const known = names.filter((name) => settings.includes(`\`${name}\``));
    // Node's own, and the backup's.
    expect(names.filter((name) => !known.includes(name)).sort()).toEqual([
      'NODE_COMPILE_CACHE',
      'NODE_OPTIONS',
      'STORE',
    ]);
    expect(known).toEqual(expect.arrayContaining(['DATA_DIR', 'HOST', 'NODE_ENV']));
  });

  it('closes idle connections before Hindsight does, as docs/guides/https.md asks', () => {
    for (const file of ['deploy/systemd/Caddyfile', 'docs/guides/https.md']) {
      const text = read(file);
      const seconds = [...text.matchAll(/\bkeepalive (\d+)s$/gm)].map(([, each]) => Number(each));
      expect(seconds).toHaveLength(text.match(/\breverse_proxy /gm)!.length);
      for (const each of seconds) expect(each).toBeLessThan(75);
    }
  });

  it('passes on a snapshot’s answer while its body comes, and no request whose client has left', () => {
    for (const file of ['deploy/systemd/Caddyfile', 'docs/guides/https.md']) {
      expect(read(file)).toMatch(/\{\s+servers \{[^}]*\benable_full_duplex\s+\}\s+\}\s+api\./);
      // Caddy goes on asking with -1 after its client has left. It passes on answers of no known length at once without it.
      expect(read(file)).not.toContain('flush_interval');
    }
  });

  it('lets it drain before it is killed', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit)!;
    // DRAIN_MS and 13 s, as docs/operations/install.md says.
    expect(Number(seconds)).toBeGreaterThanOrEqual(15);
  });
});
