import type { Command } from 'commander';
import { access, openClient, type Context } from '../context.ts';

/** `hindsight mcp`: the tools for AI agents, on standard input and output. */
export function mcpCommand(program: Command, context: Context): void {
  program
    .command('mcp')
    .description('serve the tools for AI agents (MCP) on standard input and output')
    .action(async () => {
      const client = openClient(context);
      // It takes a while to load, and no other command needs it.
      const { serveStdio } = await import('@hindsight/mcp');
      const { signal, stdin, stdout } = context;
      await serveStdio({ client, url: access(context).url.replace(/\/$/, ''), signal }, { stdin, stdout });
    });
}
