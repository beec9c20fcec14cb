/** The environment of every suite: the process as it is, whose modules all its suites share. */
import type { JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import vm from 'node:vm';
import { compileHere, rememberRealm } from './realm.ts';
import { untilRoom } from './room.ts';
import { shareModules } from './shared-modules.ts';

if (!('SourceTextModule' in vm))
  throw new Error('Run tests by `npm test -- FILE`: jest alone lacks the flags that modules need.');
compileHere(vm);
await shareModules();

export default class Environment implements JestEnvironment<ReturnType<typeof setTimeout>> {
  readonly global = globalThis as JestEnvironment['global'];
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly #restore = rememberRealm();

  constructor({ projectConfig }: JestEnvironmentConfig) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  setup(): Promise<void> {
    return untilRoom();
  }

  teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    this.#restore();
    return Promise.resolve();
  }

  /** A context, as jest demands one; `compileHere` leaves it out. */
  getVmContext(): vm.Context {
    return {};
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }
}
