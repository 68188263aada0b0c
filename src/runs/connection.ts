import Sqlite from 'libsql';
import { pathToFileURL } from 'node:url';
import type { SqlValue } from './codec.js';
import { storeFailure } from './failure.js';

type Native = InstanceType<typeof Sqlite>;

/** How a connection may be used: `immutable` reads a file that nobody can be writing (a read-only disk). */
export type Access = 'write' | 'read' | 'immutable';

/**
 * One connection to `run.sqlite`: prepared statements are kept, every failure of the disk is a StoreError, rows come as
 * the type that the caller states (the tables are STRICT and ours). Owned by whoever opened it; `close` is for good.
 */
export class Connection {
  private readonly native: Native;
  private readonly statements = new Map<string, ReturnType<Native['prepare']>>();
  private open = true;

  constructor(
    private readonly path: string,
    private readonly access: Access,
  ) {
    this.native = this.guard("can't open", () => {
      const url = access === 'immutable' ? `${pathToFileURL(path).href}?immutable=1` : path;
      const native = new Sqlite(url);
      native.pragma('busy_timeout = 10000');
      native.pragma('foreign_keys = ON');
      if (access !== 'write') native.pragma('query_only = ON');
      return native;
    });
  }

  /**
   * Write-ahead log, and a commit only returns when it is on the disk: neither a killed process nor a power cut loses
   * what was recorded.
   */
  useWal(): void {
    this.guard("can't write", () => {
      this.native.pragma('journal_mode = WAL');
      this.native.pragma('synchronous = FULL');
    });
  }

  all<Row>(sql: string, parameters: readonly SqlValue[] = []): Row[] {
    return this.guard("can't read", () => this.statement(sql).all(parameters) as Row[]);
  }

  /** The first row, or null. */
  get<Row>(sql: string, parameters: readonly SqlValue[] = []): Row | null {
    return this.all<Row>(sql, parameters)[0] ?? null;
  }

  run(sql: string, parameters: readonly SqlValue[] = []): void {
    this.guard("can't write", () => this.statement(sql).run(parameters));
  }

  exec(sql: string): void {
    this.guard("can't write", () => this.native.exec(sql));
  }

  /**
   * Runs `work` in one transaction that holds the write lock from its start. When anything throws, nothing of it
   * stays. Not to be nested; `work` is synchronous, so nothing of this process can come in between.
   */
  transaction<T>(work: () => T): T {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (cause) {
      // SQLite has already rolled back after some failures (a full disk), and then refuses to do so again.
      if (this.native.inTransaction) this.native.exec('ROLLBACK');
      throw cause;
    }
  }

  /** Moves the log into the database where nobody is in the way, and closes. Harmless when called again. */
  close(): void {
    if (!this.open) return;
    this.open = false;
    this.statements.clear();
    try {
      if (this.access === 'write') this.native.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The log is as good a home as the database: the next writer moves it.
    } finally {
      this.native.close();
    }
  }

  private statement(sql: string): ReturnType<Native['prepare']> {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.native.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  private guard<T>(action: string, work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw storeFailure(action, this.path, cause);
    }
  }
}
