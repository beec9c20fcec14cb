/**
 * The import rules of docs/architecture.md. tests/boundaries.test.ts plants one forbidden import of each
 * kind and sees it refused.
 */

/** The floors of shared/, from the bottom up: a package imports packages of lower floors only. */
const FLOORS = [
  ['kernel', 'events', 'api'],
  ['http'],
  ['stores', 'chain'],
  ['bus', 'projects', 'indexing'],
  ['usage'],
];

const INFRASTRUCTURE = '^(node:sqlite|sqlite|kafkajs|mongodb|ioredis)$';
/** Tests, and what only tests import. */
const TESTS = ['\\.test\\.ts$', '^(shared/[^/]+|services/[^/]+|devchain|standalone|tools)/test/', '^tests/'];
/** The gateway's rooms hold what they meet: it has no folder of adapters. */
const GATEWAY_ADAPTERS = [
  '^services/gateway/src/limits/redis-peers\\.ts$',
  '^services/gateway/src/usage/spool/',
];
/** They generate files or packages; no process imports them. */
const SCRIPTS = '^(shared/[^/]+/scripts/|clients/build[.]ts$)';

const floorRules = FLOORS.flatMap((packages, floor) =>
  packages.map((name) => {
    const allowed = [name, ...FLOORS.slice(0, floor).flat()].join('|');
    return {
      name: `shared-${name}-imports-lower-floors`,
      severity: 'error',
      comment: `shared/${name} is on floor ${floor + 1} of ${FLOORS.length}.`,
      from: { path: `^shared/${name}/`, pathNot: TESTS },
      to: { path: '^shared/', pathNot: `^shared/(${allowed})/` },
    };
  }),
);

/** The rooms of the gateway, from the bottom up: a room imports rooms below it, and the settings. */
const GATEWAY_ROOMS = [['domain'], ['limits'], ['keys', 'usage', 'upstreams'], ['steps'], ['routes']];

const roomRules = GATEWAY_ROOMS.flatMap((rooms, floor) =>
  rooms.map((name) => {
    const allowed = [name, ...GATEWAY_ROOMS.slice(0, floor).flat()].join('|');
    return {
      name: `gateway-${name}-imports-lower-rooms`,
      severity: 'error',
      comment: 'The sheet of the gateway reads from the top to the bottom.',
      from: { path: `^services/gateway/src/${name}/`, pathNot: TESTS },
      to: { path: '^services/gateway/src/', pathNot: `^services/gateway/src/(config[.]ts|(${allowed})/)` },
    };
  }),
);

