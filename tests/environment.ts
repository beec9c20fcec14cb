/** The environment of every suite: Node's, in a process that keeps the compiled form of modules. */
import vm from 'node:vm';
import { keepCompiled } from './compiled-modules.ts';

export { TestEnvironment as default } from 'jest-environment-node';

keepCompiled(vm);
