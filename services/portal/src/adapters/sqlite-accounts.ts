import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import { loginsOf, type Account } from '../domain/account.ts';
import type { AccountStore } from '../ports.ts';

/** Accounts in the embedded database; its schema is `ACCOUNT_MIGRATIONS`. */
export function createSqliteAccounts(database: DatabaseSync): AccountStore {
  const sql = {
    insert: database.prepare('INSERT INTO account (id, version, data) VALUES (?, ?, ?)'),
    update: database.prepare(
      'UPDATE account SET version = version + 1, data = ? WHERE id = ? AND version = ?',
    ),
    remove: database.prepare('DELETE FROM account WHERE id = ?'),
    byId: database.prepare('SELECT * FROM account WHERE id = ?'),
    byLogin: database.prepare(
      'SELECT a.* FROM account_login l JOIN account a ON a.id = l.account_id WHERE l.login = ?',
    ),
    behind: database.prepare('SELECT * FROM account WHERE id > ? ORDER BY id LIMIT ?'),
    owner: database.prepare('SELECT account_id FROM account_login WHERE login = ?'),
    forgetLogins: database.prepare('DELETE FROM account_login WHERE account_id = ?'),
    addLogin: database.prepare('INSERT INTO account_login (login, account_id) VALUES (?, ?)'),
  };
  const isTaken = (account: Account): boolean =>
    loginsOf(account).some((login) => {
      const owner = sql.owner.get(login)?.account_id;
      return owner !== undefined && owner !== account.id;
    });
  const putLogins = (account: Account): void => {
    sql.forgetLogins.run(account.id);
    for (const login of loginsOf(account)) sql.addLogin.run(login, account.id);
  };
  return {
    insert: async (account) =>
      inTransaction(database, () => {
        if (sql.byId.get(account.id) !== undefined || isTaken(account)) return 'taken';
        sql.insert.run(account.id, account.version, dataOf(account));
        putLogins(account);
        return 'inserted';
      }),
    find: async (id) => toAccountOrNull(sql.byId.get(id)),
    findByLogin: async (login) => toAccountOrNull(sql.byLogin.get(login)),
    list: async (after, limit) => sql.behind.all(after, limit).map(toAccount),
    replace: async (account) =>
      inTransaction(database, () => {
        if (sql.byId.get(account.id)?.version !== account.version) return 'conflict';
        if (isTaken(account)) return 'taken';
        sql.update.run(dataOf(account), account.id, account.version);
        putLogins(account);
        return 'replaced';
      }),
    remove: async (id) => void sql.remove.run(id),
  };
}

function dataOf({ id: _id, version: _version, ...data }: Account): string {
  return JSON.stringify(data);
}

function toAccountOrNull(row: Record<string, SQLOutputValue> | undefined): Account | null {
  return row === undefined ? null : toAccount(row);
}

function toAccount(row: Record<string, SQLOutputValue>): Account {
  const data = JSON.parse(row.data as string) as Omit<Account, 'id' | 'version'>;
  return { ...data, id: row.id as string, version: row.version as number };
}
