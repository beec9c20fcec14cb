/** A person with an account and a project, who does one thing after another at the portal. */
import type { Desk } from './desk.ts';
import { endedAt, endSecret, falsehoodIn, type Secret } from './secrets.ts';
import type { Machine } from '../machine/machine.ts';

/** One thing to do, and what is known from its answer. */
export interface Errand {
  readonly name: string;
  /** Secrets that it may change. */
  readonly changes: readonly Secret[];
  /** Done by the portal. Returns what happens once the person has the answer, which may find a falsehood. */
  readonly work: (desk: Desk) => Promise<() => string | undefined | void>;
}

/** Milliseconds for which old keys still work. */
const GRACES_MS = [0, 0, 5_000, 60_000, 600_000];
const ADDRESS = '198.51.100.7';
const DAY_MS = 86_400_000;
/** The latest keys that it keeps trying. */
const KEPT_KEYS = 6;
/** A user may create ten projects a month. */
const MOST_DELETED = 8;

export class Person {
  readonly id: string;
  project: string | undefined;
  /** The secret of its project's key; undefined once that is not known. */
  key: Secret | undefined;
  keys: Secret[] = [];
  sessions: Secret[] = [];
  /** The account is deleted, or may be. */
  isGone = false;
  readonly #machine: Machine;
  #deleted = 0;

  constructor(machine: Machine, { id, project, key }: Record<'id' | 'project' | 'key', string>) {
    this.#machine = machine;
    this.id = id;
    this.project = project;
    this.#keep(key);
  }

  draw(): Errand {
    const { random } = this.#machine;
    const { project, key } = this;
    if (this.isGone || this.sessions.length === 0) return this.isGone ? this.#look() : this.#signIn();
    if (project === undefined) return this.#create();
    if (key === undefined) return this.#show(project);
    const draws = [
      () => this.#signIn(),
      () => this.#look(),
      () => this.#look(),
      () => this.#look(),
      () => this.#rotate(project),
      () => this.#rotate(project),
      () => this.#signOutEverywhere(),
      () => (this.#deleted < MOST_DELETED ? this.#delete(project) : this.#look()),
      () => (random.chance(0.3) ? this.#leave() : this.#look()),
    ];
    return random.pick(draws)();
  }

  get #by() {
    return { userId: this.id, address: ADDRESS };
  }

  /** Those that have not ended for good. */
  get #livingKeys(): Secret[] {
    return this.keys.filter(({ end }) => end?.most !== 0);
  }

  #signIn(): Errand {
    const work = async ({ stores, accounts }: Desk) => {
      const account = await stores.accounts.find(this.id);
      if (account === null) return () => 'its account is not there';
      const cookie = await accounts.visitors.sessions.open(account, { ip: ADDRESS, headers: {} });
      return () => void this.sessions.push({ text: cookie.split(';')[0]!, isUncertain: false });
    };
    return { name: 'sign in', changes: [], work };
  }

  /** Opens a page, with one of its cookies. */
  #look(): Errand {
    const machine = this.#machine;
    const session = machine.random.pick(this.sessions);
    const work = async ({ accounts }: Desk) => {
      const clock = machine.wallClock();
      const found = await accounts.context.sessions.current({ cookie: session.text });
      return () => {
        const shown = { isRefused: found === null, clocks: { least: clock, most: clock } };
        const falsehood = falsehoodIn(session, { ...shown, isKnown: () => true });
        // One that was idle for long is so no more.
        if (found !== null && session.end !== undefined && clock - found.signedInAt < 20 * DAY_MS)
          session.end = undefined;
        return falsehood && `a session was ${falsehood}`;
      };
    };
    return { name: 'look', changes: [], work };
  }

  #signOutEverywhere(): Errand {
    const sessions = [...this.sessions];
    const work = async ({ accounts }: Desk) => {
      await accounts.changes.signOutEverywhere(this.id);
      return () => this.#end(sessions);
    };
    return { name: 'sign out', changes: sessions, work };
  }

  #rotate(project: string): Errand {
    const machine = this.#machine;
    const keys = this.#livingKeys;
    const graceMs = machine.random.pick(GRACES_MS);
    const work = async ({ projects }: Desk) => {
      const before = machine.wallClock();
      const { key } = await projects.rotate(project, { graceMs }, this.#by);
      const after = machine.wallClock();
      return () => {
        const toldAt = machine.now;
        const end = { least: before + graceMs, most: after + graceMs, toldAt };
        for (const old of keys) endSecret(old, graceMs === 0 ? endedAt(toldAt) : end);
        this.#keep(key);
      };
    };
    return { name: 'rotate', changes: keys, work };
  }

  /** Looks at its key, after something whose outcome is not known. */
  #show(project: string): Errand {
    const work = async ({ projects }: Desk) => {
      const text = await projects.showKey(project, this.#by);
      return () => {
        const known = this.keys.find((one) => one.text === text);
        if (text === null) this.project = undefined;
        else if (known === undefined) this.#keep(text);
        else this.key = Object.assign(known, { isUncertain: false, end: undefined });
      };
    };
    return { name: 'show', changes: [], work };
  }

  #delete(project: string): Errand {
    this.#deleted++;
    const keys = this.#livingKeys;
    const work = async ({ projects }: Desk) => {
      await projects.delete(project, this.#by);
      return () => {
        this.#end(keys);
        this.project = undefined;
      };
    };
    return { name: 'delete project', changes: keys, work };
  }

  /** Finds its project, or creates another. */
  #create(): Errand {
    const work = async ({ userProjects, projects }: Desk) => {
      const { id } = await userProjects.ensureFirst(this.#by);
      const key = await projects.showKey(id, this.#by);
      return () => {
        this.project = id;
        if (key !== null) this.#keep(key);
      };
    };
    return { name: 'create project', changes: [], work };
  }

  #leave(): Errand {
    const secrets = [...this.#livingKeys, ...this.sessions];
    const work = async ({ stores, accounts }: Desk) => {
      const account = await stores.accounts.find(this.id);
      if (account === null) return () => 'its account is not there';
      this.isGone = true;
      await accounts.changes.remove(account, ADDRESS);
      return () => this.#end(secrets);
    };
    return { name: 'leave', changes: secrets, work };
  }

  #end(secrets: readonly Secret[]): void {
    for (const secret of secrets) endSecret(secret, endedAt(this.#machine.now));
  }

  #keep(text: string): void {
    this.key = { text, isUncertain: false };
    this.keys = [...this.keys, this.key].slice(-KEPT_KEYS);
  }
}
