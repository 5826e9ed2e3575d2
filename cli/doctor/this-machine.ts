/** What `tieout doctor` asks of this machine: the program, folders and their modes, room on disks, the port, the clock, the browser. */
import { constants, existsSync } from 'node:fs'
import { access, readdir, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readAuthority } from '../../builder/snapshot/keys/fetch-stamps.ts'
import { readHistory } from '../../builder/snapshot/log/history.ts'
import { thisProgram } from '../../builder/system/version.ts'
import { beyondItsReaders } from '../../builder/workspace/access/access.ts'
import { type Check, type Checks, checksOf } from '../../builder/workspace/check.ts'
import type { FindingsError } from '../../builder/workspace/findings/finding.ts'
import { listCompanies, type Workspace } from '../../builder/workspace/workspace.ts'
import { bytesText, plural } from '../terminal/terminal.ts'

/** With less of either, a large build may find the disk full. */
const ROOM = { bytes: 1024 ** 3, files: 100_000 }
const CLOCK_MS = 5 * 60 * 1000
const BEYOND_THE_GROUP = 0o007

export async function checkMachine(workspace: Workspace): Promise<readonly Check[]> {
  const machine = checksOf('machine')
  machine.holds('program', `${thisProgram()} on Node ${process.version}, ${process.platform} ${process.arch}`)
  await checkFolders(workspace, machine)
  await checkRoom('disk of the snapshots', workspace.snapshots, machine)
  await checkRoom('temporary files', tmpdir(), machine)
  await checkModes(workspace, machine)
  await checkClock(workspace, machine)
  await checkPort(workspace, machine)
  await checkBrowser(machine)
  await checkTimestamp(workspace, machine)
  return machine.all
}

/** The nearest folder above a path that exists; the path itself if it does. */
const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)))

const canBe = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  )

async function checkFolders({ datasets, snapshots, state }: Workspace, checks: Checks): Promise<void> {
  if (!existsSync(datasets))
    checks.warn(
      'datasets',
      `${datasets} is not there`,
      'add a company with tieout add, or correct "datasets"',
    )
  else if (await canBe(datasets, constants.R_OK | constants.X_OK)) checks.holds('datasets', datasets)
  else
    checks.fail('datasets', `${datasets} cannot be read by this user`, 'give this user the right to read it')
  for (const [what, folder] of [
    ['snapshots', snapshots],
    ['state', state],
  ] as const)
    if (await canBe(nearest(folder), constants.W_OK | constants.X_OK)) checks.holds(what, folder)
    else
      checks.fail(
        what,
        `${nearest(folder)} cannot be written by this user`,
        'give the user who builds the right to write it; a server needs it only for its own state',
      )
}

async function checkRoom(what: string, folder: string, checks: Checks): Promise<void> {
  const { bavail, bsize, files, ffree } = await statfs(nearest(folder))
  const room = `${bytesText(bavail * bsize)}${files > 0 ? ` and ${plural(ffree, 'file')}` : ''} free`
  // Some file systems make inodes as they are needed, and state none.
  if (bavail * bsize >= ROOM.bytes && (files === 0 || ffree >= ROOM.files)) checks.holds(what, room)
  else checks.warn(what, room, 'make room: tieout prune removes snapshots that "retention" does not keep')
}

/** Keys, tokens and passwords are for their owner, and for the group where the owner lets it. */
async function checkModes({ state, access: users }: Workspace, checks: Checks): Promise<void> {
  const inState = existsSync(state) ? (await readdir(state)).map((name) => join(state, name)) : []
  const open: string[] = []
  for (const path of [state, ...inState].filter((each) => existsSync(each)))
    if (((await stat(path)).mode & BEYOND_THE_GROUP) !== 0) open.push(path)
  // A file in a folder that others cannot enter is out of their reach, whatever its mode.
  const reached = open.includes(state) ? open : open.filter((path) => !inState.includes(path))
  if (reached.length === 0) checks.holds('private files', 'nobody else can read keys')
  else
    checks.fail('private files', `others can reach ${reached.join(', ')}`, `chmod o-rwx ${reached.join(' ')}`)
  if (!existsSync(users)) return
  const [found] = beyondItsReaders(users, (await stat(users)).mode)
  if (found) checks.fail('access.yaml', found.message, found.remedy ?? '')
  else checks.holds('access.yaml', 'nobody else can read users or clients')
}

/** The clock is behind where the log says that something happened later than now. */
async function checkClock(workspace: Workspace, checks: Checks): Promise<void> {
  const heads = await Promise.all(
    listCompanies(workspace).map((company) =>
      readHistory(workspace.snapshots, company).then(
        ({ publishedAt }) => [...publishedAt.values()].at(-1) ?? '',
        // A log that cannot be read is for tieout verify.
        () => '',
      ),
    ),
  )
  const latest = heads.sort().at(-1) ?? ''
  const now = new Date()
  if (latest !== '' && Date.parse(latest) > now.getTime() + CLOCK_MS)
    checks.fail(
      'clock',
      `it is ${now.toISOString()}, and a snapshot was published on ${latest}`,
      'set the clock',
    )
  else checks.holds('clock', now.toISOString())
}

async function checkPort({ server: { host, port } }: Workspace, checks: Checks): Promise<void> {
  const problem = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
  const address = `${host}:${port}`
  if (problem === null) checks.holds('port', `${address} is free`)
  else if (problem.code === 'EADDRINUSE')
    checks.warn(
      'port',
      `something listens at ${address}`,
      'if that is no server of Tieout, choose another "server.port"',
    )
  else checks.fail('port', `${address}: ${problem.message}`, 'correct "server.host" and "server.port"')
}

async function checkBrowser(checks: Checks): Promise<void> {
  const { findBrowser } = await import('../../builder/report/print.ts')
  try {
    checks.holds('browser', `${findBrowser()} prints PDFs`)
  } catch (problem) {
    checks.warn('browser', (problem as Error).message, 'needed for tieout report --pdf alone')
  }
}

async function checkTimestamp({ timestamp }: Workspace, checks: Checks): Promise<void> {
  const certificate = timestamp?.certificate ?? null
  if (certificate === null) return
  await readAuthority(certificate).then(
    () => checks.holds('time stamps', certificate),
    ({ findings: [found] }: FindingsError) =>
      checks.fail(
        'time stamps',
        found?.message ?? certificate,
        'name the certificate of the authority in PEM',
      ),
  )
}
