/**
 * Usage that former instances left on this disk. It is sent like this instance's own and shares its size
 * limit.
 */
import type { Logger } from '@hindsight/kernel/logger.ts';
import { stat } from 'node:fs/promises';
import { producersIn, segmentPath, segmentsOf, takeFolder, type ProducerFolder } from './producer-folder.ts';
import { SegmentReader, type ReadingLimits } from './segment-reader.ts';

interface Deps {
  readonly root: string;
  /** This instance. */
  readonly producer: string;
  readonly logger: Logger;
  readonly onDamage: ReadingLimits['onDamage'];
}

export class FormerProducers {
  readonly #deps: Deps;
  /** Bytes that are left of each, by its id. */
  readonly #bytes = new Map<string, number>();
  #waitingBytes = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Bytes on disk of producers that were taken over and are not removed yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Takes over producers without a process; one that cannot be taken over is tried again next time. */
  async take(): Promise<SegmentReader[]> {
    const { root, producer, logger } = this.#deps;
    const found: SegmentReader[] = [];
    const names = await producersIn(root);
    // Other gateways have sent and removed these.
    for (const known of this.#bytes.keys()) if (!names.includes(known)) this.#note(known, 0);
    for (const name of names) {
      if (name === producer) continue;
      try {
        const folder = await takeFolder(root, name);
        if (folder !== undefined) found.push(await this.#open(folder));
      } catch (err) {
        logger.error({ err, producer: name }, 'usage of a former instance cannot be reached; trying again');
      }
    }
    return found;
  }

  async #open(folder: ProducerFolder): Promise<SegmentReader> {
    const { producer, path } = folder;
    const remove = async (): Promise<void> => {
      await folder.remove();
      this.#note(producer, 0);
    };
    try {
      this.#note(producer, await sizeOf(path));
    } catch (error) {
      folder.release();
      throw error;
    }
    return new SegmentReader(
      { ...folder, remove },
      {
        sealed: () => undefined,
        onDamage: this.#deps.onDamage,
        onRemoved: (bytes) => this.#note(producer, (this.#bytes.get(producer) ?? 0) - bytes),
      },
    );
  }

  #note(producer: string, bytes: number): void {
    this.#waitingBytes += bytes - (this.#bytes.get(producer) ?? 0);
    if (bytes > 0) this.#bytes.set(producer, bytes);
    else this.#bytes.delete(producer);
  }
}

async function sizeOf(path: string): Promise<number> {
  const sizes = (await segmentsOf(path)).map(async (number) => (await stat(segmentPath(path, number))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
