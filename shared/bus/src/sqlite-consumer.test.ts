import { createLogger } from '@hindsight/kernel/logger.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { expect, it } from '@jest/globals';
import { startSqliteMember } from './sqlite-consumer.ts';
import type { GroupMember } from './sqlite-groups.ts';

it('a member that leaves before its first heartbeat is waited for no longer', async () => {
  const member: GroupMember = {
    beat() {
      throw new StoreUnavailable('SQLite', 'the disk is full');
    },
    next: () => 0,
    commit: () => true,
    leave: () => undefined,
  };
  const logger = createLogger({ name: 'test', level: 'silent' });
  const deps = { member, beatMs: 1_000_000, read: () => [], version: () => 0, logger };
  const membership = startSqliteMember(deps, async () => undefined);
  await membership.leave();
  await expect(membership.joined).resolves.toBeUndefined();
});
