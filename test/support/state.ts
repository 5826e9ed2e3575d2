/**
 * Where servers of tests keep their state: in files, or, where TIEOUT_TEST_STATE names a PostgreSQL server, in a database
 * of it for each folder. over-postgres.ts runs files of tests in this way.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { StatePlace } from '../../builder/workspace/workspace.ts'
import type { Test } from '../suite.ts'
import { until } from './until.ts'

const SERVER = process.env.TIEOUT_TEST_STATE

export const isShared = SERVER !== undefined

/** For tests about files of the state. */
export const onFiles = <At>(test: Test<At>): Test<At> | Test<At>['skip'] => (isShared ? test.skip : test)

/** What another process changes is seen at once in files, and soon in a database. */
export const soon = <T>(attempt: () => T | Promise<T>): Promise<T> =>
  isShared ? until(attempt) : Promise.resolve().then(attempt)

/** All that is kept of sign-ins and grants, as somebody sees it who gets hold of it. */
export async function storedIn({ folder, database }: StatePlace): Promise<string> {
  if (database === null) return readFileSync(join(folder, 'oauth/state/data.mdb'), 'latin1')
  const rows = await queried(database, 'SELECT * FROM tieout_state.records ORDER BY kind, key')
  return rows.map((row) => JSON.stringify(row)).join('\n')
}

/** Bytes of a database. */
export async function databaseBytes(url: string): Promise<number> {
  const [row] = await queried(url, 'SELECT pg_database_size(current_database())::float8 AS bytes')
  return Number(row?.bytes)
}

async function queried(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** The state of a server whose workspace is `folder`; several processes that ask for the same folder share it. */
export async function stateOf(folder: string): Promise<StatePlace> {
  const place = join(folder, '.tieout')
  if (SERVER === undefined) return { folder: place, database: null }
  const name = `state_${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`
  await queried(`${SERVER}/postgres`, `CREATE DATABASE ${name}`).catch((problem: { code?: string }) => {
    // Another process was faster: it is there, or is just being made (42P04, 23505).
    if (problem.code !== '42P04' && problem.code !== '23505') throw problem
  })
  return { folder: place, database: `${SERVER}/${name}` }
}