module.exports = {
  forbidden: [
    ...floorRules,
    ...roomRules,
    {
      name: 'usage-opens-from-the-top',
      severity: 'error',
      comment: 'Adapters are chosen by the files that open the package, not by its parts.',
      from: { path: '^shared/usage/src/(alerts|counters|counting)/', pathNot: TESTS },
      to: { path: '^shared/usage/src/(adapters/|open)' },
    },
    {
      name: 'shared-is-a-set-of-packages',
      severity: 'error',
      comment: 'Each package of shared/ has its floor above.',
      from: {},
      to: { path: '^shared/', pathNot: `^shared/(${FLOORS.flat().join('|')})/` },
    },
    {
      name: 'api-imports-nothing',
      severity: 'error',
      comment:
        'The table of operations is loaded by every process: no schema and no framework comes with it.',
      from: { path: '^shared/api/', pathNot: TESTS },
      to: { pathNot: '^shared/api/' },
    },
    {
      name: 'shared-imports-no-service',
      severity: 'error',
      comment: 'shared/ is below every service.',
      from: { path: '^shared/' },
      to: { path: '^(services|standalone|tests|tools/(bench|stack|openapi|docs))/' },
    },
    {
      name: 'service-imports-no-other-service',
      severity: 'error',
      comment:
        'Services talk over HTTP and the bus; they share two domains with a database: projects and usage.',
      from: { path: '^services/([^/]+)/' },
      to: {
        path: '^(services/[^/]+|standalone|tools/(bench|stack|openapi|docs))/',
        pathNot: '^services/$1/',
      },
    },
    {
      name: 'services-are-entered-by-service-ts',
      severity: 'error',
      comment: 'What runs several services knows only the service.ts of each.',
      from: { path: '^(standalone|tools|devchain)/', pathNot: TESTS },
      to: { path: '^services/[^/]+/', pathNot: '^services/[^/]+/src/service\\.ts$' },
    },
    {
      name: 'tests-enter-by-service-ts',
      severity: 'error',
      comment:
        'End-to-end tests and benchmarks use a service as its deployer does, and the other side of it as its own tests do.',
      from: { path: '^(tests|tools)/' },
      to: { path: '^services/[^/]+/', pathNot: '^services/[^/]+/(src/(service|main)\\.ts$|test/)' },
    },
    {
      name: 'clients-know-the-api-alone',
      severity: 'error',
      comment: 'What users install knows the HTTP API, and nothing of how it is made.',
      from: { path: '^clients/' },
      to: { path: '^(shared|services|standalone|devchain|tools|tests)/' },
    },
    {
      name: 'devchain-stands-alone',
      severity: 'error',
      comment:
        'The image of the dev chain holds its folder and its packages, and nothing else of this repository.',
      from: { path: '^devchain/src/', pathNot: TESTS },
      to: { path: '^(shared|services|standalone|tools|tests|clients)/' },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment:
        'domain imports domain, the rules of the API, durations, the error catalogue, the contract ABI, addresses, hashes, the type of a token, the topics of its events and of Permit2, the events of orders, and the position of an index: no I/O, no framework.',
      from: { path: '^services/[^/]+/src/domain/', pathNot: '\\.test\\.ts$' },
      to: {
        pathNot: [
          '^services/[^/]+/src/domain/',
          '^shared/kernel/src/(?:durations|errors|error-codes)\\.ts$',
          '^shared/api/',
          '^shared/events/src/orders-(?:received|settled)\\.ts$',
          '^shared/indexing/src/position\\.ts$',
          '^shared/chain/src/(?:abi/|(?:address|keccak|tokens/(?:permit2|token(?:-events)?))\\.ts$)',
          'node_modules/ethers/',
        ],
      },
    },
    {
      name: 'entry-points-know-no-adapter',
      severity: 'error',
      comment: 'Routes, views, consumers and jobs know domain and ports.',
      from: { path: '^services/[^/]+/src/(routes|views|consumers|jobs)/', pathNot: '\\.test\\.ts$' },
      to: { path: ['/adapters/', '^services/[^/]+/src/chain/'] },
    },
    {
      name: 'chain-readers-know-no-entry-point',
      severity: 'error',
      comment: 'What a service reads of the chain is below its routes, and knows no store.',
      from: { path: '^services/([^/]+)/src/chain/', pathNot: '\\.test\\.ts$' },
      to: { path: '^services/$1/src/(routes|views|rows|adapters)/' },
    },
    {
      name: 'infrastructure-in-adapters-only',
      severity: 'error',
      comment: 'Servers and stores are met in adapters, the bus and the store openers.',
      from: {
        path: '^(shared|services|standalone|devchain)/',
        pathNot: ['/adapters/', ...GATEWAY_ADAPTERS, '^shared/(bus|stores)/', ...TESTS],
      },
      to: { path: [INFRASTRUCTURE, 'node_modules/(kafkajs|mongodb|ioredis)/'] },
    },
    {
      name: 'production-imports-no-test',
      severity: 'error',
      from: { pathNot: [...TESTS, '^tools/(bench/|upgrade/|order[.]ts$)'] },
      to: { path: TESTS },
    },
    {
      name: 'production-imports-no-tool',
      severity: 'error',
      from: { path: '^(shared|services|standalone|devchain)/', pathNot: [...TESTS, SCRIPTS] },
      to: { path: '^tools/' },
    },
    {
      name: 'no-dev-dependency-in-production',
      severity: 'error',
      from: { path: '^(clients|shared|services|standalone|devchain)/', pathNot: [...TESTS, SCRIPTS] },
      // A store's driver is a peer of shared/stores: a package that opens that store depends on the driver itself.
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    },
    {
      name: 'ethers-by-parts',
      severity: 'error',
      comment: 'Its index loads wallets, providers and word lists too, into every process.',
      from: { path: '^(shared|services|standalone|devchain)/', pathNot: TESTS },
      to: { path: 'node_modules/ethers/lib[.][^/]+/(ethers|index)[.](d[.]ts|js)$' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Not of types either.',
      from: {},
      to: { circular: true },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/data/', '\\.stack/', '^clients/[^/]+/dist/', '^tools/servers/recipes/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    builtInModules: { add: ['node:sqlite'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
