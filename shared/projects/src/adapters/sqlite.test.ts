import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProject } from '../create-project.ts';
import { describeOwners } from '../../test/audit.contract.ts';
import { Installation } from '../../test/installation.contract.ts';
import { describeKeys } from '../../test/keys.contract.ts';
import { describeOutbox } from '../../test/outbox.contract.ts';
import { describeProjects } from '../../test/projects.contract.ts';
import { describeReseal } from '../../test/reseal.contract.ts';

const root = mkdtempSync(join(tmpdir(), 'hindsight-projects-'));
const places = { fresh: async () => ({ dataDir: mkdtempSync(join(root, 'place-')) }) };
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeProjects('SQLite', places);
describeKeys('SQLite', places);
describeOutbox('SQLite', places);
describeOwners('SQLite', places);
describeReseal('SQLite', places);

describe('what SQLite keeps on disk', () => {
  it('has no key in the clear', async () => {
    const place = new Installation(await places.fresh());
    const { projects } = await place.open();
    const { key } = await createProject({ projects, ...place.platform }, { name: 'Ada', plan: 'free' });
    const { dataDir } = place.settings;
    const bytes = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), 'latin1'));
    await place.close();
    expect(bytes.join('')).toContain('Ada');
    expect(bytes.join('')).not.toContain(key);
  });
});
