/**
 * `npm run commits [-- RANGE]` checks commits, by default those since the rules were made; `npm run commits -- --message
 * FILE` checks one message, as the hook in `.githooks` does.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Commit, faultsOf } from './rules.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Older commits were made before there was a check. */
const SINCE = '24873cb8';
/** Made from other files; their size says nothing. */
const GENERATED = [
  'docs/openapi.json',
  'docs/asyncapi.yaml',
  'docs/operations/licences.md',
  'clients/typescript/src/openapi.ts',
  'devchain/artifacts',
  'tests/durations.json',
  '**/go.sum',
  '**/package-lock.json',
];

/** Marks around each commit's message in git's output: no message has them. */
const [START, END] = ['\x01', '\x02'];
const OUTPUT_LIMIT = 256 * 1024 * 1024;

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });

function foldersOf(parent: string): string[] {
  const entries = readdirSync(join(ROOT, parent), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Reads all commits in one run of git: two runs for each take ten seconds. */
function readCommits(hashes: readonly string[]): Commit[] {
  // Given none, git shows the last commit.
  if (hashes.length === 0) return [];
  const excluded = GENERATED.map((path) => `:(exclude,glob)${path}`);
  const format = `${START}%P%n%s%n%b${END}`;
  const args = ['show', '--stdin', '--numstat', `--format=${format}`, '--', '.', ...excluded];
  const input = hashes.join('\n');
  const shown = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', input, maxBuffer: OUTPUT_LIMIT });
  return shown.split(START).slice(1).map(readCommit);
}

function readCommit(shown: string): Commit {
  const [head = '', counts = ''] = shown.split(END);
  const [parents = '', subject = '', ...body] = head.split('\n');
  const changedLines = counts
    .trim()
    .split('\n')
    .flatMap((line) => line.split('\t').slice(0, 2))
    .reduce((sum, count) => sum + (Number(count) || 0), 0);
  return { subject, body: body.join('\n').trim(), isMerge: parents.includes(' '), changedLines };
}

function readMessage(file: string): Commit {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  const [subject = '', ...body] = lines.join('\n').trim().split('\n');
  return { subject, body: body.join('\n').trim(), isMerge: subject.startsWith('Merge '), changedLines: 0 };
}

/** The commits of a range; of a copy without the first one, as a shallow clone is, the last alone. */
function commitsOf(range: string): string[] {
  try {
    return git('rev-list', '--reverse', range).trim().split('\n').filter(Boolean);
  } catch {
    return [git('rev-parse', 'HEAD').trim()];
  }
}

const [option, file] = process.argv.slice(2);
const folders = ['services', 'shared', 'clients'].flatMap(foldersOf);
const hashes = option === '--message' ? [] : commitsOf(option ?? `${SINCE}..HEAD`);
const commits: (readonly [name: string, commit: Commit])[] =
  option === '--message' && file !== undefined
    ? [['this message', readMessage(file)]]
    : readCommits(hashes).map((commit, at) => [hashes[at]!.slice(0, 8), commit]);

let faults = 0;
for (const [name, commit] of commits) {
  for (const fault of faultsOf(commit, folders)) {
    faults++;
    console.error(`${name} (${commit.subject}): ${fault}`);
  }
}
process.exitCode = faults === 0 ? 0 : 1;
