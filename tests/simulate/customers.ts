/** Customers with a project each, and the store of projects. */
import type { GatewayDeps } from '@hindsight/gateway/service.ts';
import { keyAccount } from '@hindsight/usage/key-account.ts';
import { generateKey } from '@hindsight/projects/key.ts';
import { defaultKey } from '@hindsight/projects/project-key.ts';
import type { Project } from '@hindsight/projects/project.ts';
import type { Machine } from './machine/machine.ts';
import { overNetwork, type Network, type Server } from './machine/network.ts';

/** A project, and a key of it. */
export interface Customer {
  readonly id: string;
  readonly secret: string;
  readonly limit: number;
  /** The cap of its key. */
  readonly cap: number | null;
}

/** The customer's accounts, with the units that each may spend in a month. */
export function limitsOf({ id, limit, cap }: Customer): ReadonlyMap<string, number> {
  const limits = new Map([[id, limit]]);
  if (cap !== null) limits.set(keyAccount(id, 'default'), cap);
  return limits;
}

/** Low limits: most runs reach them. */
const FEW = 5;
const SOME = 60;

export class Customers {
  readonly all: readonly Customer[];
  /** The store, over the network. */
  readonly lookup: GatewayDeps['projects'];
  readonly #createdAt: number;

  constructor(machine: Machine, network: Network, server: Server) {
    const { random } = machine;
    this.#createdAt = machine.wallClock();
    const customer = (id: string, limit: number, cap: number | null): Customer => ({
      id,
      secret: generateKey(),
      limit,
      cap,
    });
    this.all = [
      customer('small', FEW + random.below(SOME), null),
      customer('capped', 100_000, FEW + random.below(SOME)),
      customer('large', 1_000_000, null),
    ];
    this.lookup = overNetwork(network, server, {
      findByKey: async (secret: string) => {
        const found = this.all.find((one) => one.secret === secret);
        if (found === undefined) return null;
        const key = { ...defaultKey(this.#createdAt), monthlyCap: found.cap };
        return { ...this.#projectOf(found), keyExpiresAt: null, key };
      },
      noteKeyUses: async () => undefined,
    });
  }

  async findById(id: string): Promise<Project | null> {
    const found = this.all.find((one) => one.id === id);
    return found === undefined ? null : this.#projectOf(found);
  }

  #projectOf({ id, limit }: Customer): Project {
    return {
      id,
      name: id,
      ownerId: null,
      plan: 'enterprise',
      monthlyLimit: limit,
      rate: 100_000,
      demo: false,
      status: 'active',
      createdAt: this.#createdAt,
    };
  }
}
