/** A software bill of materials in CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/). The same lock file gives the same. */
import { createHash } from 'node:crypto';
import { installedBy, type Installed, type Lock } from './installed.ts';

interface Component {
  readonly type: 'application' | 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly object[];
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[];
}

interface Bill {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.5';
  readonly serialNumber: string;
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Licence of each workspace; only published ones name it. */
const OWN_LICENCE = 'Apache-2.0';

/** The bill of a lock file's packages, without those for development. */
export function billOf(lock: Lock): Bill {
  const installed = installedBy(lock);
  const components = new Map<string, Component>();
  const dependencies = new Map<string, Set<string>>();
  // A version that is in several folders is one component.
  for (const one of installed.values()) {
    const ref = purlOf(one);
    components.set(ref, componentOf(one));
    const needs = dependencies.get(ref) ?? new Set();
    for (const folder of one.needs) needs.add(purlOf(installed.get(folder)!));
    dependencies.set(ref, needs);
  }
  const root = installed.get('')!;
  // The application is its workspaces.
  for (const one of installed.values())
    if (one.isOwn && one !== root) dependencies.get(purlOf(root))?.add(purlOf(one));
  const { [purlOf(root)]: application, ...others } = Object.fromEntries(components);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: serialOf([...components.keys()].sort().join('\n')),
    version: 1,
    metadata: { component: { ...application!, type: 'application' } },
    components: Object.values(others).sort(byRef),
    dependencies: [...dependencies]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([ref, needs]) => ({ ref, dependsOn: [...needs].sort() })),
  };
}

function componentOf(one: Installed): Component {
  const { name, version, integrity, licence = one.isOwn ? OWN_LICENCE : undefined } = one;
  const purl = purlOf(one);
  const licenses =
    licence === undefined
      ? []
      : [licence.includes(' ') ? { expression: licence } : { license: { id: licence } }];
  const checksum = /^sha512-(.+)$/.exec(integrity ?? '')?.[1];
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses,
    ...(checksum === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(checksum, 'base64').toString('hex') }] }),
  };
}

function purlOf({ name, version }: Installed): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** A UUID of version 8, made from a text. */
function serialOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function byRef(one: Component, other: Component): number {
  return one.purl < other.purl ? -1 : 1;
}
