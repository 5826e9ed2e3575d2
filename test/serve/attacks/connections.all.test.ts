/**
 * What anybody can do to a server that answers on a network, against a server process with its default limits. While it
 * lasts another client gets its answers, and memory, descriptors and files on disk stay within bounds.
 */

import * as assert from 'uvu/assert'
import { alike } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { onFiles } from '../../support/state.ts'
import { type Attacked, assertServed, attacked, connections, otherClient, pause } from './attacked.ts'
import {
  type Attack,
  bodiesWithoutEnd,
  expectations,
  fatHeads,
  halfBodies,
  halfChunks,
  sentAhead,
  sentAheadByMany,
  signInPages,
  singleBytes,
  slowHeads,
  unread,
  withoutEnd,
} from './attacks.ts'

const attacks = suite<{ server: Attacked }>('attacks on connections')
attacks.before(async (context) => {
  context.server = await attacked()
})
attacks.after(({ server }) => server.close())
/** Of connections alone, which is the same whatever keeps the state. */
const onConnections = onFiles(attacks)

const MOST_MEMORY = 200 * 1024 * 1024
const MOST_STATE = 1024 * 1024

/** Runs an attack for a while; nothing of the server's may be used up by it, during or after it. */
async function withstand(server: Attacked, attack: Attack, seconds = 1.5): Promise<void> {
  const warm = otherClient(server)
  await pause(300)
  await warm.stop()
  const [memory, state, descriptors] = [server.rss(), await server.stateBytes(), server.descriptors()]
  const other = otherClient(server)
  const end = await attack(server)
  await pause(seconds * 1000)
  const grown = server.rss() - memory
  const written = (await server.stateBytes()) - state
  const { statuses } = await other.stop()
  await end()
  assertServed(statuses)
  assert.ok(grown < MOST_MEMORY, `${Math.round(grown / 1e6)} MB more memory`)
  assert.ok(written < MOST_STATE, `${Math.round(written / 1e3)} kB more state`)
  assert.ok(server.alive())
  for (let i = 0; i < 100 && server.descriptors() > descriptors + 8; i++) await pause(50)
  assert.ok(server.descriptors() <= descriptors + 8, `${server.descriptors()} of ${descriptors} descriptors`)
}

/** A third of them a day. */
const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  'S1: one connection that sends 400 requests and reads nothing': [sentAhead],
  'S1: six hundred connections that read none of their answers': [unread],
  'S1: five hundred connections that each send ahead as much as is read at once': [sentAheadByMany],
  'S1: connections that send ahead without end': [withoutEnd],
  'S2: five hundred requests whose bodies stop in the middle': [halfBodies, halfChunks],
  'H8: thirty bodies of single bytes, each in a chunk of its own': [singleBytes],
  'H8: bodies without end on routes that take none': [bodiesWithoutEnd],
  'S1: expectations that cannot be met, sent ahead without end': [expectations],
  'S1: three hundred connections that send ahead heads of nine hundred headers': [fatHeads],
  'H10: five hundred heads that come a byte at a time': [slowHeads],
}
for (const [name, each] of alike(Object.entries(ATTACKS)))
  onConnections(name, async ({ server }) => {
    for (const attack of each) await withstand(server, attack)
  })

onConnections(
  'H10: more connections of one address than it may have are ended, and told of once',
  async ({ server }) => {
    await withstand(server, async ({ port }) => {
      const sockets = await connections(port, 1100, '')
      for (const socket of sockets) socket.resume()
      await pause(400)
      assert.is(sockets.filter(({ readyState }) => readyState === 'open').length, 1024)
      return () => {
        for (const socket of sockets) socket.destroy()
      }
    })
    assert.is(server.log().split('"connections-refused"').length - 1, 1)
  },
)

attacks('S3: a flood of anonymous sign-in and account pages', ({ server }) => withstand(server, signInPages))
