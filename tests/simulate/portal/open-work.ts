/** The work of a portal, without its pages. */
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { load } from '@hindsight/kernel/config.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import {
  PORTAL_SETTINGS,
  startPortalWork,
  type ConfirmedMailer,
  type PortalWork,
} from '@hindsight/portal/service.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';

export const ORIGIN = 'https://portal.example.org';
const SETTINGS = load(PORTAL_SETTINGS, { PORTAL_URL: ORIGIN });

interface Deps extends Platform {
  readonly projects: ProjectRepository;
  readonly mailer?: ConfirmedMailer;
}

/** @param dataDir the folder of the embedded store of accounts */
export function openWork(deps: Deps, dataDir: string): Promise<PortalWork> {
  return startPortalWork({
    ...deps,
    settings: SETTINGS,
    secret: 'a secret for simulations',
    host: '127.0.0.1',
    store: { dataDir },
    network: ETH_MAINNET,
  });
}
