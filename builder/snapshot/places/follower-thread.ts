/** The thread of follower.ts, which makes one pass after the other. */
import { givenData, serveOrders } from '../../system/threads.ts'
import { BucketLocation, SERVER_PATIENCE } from './bucket-location.ts'
import type { FollowedBucket } from './follower.ts'
import { Following, type Passed } from './following.ts'

const { copy, settings } = givenData() as FollowedBucket
const opened = BucketLocation.open(copy, settings, SERVER_PATIENCE)
const following = opened.then((location) => new Following(location))
serveOrders<'pass', Passed>(async () => (await following).pass())
