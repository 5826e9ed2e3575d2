/** A new workspace: tieout.yaml with its comments, and the folders it names. Overwrites nothing. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { error, FindingsError } from './finding.ts'
import { WORKSPACE_FILE } from './workspace.ts'

const TEMPLATE = `# A Tieout workspace. Paths are relative to this file.
datasets: datasets # one folder per company: its exports and company.yaml; "tieout add" makes them
snapshots: snapshots # what "tieout build" publishes, one folder per company; never edit it

server:
  host: 127.0.0.1 # loopback only; write 0.0.0.0 to answer other machines, behind HTTPS
  port: 8080
  # The public address, as clients reach it: https://reports.example.com. Made of host and port where it is left out.
  # issuer: http://127.0.0.1:8080
  # How many proxies stand in front (or their addresses): only then is their X-Forwarded-For believed.
  # trustedProxies: 1
`

/** Makes the workspace and says what was made, relative to `folder`. Refuses a folder that is one already. */
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
  const made = ['datasets', 'snapshots'].filter((name) => mkdirSync(join(root, name), { recursive: true }))
  // Exclusive: where two commands make the same workspace, one of them fails instead of overwriting.
  writeFileSync(join(root, WORKSPACE_FILE), TEMPLATE, { flag: 'wx' })
  return { root, created: [WORKSPACE_FILE, ...made.map((name) => `${name}/`)] }
}
