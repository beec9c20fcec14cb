/** `npm run admin -- …`: administration on whatever store the environment names. */
import '@hindsight/kernel/light-start.ts';
import { endWithReader } from '../reader.ts';

endWithReader();

const { runCommand } = await import('./program.ts');
process.exitCode = await runCommand(process.env, process.argv.slice(2));
