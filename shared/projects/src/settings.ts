import { optionalSecretList, optionalText, requiredText, type Config } from '@hindsight/kernel/config.ts';
import type { openProjects } from './open.ts';

const ABOUT_SECRET =
  'at least 16 characters; encrypts stored keys and signs ETags, the same for all services';
const SECRET = { secret: true, minLength: 16 };

const SECRETS_KEY_PREVIOUS = optionalSecretList(
  'former values of SECRETS_KEY, at least 16 characters each, separated by commas, newest first',
  SECRET.minLength,
);

/** The settings of every process that opens projects. */
export const PROJECT_SETTINGS = { SECRETS_KEY: requiredText(ABOUT_SECRET, SECRET), SECRETS_KEY_PREVIOUS };

/** The same for processes that do not always need stored keys. */
export const OPTIONAL_PROJECT_SETTINGS = {
  SECRETS_KEY: optionalText(ABOUT_SECRET, SECRET),
  SECRETS_KEY_PREVIOUS,
};

/** Options of `openProjects` from a service's settings. */
export function projectSettings(
  config: Config<typeof PROJECT_SETTINGS> & {
    readonly DATA_DIR: string;
    readonly MONGODB_URL: string | undefined;
  },
): Parameters<typeof openProjects>[0] {
  return {
    dataDir: config.DATA_DIR,
    mongodbUrl: config.MONGODB_URL,
    secret: config.SECRETS_KEY,
    previousSecrets: config.SECRETS_KEY_PREVIOUS,
  };
}
