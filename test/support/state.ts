/**
 * Where servers of tests keep their state: in files, or, where TIEOUT_TEST_STATE names a PostgreSQL server, in a database
 * of it for each folder. test/serve/postgres.test.ts runs files of tests in this way.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import type { Test } from 'uvu'
import type { StatePlace } from '../../builder/workspace/workspace.ts'

const SERVER = process.env.TIEOUT_TEST_STATE

export const isShared = SERVER !== undefined

/** For tests about files of the state. */
export const onFiles = (test: Test): Test | Test['skip'] => (isShared ? test.skip : test)

/** The state of a server whose workspace is `folder`; several processes that ask for the same folder share it. */
export async function stateOf(folder: string): Promise<StatePlace> {
  const place = join(folder, '.tieout')
  if (SERVER === undefined) return { folder: place, database: null }
  const name = `state_${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`
  const client = new pg.Client({ connectionString: `${SERVER}/postgres` })
  await client.connect()
  try {
    await client.query(`CREATE DATABASE ${name}`).catch((problem: { code?: string }) => {
      // Another process was faster: it is there, or is just being made (42P04, 23505).
      if (problem.code !== '42P04' && problem.code !== '23505') throw problem
    })
  } finally {
    await client.end()
  }
  return { folder: place, database: `${SERVER}/${name}` }
}
