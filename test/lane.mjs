/** Starts a lane: the options of Node are left to the tests, whose threads and processes have them too. */
import './compiled.mjs'

await import('./lane.ts')
