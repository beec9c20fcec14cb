/**
 * Checksums of a release and their signature by an SSH key: OpenSSH signs and verifies, without an account and without
 * a network.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SUMS = 'SHA256SUMS';
const SIGNATURE = `${SUMS}.sig`;
/** Who signs; a line of a file of signers begins with it. */
const IDENTITY = 'release@hindsight';
/** The purpose of the signature: one of the same key for anything else is refused. */
const NAMESPACE = 'hindsight-release';

/** Writes the checksums of all files of a fresh folder, as `sha256sum --check` reads them, and their signature. */
export function signFolder(folder: string, key: string): void {
  const files = readdirSync(folder).sort();
  writeFileSync(join(folder, SUMS), execFileSync('sha256sum', files, { cwd: folder }));
  execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', key, '-n', NAMESPACE, join(folder, SUMS)], {
    stdio: ['inherit', 'ignore', 'inherit'],
  });
}

/**
 * The line by which others verify the key's signatures of files and tags.
 * @throws with the output of ssh-keygen as `stderr` where it cannot read the key.
 */
export function signerOf(key: string): string {
  const [type, value] = execFileSync('ssh-keygen', ['-y', '-f', key], {
    encoding: 'utf8',
    stdio: ['inherit', 'pipe', 'pipe'],
  }).split(' ');
  return `${IDENTITY} namespaces="${NAMESPACE},git" ${type} ${value!.trim()}\n`;
}

/**
 * Verifies the signature, then every checksum, and that the folder has no other file.
 * @throws with the output of the program that refused; without any where the folder has too few or too many files.
 */
export function verifyFolder(folder: string, signers: string): void {
  const sums = readFileSync(join(folder, SUMS), 'utf8');
  const options = ['-f', signers, '-I', IDENTITY, '-n', NAMESPACE, '-s', join(folder, SIGNATURE)];
  execFileSync('ssh-keygen', ['-Y', 'verify', ...options], {
    input: sums,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', SUMS], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const signed = sums.split('\n').map((line) => line.slice(line.indexOf('  ') + 2));
  const other = readdirSync(folder).find((file) => ![SUMS, SIGNATURE, ...signed].includes(file));
  if (other !== undefined) throw new Error(`${other} is not in ${SUMS}`);
}
