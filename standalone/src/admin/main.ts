/** `npm run admin -- …`: administration on whatever store the environment names. */
import { runCommand } from './program.ts';

// A reader that has seen enough (`| head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await runCommand(process.env, process.argv.slice(2));
