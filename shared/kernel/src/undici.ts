/**
 * The parts of undici that are in use. Its own index also loads `fetch`, WebSockets, caches and mocks: 80 modules, a
 * twentieth of a start, 12 MiB.
 */
import api from 'undici/lib/api/index.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Client from 'undici/lib/dispatcher/client.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';

// As its index does: a dispatcher has no `request` of its own.
Object.assign(Dispatcher.prototype, api);

export { Agent, buildConnector, Client, Pool };
