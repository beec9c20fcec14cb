/**
 * The import rules of docs/architecture.md. tests/boundaries.test.ts plants one forbidden import of each
 * kind and sees it refused.
 */
const INFRASTRUCTURE = '^(node:sqlite|sqlite|kafkajs|mongodb|ioredis)$';

module.exports = {
  forbidden: [
    {
      name: 'shared-imports-no-service',
      severity: 'error',
      comment: 'shared is what every service stands on.',
      from: { path: '^shared/' },
      to: { path: '^(services|standalone|tests|bench)/' },
    },
    {
      name: 'service-imports-no-other-service',
      severity: 'error',
      comment: 'Services talk over HTTP and the bus only.',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^(services/[^/]+|standalone|tests|bench)/', pathNot: '^services/$1/' },
    },
    {
      name: 'services-are-entered-by-service-ts',
      severity: 'error',
      comment: 'Whoever runs several services knows only the service.ts of each.',
      from: { path: '^(standalone|deploy|devchain)/' },
      to: { path: '^services/[^/]+/', pathNot: '^services/[^/]+/src/service\\.ts$' },
    },
    {
      name: 'tests-enter-by-service-ts',
      severity: 'error',
      comment:
        'End-to-end tests and benchmarks use a service as its deployer does, and the other side of it as its own tests do.',
      from: { path: '^(tests|bench)/' },
      to: { path: '^services/[^/]+/', pathNot: '^services/[^/]+/src/((service|main)\\.ts$|testing/)' },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment: 'domain imports domain and the error catalogue: no I/O, no framework.',
      from: { path: '^services/[^/]+/src/domain/', pathNot: '\\.test\\.ts$' },
      to: {
        pathNot: [
          '^services/[^/]+/src/domain/',
          '^shared/src/errors\\.ts$',
          'node_modules/(ethers|hash-wasm)/',
        ],
      },
    },
    {
      name: 'entry-points-know-no-adapter',
      severity: 'error',
      comment: 'Routes, consumers and jobs know domain and ports.',
      from: { path: '^services/[^/]+/src/(routes|consumers|jobs)/', pathNot: '\\.test\\.ts$' },
      to: { path: '/adapters/' },
    },
    {
      name: 'infrastructure-in-adapters-only',
      severity: 'error',
      comment: 'Servers and stores are met in adapters, the bus and the store openers.',
      from: {
        path: '^(shared|services|standalone|devchain)/',
        pathNot: ['/adapters/', '^shared/src/bus/', '^shared/src/stores/', '\\.(test|contract)\\.ts$'],
      },
      to: { path: [INFRASTRUCTURE, 'node_modules/(kafkajs|mongodb|ioredis)/'] },
    },
    {
      name: 'production-imports-no-test',
      severity: 'error',
      from: { pathNot: ['\\.(test|contract)\\.ts$', '/testing/', '^(tests|bench)/'] },
      to: { path: ['\\.(test|contract)\\.ts$', '/testing/', '^(tests|bench)/'] },
    },
    {
      name: 'no-dev-dependency-in-production',
      severity: 'error',
      from: {
        path: '^(shared|services|standalone|devchain)/',
        pathNot: ['\\.(test|contract)\\.ts$', '/testing/', '^(devchain|shared)/scripts/'],
      },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/data/', '\\.stack/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    builtInModules: { add: ['node:sqlite'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
