/**
 * `npm run build -w clients/<name>`: compiles a client, and turns its dist/ into the published package, with those of our
 * own packages in it that it needs: a package manager would look for their names at a registry, where they are not ours.
 * Within the repository a client needs no build: its package.json names the sources.
 */
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import typescript from 'typescript';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
}

const CLIENTS = import.meta.dirname;
/** Serves the guides, too. */
const MCP = join(CLIENTS, 'mcp');
/** The folders of the clients that others depend on, by their published names. */
const FOLDERS: Readonly<Record<string, string>> = {
  '@hindsight/client': 'typescript',
  '@hindsight/mcp': 'mcp',
};

/** The folders that are built: the command and the MCP server both need the client. */
const built = new Set<string>();
/** Parsed files of other packages, by path, module format and target. */
const libraries = new Map<string, typescript.SourceFile | undefined>();

build(resolve('.'));

function build(folder: string): void {
  if (built.has(folder)) return;
  built.add(folder);
  const manifest = readManifest(folder);
  const dist = join(folder, 'dist');
  const own = ownPackages(manifest);
  // Its types are checked against those published by the packages before it.
  for (const [, needed] of own) build(needed);
  rmSync(dist, { recursive: true, force: true });
  compile(join(folder, 'tsconfig.build.json'));
  for (const [name, needed] of own) {
    const filter = (path: string): boolean => !path.includes('/dist/node_modules');
    cpSync(join(needed, 'dist'), join(dist, 'node_modules', name), { recursive: true, filter });
  }
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published(manifest, own), null, 2)}\n`);
  for (const file of ['README.md', 'LICENSE']) copyFileSync(join(folder, file), join(dist, file));
  if (folder === MCP) cpSync(join(CLIENTS, '../docs/guides'), join(dist, 'guides'), { recursive: true });
}

/** Compiles a project as `tsc -p` does, in this process: all packages share the parsed files of their libraries. */
function compile(project: string): void {
  const { sys } = typescript;
  const fail = (diagnostics: readonly typescript.Diagnostic[]): never => {
    process.stderr.write(typescript.formatDiagnostics(diagnostics, files));
    process.exit(1);
  };
  const read = { ...sys, onUnRecoverableConfigFileDiagnostic: (one: typescript.Diagnostic) => fail([one]) };
  const { fileNames, options, errors } = typescript.getParsedCommandLineOfConfigFile(project, {}, read)!;
  const files = typescript.createCompilerHost(options);
  const parse = files.getSourceFile.bind(files);
  files.getSourceFile = (path, format, ...rest) => {
    if (!path.includes('/node_modules/')) return parse(path, format, ...rest);
    const key = JSON.stringify([path, format, options.target]);
    if (!libraries.has(key)) libraries.set(key, parse(path, format, ...rest));
    return libraries.get(key);
  };
  const program = typescript.createProgram({ rootNames: fileNames, options, host: files });
  const wrong = [...errors, ...typescript.getPreEmitDiagnostics(program)];
  if (wrong.length > 0) fail(wrong);
  program.emit();
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Names and folders of the packages of ours that one depends on. */
function ownPackages({ dependencies = {} }: Manifest): [string, string][] {
  return Object.keys(dependencies).flatMap((name) => {
    const folder = FOLDERS[name];
    return folder === undefined ? [] : [[name, join(CLIENTS, folder)]];
  });
}

/** The manifest with the compiled files in place of the sources, and with what the packages in it depend on. */
function published(manifest: Manifest, own: readonly [string, string][]): object {
  const { scripts: _, devDependencies: __, ...kept } = manifest as Manifest & Record<string, unknown>;
  const compiled = (source: string, ending: string): string =>
    source.replace('./src/', './').replace(/\.ts$/, ending);
  const exports = Object.entries(manifest.exports ?? {}).map(([path, source]) => [
    path,
    source.endsWith('.ts') ? { types: compiled(source, '.d.ts'), default: compiled(source, '.js') } : source,
  ]);
  const bin = Object.entries(manifest.bin ?? {}).map(([name, source]) => [name, compiled(source, '.js')]);
  const inside = own.map(([, folder]) => readManifest(folder).dependencies ?? {});
  const bundled = {
    dependencies: Object.assign({}, ...inside, manifest.dependencies) as object,
    bundleDependencies: own.map(([name]) => name),
  };
  return {
    ...kept,
    ...(own.length > 0 ? bundled : {}),
    ...(exports.length > 0 ? { exports: Object.fromEntries(exports) as object } : {}),
    ...(bin.length > 0 ? { bin: Object.fromEntries(bin) as object } : {}),
  };
}
