/**
 * The one store of a server: small records of declared kinds, found by key or by whose they are, changed in transactions. What
 * is declared here names no database; lmdb-store.ts keeps it in files beside the server.
 */
import type { z } from 'zod'

/** What a kind of record is called, looks like, and how long it is asked about. */
export interface Kind<T> {
  /** Of its table: another name is another, empty table. */
  readonly name: string
  /** Every record is parsed by it when it is read. */
  readonly schema: z.ZodType<T>
  /**
   * Durable records are on the disk when a write has resolved. Passing ones outlive the process, not the computer's start, and
   * writing them waits for no disk.
   */
  readonly keeps: 'durable' | 'passing'
  /** Whose record it is: a text without blanks, by which {@link Records.ofOwner} finds it. */
  ownerOf?(record: T): string
  /** From when on nobody will ask about it again, in milliseconds since the epoch; null: it stays until it is removed. */
  forgottenAt(record: T): number | null
}

export interface Entry<T> {
  readonly key: string
  readonly record: T
}

export interface Records {
  get<T>(kind: Kind<T>, key: string): Promise<T | undefined>
  /** In no order. `kind` must say whose its records are. */
  ofOwner<T>(kind: Kind<T>, owner: string): Promise<readonly Entry<T>[]>
}

export interface Change extends Records {
  put<T>(kind: Kind<T>, key: string, record: T): void
  remove<T>(kind: Kind<T>, key: string): void
}

export interface Store extends Records {
  /** What {@link Records.get} would give, where this process can say so at once; null where it must be asked. */
  known<T>(kind: Kind<T>, key: string): T | undefined | null
  all<T>(kind: Kind<T>): Promise<readonly Entry<T>[]>
  /**
   * Does all that `action` puts and removes, or nothing. Where another process changes meanwhile what `action` has read, it
   * is called again: it must do nothing but look, decide and change, and its records must all be durable, or all passing.
   * Throws what `action` throws, and {@link StoreUnavailableError} where nothing can be written.
   */
  write<T>(action: (change: Change) => Promise<T>): Promise<T>
  /** Removes what nobody will ask about again; see forgetting.ts. `now`: milliseconds since the epoch. */
  forget(now: number): Promise<void>
  /** Throws {@link StoreUnavailableError} where what is written now would be lost: the durable records were moved away. */
  requireInPlace(): Promise<void>
  /** Writes the durable records as they are now into `folder`, which is there and empty, while other processes go on writing. */
  backup(folder: string): Promise<void>
  close(): Promise<void>
}

/** Nothing was written, since the disk is full or fails, or the store is gone: it can be tried again. */
export class StoreUnavailableError extends Error {
  readonly code = 'store-unavailable'
}
