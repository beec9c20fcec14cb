/** Makes the files of a release from the commit that is checked out. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** One kind of file of a release. */
interface Artefact {
  readonly what: string;
  readonly make: (place: Place) => void;
}

interface Place {
  readonly root: string;
  readonly version: string;
  readonly folder: string;
}

const run = ({ root }: Place, command: string, args: readonly string[]): void => {
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
};

const ARTEFACTS: readonly Artefact[] = [
  {
    what: 'the source',
    make: (place) =>
      run(place, 'git', [
        ...['archive', `--prefix=hindsight-${place.version}/`],
        ...['-o', join(place.folder, `hindsight-${place.version}.tar.gz`), 'HEAD'],
      ]),
  },
  {
    what: 'the packages of the clients',
    make: (place) => run(place, process.execPath, ['clients/pack.ts', place.folder]),
  },
  {
    what: 'the Helm chart',
    // Helm expects one folder in the archive, with the chart's name.
    make: (place) =>
      run(place, 'git', [
        ...['archive', '--prefix=hindsight/'],
        ...['-o', join(place.folder, `hindsight-chart-${place.version}.tgz`), 'HEAD:deploy/helm'],
      ]),
  },
  {
    what: 'the bill of materials',
    make: (place) =>
      run(place, process.execPath, ['tools/sbom/main.ts', join(place.folder, 'sbom.cdx.json')]),
  },
];

const IMAGE: Artefact = {
  what: 'the image',
  make: (place) => {
    const name = `hindsight:${place.version}`;
    run(place, 'docker', ['build', '-q', '-f', 'deploy/Dockerfile', '-t', name, '.']);
    const file = join(place.folder, `hindsight-image-${place.version}.tar`);
    run(place, 'docker', ['save', '-o', file, name]);
    run(place, 'gzip', ['-n', file]);
  },
};

/** The artefacts of a release, in the order in which they are made. */
export function artefactsOf(withImage: boolean): readonly Artefact[] {
  return withImage ? [...ARTEFACTS, IMAGE] : ARTEFACTS;
}

export function makeArtefacts(
  artefacts: readonly Artefact[],
  place: Place,
  report: (line: string) => void,
): void {
  rmSync(place.folder, { recursive: true, force: true });
  mkdirSync(place.folder, { recursive: true });
  for (const { what, make } of artefacts) {
    report(`making ${what}`);
    make(place);
  }
}
