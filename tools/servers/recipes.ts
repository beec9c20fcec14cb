/**
 * What can be installed, and how each is got: files beside this one name every version, and the package managers of
 * Java and Go check what they fetch against their own checksums (go.sum is committed).
 */
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'recipes');

/** The servers that are downloaded or built; Redis is the system's own. */
export type RecipeName = 'kafka' | 'mongodb' | 'toxiproxy' | 'geth';

/** One step of an installation; `{out}` in an argument stands for the folder being filled. */
interface Step {
  readonly command: string;
  readonly args: readonly string[];
}

/** How one server is installed. */
export interface Recipe {
  readonly name: string;
  /** For people: what the steps do. */
  readonly doing: string;
  /** The folder with the recipe's files. */
  readonly folder: string;
  /** The file that names the version, and where in it. */
  readonly versionFile: string;
  readonly version: RegExp;
  /** Every file whose change asks for a new installation. */
  readonly files: readonly string[];
  readonly steps: readonly Step[];
}

const mavenJars: Step = {
  command: 'mvn',
  args: [
    ...['-q', '-B', '-f', 'pom.xml', 'dependency:copy-dependencies'],
    ...['-DincludeScope=runtime', '-DoutputDirectory={out}/libs'],
  ],
};

/** One binary, `{out}/<name>`, without cgo: no C compiler is needed. */
function goBuild(name: string, source: string): Step {
  return { command: 'go', args: ['build', '-trimpath', '-ldflags=-s -w', '-o', `{out}/${name}`, source] };
}

export const RECIPES: Readonly<Record<RecipeName, Recipe & { readonly name: RecipeName }>> = {
  kafka: {
    name: 'kafka',
    doing: "fetches the broker's jars with Maven (43 MB)",
    folder: join(FOLDER, 'kafka'),
    versionFile: 'pom.xml',
    version: /<artifactId>kafka_[\d.]+<\/artifactId>\s*<version>([^<]+)</,
    files: ['pom.xml'],
    steps: [mavenJars],
  },
  mongodb: {
    name: 'mongodb',
    doing: "fetches a server of MongoDB's protocol with Maven (8 MB)",
    folder: join(FOLDER, 'mongodb'),
    versionFile: 'pom.xml',
    version: /<artifactId>mongo-java-server<\/artifactId>\s*<version>([^<]+)</,
    files: ['pom.xml', 'MongoServerMain.java'],
    steps: [
      mavenJars,
      { command: 'javac', args: ['-cp', '{out}/libs/*', '-d', '{out}', 'MongoServerMain.java'] },
    ],
  },
  toxiproxy: {
    name: 'toxiproxy',
    doing: 'builds it with Go (about 30 s)',
    folder: join(FOLDER, 'toxiproxy'),
    versionFile: 'go.mod',
    version: /Shopify\/toxiproxy\/v2 v(\S+)/,
    files: ['go.mod', 'go.sum'],
    steps: [goBuild('toxiproxy', 'github.com/Shopify/toxiproxy/v2/cmd/server')],
  },
  geth: {
    name: 'geth',
    doing: 'builds it with Go (one to two minutes)',
    folder: join(FOLDER, 'geth'),
    versionFile: 'go.mod',
    version: /ethereum\/go-ethereum v(\S+)/,
    files: ['go.mod', 'go.sum'],
    steps: [goBuild('geth', 'github.com/ethereum/go-ethereum/cmd/geth')],
  },
};
