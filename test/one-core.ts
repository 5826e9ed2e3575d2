/**
 * In `npm test` each process that runs tests takes one core, as a build does beside others: there are more of these processes than cores,
 * and threads that wait for each other's cores cost a tenth of the time. `npm run test:all` lets each use the whole machine.
 */
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

if (process.env.TEST_ALL !== '1') {
  os.availableParallelism = () => 1
  syncBuiltinESMExports()
}
