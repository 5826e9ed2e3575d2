/**
 * The interface of a server's store: small records of declared kinds, found by key or by owner, changed in
 * transactions. It names no database: lmdb-store.ts keeps the records in files beside the server, postgres/ in a
 * database that several servers share.
 */
import type { z } from 'zod'

/** A record of a database is never older than this where a server answers from what it remembers. */
export const OLDEST_MS = 5_000

/** A kind of record: its name, its schema, and how long it is needed. */
export interface RecordKind<T> {
  /** The name of its table; another name is another, empty table. */
  readonly name: string
  /** Every record is parsed with it when it is read. */
  readonly schema: z.ZodType<T>
  /**
   * Durable records are on the disk when a write has resolved. Passing records survive the process, but perhaps not a
   * restart of the computer, and may be written without waiting for the disk.
   */
  readonly keeps: 'durable' | 'passing'
  /** The owner of a record, a text without blanks by which {@link Records.ofOwner} finds it. */
  ownerOf?(record: T): string
  /** When the record is no longer needed, in milliseconds since the epoch; null where it stays until it is removed. */
  forgottenAt(record: T): number | null
}

export interface StoreEntry<T> {
  readonly key: string
  readonly record: T
}

interface Records {
  get<T>(kind: RecordKind<T>, key: string): Promise<T | undefined>
  /** The records of an owner, in no order. `kind` must declare `ownerOf`. */
  ofOwner<T>(kind: RecordKind<T>, owner: string): Promise<readonly StoreEntry<T>[]>
}

export interface StoreChange extends Records {
  put<T>(kind: RecordKind<T>, key: string, record: T): void
  remove<T>(kind: RecordKind<T>, key: string): void
}

export interface Store extends Records {
  /**
   * What {@link Records.get} would return, where this process knows it at once; null where `get` must be called.
   * Changes that other servers make in a database are seen after 5 seconds at the latest.
   */
  known<T>(kind: RecordKind<T>, key: string): T | undefined | null
  all<T>(kind: RecordKind<T>): Promise<readonly StoreEntry<T>[]>
  /**
   * Applies everything that `action` puts and removes, or nothing. `action` is called again where another process
   * has changed what it read: it must have no other effects, and its records must all be durable or all passing.
   * Throws what `action` throws, and {@link StoreUnavailableError} where nothing can be written.
   */
  write<T>(action: (change: StoreChange) => Promise<T>): Promise<T>
  /** Removes records that are no longer needed; see forgetting.ts. `now` is in milliseconds since the epoch. */
  forget(now: number): Promise<void>
  /** Throws {@link StoreUnavailableError} where a write would be lost because the durable records were moved away. */
  requireInPlace(): Promise<void>
  /**
   * Writes the present durable records into `folder`, which exists and is empty, while other processes continue to
   * write. Any store writes a file of lmdb there, which readCopy (lmdb-store.ts) reads.
   */
  backup(folder: string): Promise<void>
  close(): Promise<void>
}

/** The disk is full or fails, or the store is away; a later attempt may succeed. */
export class StoreUnavailableError extends Error {
  readonly code = 'store-unavailable'
}
