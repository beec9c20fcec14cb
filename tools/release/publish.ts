/** Publishes a release. Each command needs a place; without one it is only shown. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The places of a release, each named by an option. */
export interface Places {
  /** A registry of npm packages. */
  readonly 'npm-registry'?: string | undefined;
  /** A repository of images, such as `registry.example/hindsight`. */
  readonly 'image-repository'?: string | undefined;
  /** A remote of git, by its name or address. */
  readonly 'git-remote'?: string | undefined;
}

interface Step {
  readonly needs: keyof Places;
  readonly command: readonly string[];
}

/**
 * Runs the commands whose place is set, and shows the others.
 * @param folder the release, verified
 */
export function publish(
  { root, folder, version }: { readonly root: string; readonly folder: string; readonly version: string },
  places: Places,
  report: (line: string) => void,
): void {
  for (const { needs, command } of stepsOf(folder, version, places)) {
    const line = command.join(' ');
    if (places[needs] === undefined) {
      report(`would run (set --${needs}): ${line}`);
      continue;
    }
    report(`running: ${line}`);
    execFileSync(command[0]!, command.slice(1), { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  }
}

function stepsOf(folder: string, version: string, places: Places): Step[] {
  const image = `${places['image-repository'] ?? 'REPOSITORY'}:${version}`;
  const imageFile = join(folder, `hindsight-image-${version}.tar.gz`);
  return [
    // The command depends on the other two.
    ...['client', 'mcp', 'cli'].map((name): Step => ({
      needs: 'npm-registry',
      command: [
        ...['npm', 'publish', join(folder, `hindsight-${name}-${version}.tgz`)],
        ...['--registry', places['npm-registry'] ?? 'REGISTRY', '--access', 'public'],
      ],
    })),
    ...(existsSync(imageFile)
      ? [
          ['docker', 'load', '-q', '-i', imageFile],
          ['docker', 'tag', `hindsight:${version}`, image],
          ['docker', 'push', '-q', image],
        ].map((command): Step => ({ needs: 'image-repository', command }))
      : []),
    // Last, so that everything else is there once the tag is.
    {
      needs: 'git-remote',
      command: [
        'git',
        'push',
        places['git-remote'] ?? 'REMOTE',
        'HEAD:refs/heads/main',
        `refs/tags/v${version}`,
      ],
    },
  ];
}
