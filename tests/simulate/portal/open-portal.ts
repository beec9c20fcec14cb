/** A place of the portal: its accounts, its jobs, and those of projects. */
import { sendAlerts } from '@hindsight/portal/service.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { startProjectUpkeep } from '@hindsight/projects/upkeep.ts';
import { PROJECTS_SECRET } from '../customers.ts';
import type { Pace } from '../pace.ts';
import { Place, type PlaceDeps } from '../place.ts';
import type { Portal } from './desk.ts';
import type { MailServer } from './mail-server.ts';
import { openWork, ORIGIN } from './open-work.ts';

/** The folder that all instances share. */
export const PORTAL_FOLDER = 'portal';

/** Pauses between looks for changes of projects: most of a run's events would be looks that find nothing. */
const LOOK_EVERY_MS = { busy: 1_000, withQuietHours: 30_000 };

interface Deps extends PlaceDeps {
  readonly mail: MailServer;
  readonly pace: Pace;
}

export function openPortal(name: string, deps: Deps): Portal {
  const { mail, plant, machine } = deps;
  const lookEveryMs = LOOK_EVERY_MS[deps.pace.kind];
  const connect = (): ReturnType<MailServer['connect']> => {
    const mailer = mail.connect();
    return plant?.mailer?.(mailer, machine.random) ?? mailer;
  };
  const place = new Place(
    name,
    deps,
    async (platform, bus, dataDir) => {
      const { projects, audit, outbox } = await openProjects({ dataDir, secret: PROJECTS_SECRET }, platform);
      startProjectUpkeep({ ...platform, projects, audit, outbox, bus }, { lookEveryMs });
      const opened = await openWork({ ...platform, projects, mailer: connect() }, dataDir);
      const work = plant?.portal?.(opened) ?? opened;
      sendAlerts({ ...platform, bus, projects }, work, { ...platform, origin: () => ORIGIN });
      portal.desk = { ...work, projects };
      return undefined;
    },
    PORTAL_FOLDER,
  );
  const portal: Portal = { place, desk: undefined };
  return portal;
}
