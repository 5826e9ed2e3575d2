/** The thread of follower.ts: makes one pass after the other. */
import { serveOrders } from '../workspace/threads.ts'
import { BucketLocation, SERVER_PATIENCE } from './bucket-location.ts'
import type { Followed } from './follower.ts'
import { Following, type Passed } from './following.ts'

serveOrders<Followed, 'pass', Passed>(({ copy, settings }) => {
  const opened = BucketLocation.open(copy, settings, SERVER_PATIENCE)
  const following = opened.then((location) => new Following(location))
  return async () => (await following).pass()
})
