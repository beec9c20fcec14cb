/** The environment of every suite: Node's, in a process that keeps the compiled form of modules. */
import { TestEnvironment } from 'jest-environment-node';
import vm from 'node:vm';
import { keepCompiled } from './compiled-modules.ts';
import { shareLoaded } from './loaded-once.ts';

if (!('SourceTextModule' in vm))
  throw new Error('Run tests by `npm test -- FILE`: jest alone lacks the flags that modules need.');
keepCompiled(vm);

export default class Environment extends TestEnvironment {
  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
    super(...given);
    shareLoaded(this.global);
  }
}
