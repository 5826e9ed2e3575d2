/** Creates a workspace: tieout.yaml with comments, its folders, and .gitignore. It overwrites nothing. */
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MODES, writeWhole } from '../system/effects.ts'
import { readFileSync } from '../system/plain-file.ts'
import { error, FindingsError } from './findings/finding.ts'
import { WORKSPACE_FILE } from './workspace.ts'

const TEMPLATE = `# A Tieout workspace. Paths are relative to this file.
datasets: datasets # one folder per company: its exports and company.yaml; "tieout add" makes them
snapshots: snapshots # what "tieout build" publishes, one folder per company; never edit it
# keepInputs: true # keep the exports themselves with the snapshots that are made of them, once each, by their SHA-256
# timestamp: https://freetsa.org/tsr # an authority (RFC 3161) that stamps what is published: proof of when, from outside
# retention: # what "tieout prune" keeps, beside current, held and read snapshots; without it, everything
#   keepLast: 30
#   keepMonthEnds: { years: 10 }
#   minimumYears: 10 # nothing younger goes, whatever the other rules say

server:
  host: 127.0.0.1 # loopback only; write 0.0.0.0 to answer other machines, behind HTTPS, and their address for it as issuer
  port: 8080
  # The public address, as clients reach it: https://reports.example.com. Made of host and port where it is left out.
  # issuer: http://127.0.0.1:8080
  # How many proxies stand in front (or their addresses): only then is their X-Forwarded-For believed.
  # trustedProxies: 1
`

/**
 * The files of a workspace that belong in no repository: secrets, and temporary files of a build. Whether the snapshots, on which
 * an auditor relies, are archived in the repository is for people to decide.
 */
const IGNORED = `# Tieout: keys and sign-in state, which are secret; and what a build holds open while it runs.
.tieout/
.stage-*/
.lock
*.next
# Published snapshots never change: commit them, or take the # away and archive them elsewhere.
# /snapshots/
`
const GITIGNORE = '.gitignore'

/** Creates .gitignore or extends it, unless it lists the secrets already. Returns whether it changed. */
function ignoreState(root: string): boolean {
  const path = join(root, GITIGNORE)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (/^\/?\.tieout\/?$/m.test(text)) return false
  writeWhole(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${IGNORED}`, { flag: 'a' })
  return true
}

/** Creates a workspace and returns what was made, relative to `folder`. Throws {@link FindingsError} if it is one already. */
export function initWorkspace(folder: string): {
  readonly root: string
  readonly created: readonly string[]
} {
  const root = resolve(folder)
  if (existsSync(join(root, WORKSPACE_FILE)))
    throw new FindingsError([
      error('workspace-exists', `${root} is a workspace already`, {
        file: WORKSPACE_FILE,
        remedy: 'add companies to it with "tieout add", or choose another folder',
      }),
    ])
  mkdirSync(root, { recursive: true })
  const made = ['datasets', 'snapshots'].filter((name) =>
    mkdirSync(join(root, name), { recursive: true, mode: MODES.folder }),
  )
  // The flag "x" refuses an existing file: if two commands create the same workspace, one of them fails.
  writeWhole(join(root, WORKSPACE_FILE), TEMPLATE, { flag: 'wx' })
  const ignored = ignoreState(root) ? [GITIGNORE] : []
  return { root, created: [WORKSPACE_FILE, ...made.map((name) => `${name}/`), ...ignored] }
}
