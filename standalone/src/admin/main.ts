/** `npm run admin -- …`: administration on whatever store the environment names. */
import { runCommand } from './program.ts';

process.exitCode = await runCommand(process.env, process.argv.slice(2));
