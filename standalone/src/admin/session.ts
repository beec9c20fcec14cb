/** Opens the store that the settings name for one command. */
import { openBus } from '@hindsight/bus/open.ts';
import { busSettings } from '@hindsight/bus/settings.ts';
import { ConfigError } from '@hindsight/kernel/config.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { AuditLog } from '@hindsight/projects/audit.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { relayPending } from '@hindsight/projects/outbox-relay.ts';
import { ProjectNotFound, type ProjectRepository } from '@hindsight/projects/ports.ts';
import type { Project } from '@hindsight/projects/project.ts';
import { projectSettings } from '@hindsight/projects/settings.ts';
import { embeddedSecret } from '../secrets-file.ts';
import type { Outbox } from '@hindsight/projects/store.ts';
import { refuseMissingFolder, type AdminConfig } from './config.ts';
import { onPlatform } from './on-platform.ts';

export interface Session {
  readonly projects: ProjectRepository;
  readonly audit: AuditLog;
  readonly outbox: Outbox;
  readonly platform: Platform;
}

/**
 * Longest wait for the bus. The change is stored by then; a service publishes it if this process does not.
 */
const PUBLISH_MS = 4_000;

type Command<T> = (session: Session) => Promise<T>;

/** Opens the store, runs a command that only reads, and closes it. @throws {ConfigError} where there is no folder */
export async function reading<T>(config: AdminConfig, command: Command<T>): Promise<T> {
  refuseMissingFolder(config);
  return inSession(config, command);
}

function inSession<T>(config: AdminConfig, command: Command<T>): Promise<T> {
  return onPlatform(async (platform) => {
    if (config.MONGODB_URL !== undefined && config.SECRETS_KEY === undefined)
      throw new ConfigError(['SECRETS_KEY is not set: with MONGODB_URL it must be that of the services']);
    const SECRETS_KEY = config.SECRETS_KEY ?? embeddedSecret(config.DATA_DIR);
    const opened = await openProjects(projectSettings({ ...config, SECRETS_KEY }), platform);
    return command({ ...opened, platform });
  });
}

/** The same for a command that changes something: publishes its events before the store closes. */
export async function changing<T>(config: AdminConfig, command: Command<T>): Promise<T> {
  refuseMissingFolder(config);
  return making(config, command);
}

/** The same for what may be the first of an installation: its folder is made. */
export function making<T>(config: AdminConfig, command: Command<T>): Promise<T> {
  return inSession(config, async (session) => {
    const result = await command(session);
    await publishChange(config, session);
    return result;
  });
}

/** @throws {ProjectNotFound} */
export async function findProject({ projects }: Pick<Session, 'projects'>, id: string): Promise<Project> {
  const project = await projects.findById(id);
  if (project === null) throw new ProjectNotFound(id);
  return project;
}

async function publishChange(config: AdminConfig, { outbox, platform }: Session): Promise<void> {
  // Services on MongoDB do not read the embedded log: an event published there would be lost.
  if (config.MONGODB_URL !== undefined && config.KAFKA_BROKERS === undefined) {
    return say('KAFKA_BROKERS is not set');
  }
  try {
    const settings = { ...busSettings(config), publishTimeoutMs: PUBLISH_MS };
    const { bus } = await openBus(settings, platform);
    const relayId = `admin-${platform.ids.next()}`;
    await relayPending({ outbox, bus, ...platform, relayId });
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

function say(why: string): void {
  process.stderr.write(`The change is stored; gateways apply it once a service has published it (${why}).\n`);
}
