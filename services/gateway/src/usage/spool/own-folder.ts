/** The folder of this instance: made at its start or, where the disk is full, as soon as there is room. */
import type { Logger } from '@hindsight/kernel/logger.ts';
import { join } from 'node:path';
import { diskFault } from './disk-fault.ts';
import { makeFolder, type ProducerFolder } from './producer-folder.ts';

const AGAIN_AFTER_MS = 1_000;

interface Deps {
  readonly root: string;
  readonly producer: string;
  readonly logger: Logger;
}

/**
 * Without it nothing may be leased: a producer without a folder would not be found after a crash, and its units not be
 * free again.
 */
export class OwnFolder implements ProducerFolder {
  readonly producer: string;
  readonly path: string;
  readonly #deps: Deps;
  #made: ProducerFolder | undefined;
  #again: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.producer = deps.producer;
    this.path = join(deps.root, deps.producer);
  }

  get isMade(): boolean {
    return this.#made !== undefined;
  }

  /** Makes it, now or later. @throws what is no fault of the disk */
  async make(): Promise<void> {
    const { root, producer, logger } = this.#deps;
    const isFirst = this.#again === undefined;
    try {
      const made = await makeFolder(root, producer);
      if (this.#closed) return await made.remove();
      this.#made = made;
      if (!isFirst)
        logger.info({ folder: root }, 'usage can be written to disk; requests that count are answered');
    } catch (error) {
      const fault = diskFault(error);
      if (fault === undefined) throw error;
      if (isFirst)
        logger.error(
          { err: error, folder: root, ...fault },
          'usage cannot be written to disk; requests that count get 503 until it can',
        );
      if (!this.#closed) this.#again = setTimeout(() => void this.#retry(), AGAIN_AFTER_MS).unref();
    }
  }

  async remove(): Promise<void> {
    this.close();
    await this.#made?.remove();
  }

  release(): void {
    this.close();
    this.#made?.release();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#again);
  }

  async #retry(): Promise<void> {
    const { root, logger } = this.#deps;
    await this.make().catch((err: unknown) =>
      logger.error({ err, folder: root }, 'the usage folder cannot be made'),
    );
  }
}
