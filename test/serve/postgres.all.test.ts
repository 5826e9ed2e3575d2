/**
 * The security checklist over a real PostgreSQL, but for the authorization server, which is in oauth/postgres.all.test.ts: the same files that
 * otherwise run over files of the state.
 *
 * Left out is what never comes to the state, or to no more than one grant and one pin of it: how requests, headers, parameters, files and
 * the ad-hoc engine are treated (the rest of http/ and companies/). attacks/disks is about files; a database that is away, killed or
 * lost in a commit stands in store/postgres.all.test.ts and two-servers.all.test.ts.
 */
import { suite } from '../suite.ts'
import { declareOverPostgres } from '../support/over-postgres.ts'
import { missing } from '../support/postgres.ts'

const FILES = 'http/server http/load companies/pin attacks/connections.all attacks/clocks.all'

const test = suite('the checklist over PostgreSQL')
declareOverPostgres(
  test,
  FILES.split(' ').map((name) => `test/serve/${name}.test.ts`),
)

test.needs(missing)
