import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs another version of this repository in a separate folder. @returns the folder */
export async function installTree(root: string, ref: string, say: (line: string) => void): Promise<string> {
  const { stdout } = await run('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: root });
  const commit = stdout.trim();
  const folder = await mkdtemp(join(tmpdir(), 'hindsight-from-'));
  try {
    say(`installing ${ref} (${commit.slice(0, 7)}) in ${folder}`);
    const archive = join(folder, 'tree.tar');
    await run('git', ['archive', '--output', archive, commit], { cwd: root });
    await run('tar', ['-xf', archive, '-C', folder]);
    await rm(archive);
    // Its processes run on this Node, so the package that installs one is left out.
    const quick = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['ci', ...quick], { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
