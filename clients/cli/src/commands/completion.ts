import type { Command } from 'commander';
import { printData, type Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';

/** `hindsight completion bash`: prints a script for the shell to load. */
export function completionCommand(program: Command, context: Context): void {
  program
    .command('completion')
    .description('completions for a shell: eval "$(hindsight completion bash)"')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => {
      const commands = program.commands.map((command) => ({
        name: command.name(),
        options: command.options.flatMap(({ long }) => (long ? [long] : [])),
      }));
      printData(context, scriptOf(shell, commands));
    });
}

interface Completed {
  readonly name: string;
  readonly options: readonly string[];
}

function scriptOf(shell: string, commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  switch (shell) {
    case 'bash':
    case 'zsh':
      return [
        ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
        '_hindsight() {',
        '  local word="${COMP_WORDS[COMP_CWORD]}"',
        '  case "${COMP_WORDS[1]}" in',
        ...commands.map(
          ({ name, options }) =>
            `    ${name}) [ "$COMP_CWORD" -gt 1 ] && COMPREPLY=($(compgen -W "${options.join(' ')}" -- "$word")) && return ;;`,
        ),
        '  esac',
        `  [ "$COMP_CWORD" -eq 1 ] && COMPREPLY=($(compgen -W "${names}" -- "$word"))`,
        '}',
        'complete -o default -F _hindsight hindsight',
      ].join('\n');
    case 'fish':
      return commands
        .flatMap(({ name, options }) => [
          `complete -c hindsight -n __fish_use_subcommand -a ${name}`,
          ...options.map(
            (option) =>
              `complete -c hindsight -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
          ),
        ])
        .join('\n');
    default:
      throw new UsageError(`completion ${shell}: expected bash, zsh or fish`);
  }
}
