/** Starts a lane: the options of Node are left to the tests, whose threads and processes have them too. */
import './compiled.mjs'

await import('./no-flush.ts')
await import('./lane.ts')
