/** The environment of every suite: Node's, in a process that keeps the compiled form of modules. */
import vm from 'node:vm';
import { keepCompiled } from './compiled-modules.ts';

export { TestEnvironment as default } from 'jest-environment-node';

if (!('SourceTextModule' in vm))
  throw new Error('Run tests by `npm test -- FILE`: jest alone lacks the flags that modules need.');
keepCompiled(vm);
