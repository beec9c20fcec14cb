/** `npm run admin -- …`: administration on whatever store the environment names. */
import { endWithReader } from '../reader.ts';
import { runCommand } from './program.ts';

endWithReader();

process.exitCode = await runCommand(process.env, process.argv.slice(2));
