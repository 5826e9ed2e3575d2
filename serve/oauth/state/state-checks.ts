/** What `tieout doctor` says of the state of servers. */

import { SecretError } from '../../../builder/system/refusals.ts'
import { type Check, checksOf } from '../../../builder/workspace/check.ts'
import { checkDatabase } from '../../../builder/workspace/database-checks.ts'
import { checkSchema } from '../../store/postgres/checks.ts'
import { STATE_KEY } from '../keys/key-record.ts'
import { withServerKeys } from './server-state.ts'
import { withSharedPlace } from './shared-access.ts'

const whereUsersAre = (url: string): Promise<string> =>
  withSharedPlace(url, async (place) =>
    (await place.read()) === null
      ? 'in the access.yaml of each machine; "tieout state access" puts them into the database'
      : 'in the database, for all servers',
  )

export async function checkState(url: string): Promise<readonly Check[]> {
  const checks = checksOf('state')
  await checkDatabase(url, checks, (client) => checkSchema(client, checks))
  // Without working tables, looking for keys would make the tables, or report the same failure twice.
  if (checks.all.every(({ outcome }) => outcome !== 'fails'))
    try {
      const version = await withServerKeys({ folder: '', database: url }, (keys) => keys.read())
      checks.holds(
        'keys',
        version === null ? 'none yet: the first server makes them' : `${STATE_KEY} opens them`,
      )
      checks.holds('users', await whereUsersAre(url))
    } catch (problem) {
      if (!(problem instanceof SecretError)) throw problem
      checks.fail('keys', problem.message, `set ${STATE_KEY} to what the other servers have`)
    }
  return checks.all
}
