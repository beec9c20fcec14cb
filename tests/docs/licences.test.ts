/** The licences of installed packages, and the bill of materials. */
import { describe, expect, it } from '@jest/globals';
import { fillLicences } from '@hindsight/tools/docs/licences.ts';
import { billOf } from '@hindsight/tools/sbom/cyclonedx.ts';
import { readLock } from '@hindsight/tools/sbom/installed.ts';
import { read } from './pages.ts';

const PAGE = read('docs/operations/licences.md');

describe('docs/operations/licences.md', () => {
  it('is as `npm run build:licences` makes it', () => {
    expect(PAGE).toBe(fillLicences(PAGE));
  });

  it.each([{ license: 'SSPL-1.0' }, {}])('refuses a package with %j', (licence) => {
    const packages = { 'node_modules/other': { version: '1.0.0', ...licence } };
    expect(() => fillLicences(PAGE, { packages })).toThrow(/^not accepted: other 1\.0\.0 \(/);
  });

  it('leaves out what is for development only', () => {
    const packages = { 'node_modules/other': { version: '1.0.0', dev: true } };
    expect(fillLicences(PAGE, { packages })).not.toContain('other 1.0.0');
  });
});

describe('npm run sbom', () => {
  const { bomFormat, specVersion, serialNumber, metadata, components, dependencies } = billOf(readLock());

  it('names all packages that are installed, and no others, as CycloneDX', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect({ bomFormat, specVersion }).toEqual({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(metadata.component).toMatchObject({ type: 'application', name: 'hindsight', version });
    const foreign = components.filter(({ name }) => !name.startsWith('@hindsight/'));
    for (const { purl, name, licenses, hashes } of foreign) {
      expect(purl).toMatch(/^pkg:npm\/(?:%40[^/@]+\/)?[^/@]+@\d/);
      expect([name, licenses.length, hashes?.[0]?.content]).toEqual([
        name,
        1,
        expect.stringMatching(/^[0-9a-f]{128}$/),
      ]);
    }
    const listed = [...PAGE.matchAll(/^\| [^|]+ \| \d+ \| (.+) \|$/gm)].flatMap(([, names = '']) =>
      names.split(', '),
    );
    expect(foreign.map(({ name, version: own }) => `${name} ${own}`).sort()).toEqual(listed.sort());
    expect(listed).toContain(
      `fastify ${/"fastify": "(.+)"/.exec(read('services/portal/package.json'))?.[1]}`,
    );
    expect(listed.filter((name) => /^(?:jest|typescript|solc) /.test(name))).toEqual([]);
  });

  it('says of each what it depends on, down from the application', () => {
    const graph = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const all = [metadata.component, ...components].map((component) => component['bom-ref']);
    expect([...graph.keys()].sort()).toEqual(all.sort());
    expect([...graph.values()].flat().filter((ref) => !graph.has(ref))).toEqual([]);
    const gateway = components.find(({ name }) => name === '@hindsight/gateway')!;
    const sdk = components.find(({ name }) => name === '@modelcontextprotocol/sdk')!;
    const mcp = components.find(({ name }) => name === '@hindsight/mcp')!;
    expect(graph.get(metadata.component.purl)).toContain(gateway.purl);
    expect(graph.get(gateway.purl)).toContain(mcp.purl);
    expect(graph.get(mcp.purl)).toContain(sdk.purl);
    // Another version than the other packages', in the same tree.
    const [own] = graph.get(sdk.purl)!.filter((ref) => ref.startsWith('pkg:npm/content-type@'));
    expect(own).toMatch(/content-type@1\./);
  });
});
