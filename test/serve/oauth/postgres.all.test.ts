/**
 * The authorization server's part of the security checklist over a real PostgreSQL: the same files that otherwise run over files of the
 * state. Left out is what does not come to it, or to no more of it than these do: what is asked without a grant (anonymous, discovery, pages),
 * whole cycles (clients), access.yaml (access), the hashing of passwords (sign-in-load), what pages look
 * like (browser/flow), and what is about files (faults, state-moved).
 */
import { suite } from '../../suite.ts'
import { declareOverPostgres } from '../../support/over-postgres.ts'
import { missing } from '../../support/postgres.ts'

const FILES =
  'account authorize bearer keys ledger many-grants meanwhile processes.all refresh throttle token'

const test = suite('the authorization server over PostgreSQL')
declareOverPostgres(
  test,
  FILES.split(' ').map((name) => `test/serve/oauth/${name}.test.ts`),
)

test.needs(missing)
