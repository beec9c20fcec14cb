/** What former lives have left on this disk: it waits to be sent as what this life records does, and takes as much room. */
import type { Logger } from '@hindsight/shared/logger.ts';
import { stat } from 'node:fs/promises';
import type { LaneFrames } from '../../ports.ts';
import { lanesIn, segmentPath, segmentsOf, takeLane, type LaneFolder } from './lane-folder.ts';
import { SegmentReader, type ReadingLimits } from './segment-reader.ts';

interface Parts {
  readonly root: string;
  /** This life's own. */
  readonly lane: string;
  readonly logger: Logger;
  readonly onDamage: ReadingLimits['onDamage'];
}

/** Lanes of processes that have ended. */
export class FormerLanes {
  readonly #parts: Parts;
  /** What is left of each. */
  readonly #bytes = new Map<string, number>();
  #waitingBytes = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Bytes on disk of lanes that were taken over and are not removed yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Takes over those that nobody has; one that cannot be taken is tried again the next time. */
  async take(): Promise<LaneFrames[]> {
    const { root, lane, logger } = this.#parts;
    const found: LaneFrames[] = [];
    const names = await lanesIn(root);
    // Whom others have sent and removed meanwhile.
    for (const known of this.#bytes.keys()) if (!names.includes(known)) this.#note(known, 0);
    for (const name of names) {
      if (name === lane) continue;
      try {
        const folder = await takeLane(root, name);
        if (folder !== undefined) found.push(await this.#open(folder));
      } catch (err) {
        logger.error({ err, lane: name }, 'usage of a former life cannot be reached; trying again');
      }
    }
    return found;
  }

  async #open(folder: LaneFolder): Promise<LaneFrames> {
    const { lane, path } = folder;
    const remove = async (): Promise<void> => {
      await folder.remove();
      this.#note(lane, 0);
    };
    try {
      this.#note(lane, await sizeOf(path));
    } catch (error) {
      folder.release();
      throw error;
    }
    return new SegmentReader(
      { ...folder, remove },
      {
        sealed: () => undefined,
        onDamage: this.#parts.onDamage,
        onRemoved: (bytes) => this.#note(lane, (this.#bytes.get(lane) ?? 0) - bytes),
      },
    );
  }

  #note(lane: string, bytes: number): void {
    this.#waitingBytes += bytes - (this.#bytes.get(lane) ?? 0);
    if (bytes > 0) this.#bytes.set(lane, bytes);
    else this.#bytes.delete(lane);
  }
}

async function sizeOf(path: string): Promise<number> {
  const sizes = (await segmentsOf(path)).map(async (number) => (await stat(segmentPath(path, number))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
