/** How often a process is replaced before the server is given up, with members that begin and end as each test says. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Member, type ProcessEvent, supervise } from '../../../serve/process/supervisor.ts'

const test = suite('the supervisor of processes')

interface Played extends Member {
  end(how?: string): void
}

/** A member that can be used, or, where there is a `reason`, cannot be started. */
function played(pid: number, reason: string | null): Played {
  let end: (how: string) => void = () => {}
  const ended = new Promise<string>((resolve) => {
    end = resolve
  })
  return {
    pid,
    begun: reason === null ? Promise.resolve() : Promise.reject(new Error(reason)),
    ended,
    alive: async () => null,
    end: (how = 'SIGSEGV') => end(how),
    kill: () => end('SIGKILL'),
    stop: () => end('exit 0'),
  }
}

/** Two members, whose replacements start unless there is a `hindrance`. */
async function supervised() {
  const state: { hindrance: string | null } = { hindrance: null }
  const members: Played[] = []
  const events: ProcessEvent[] = []
  const waiting = new Set<() => void>()
  const supervisor = await supervise({
    count: 2,
    start: () => {
      const member = played(members.length + 1, state.hindrance)
      members.push(member)
      return member
    },
    log: (event) => {
      events.push(event)
      for (const look of waiting) look()
    },
    stopMs: 1000,
    pausesMs: [0, 1, 1],
    laterMs: 1,
  })
  const count = (event: ProcessEvent['event']) => events.filter((each) => each.event === event).length
  /** Waits until an event was logged so many times. */
  const logged = (event: ProcessEvent['event'], times: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (count(event) >= times) resolve()
      }
      waiting.add(look)
      look()
    })
  return { state, members, supervisor, logged }
}

test('a replacement that cannot be started is tried again while another process serves', async () => {
  const { state, members, supervisor, logged } = await supervised()
  state.hindrance = 'access.yaml has a mistake'
  members[1]!.end()
  await logged('process-not-started', 20)
  assert.equal(supervisor.members(), [members[0]])
  state.hindrance = null
  await logged('process-started', 3)
  assert.is(supervisor.members().length, 2)
  assert.is(await supervisor.stop(), true)
})

test('where no process serves and none can be started, the server is given up', async () => {
  const { state, members, supervisor } = await supervised()
  state.hindrance = 'access.yaml has a mistake'
  for (const member of members.slice(0, 2)) member.end()
  assert.match(await supervisor.givenUp, /ended 4 times, each time within 10 seconds/)
  await supervisor.stop()
})

test('a process that starts and ends again and again gives the server up, although another one serves', async () => {
  const { members, supervisor, logged } = await supervised()
  for (let started = 2; started <= 5; started++) {
    await logged('process-started', started)
    members.at(-1)!.end()
  }
  assert.match(await supervisor.givenUp, /ended 4 times, .*; the last time: SIGSEGV/)
  await supervisor.stop()
})

test.run()
