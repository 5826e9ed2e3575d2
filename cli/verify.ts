/**
 * `tieout verify`: checks that published snapshots are as published, and that their figures follow from their
 * books.
 */
import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import type {
  Verification,
  VerificationOutcome,
  VerifiedArchive,
  VerifiedCompany,
  VerifiedSnapshot,
  VerifyOptions,
} from '../builder/evidence/verify/verify.ts'
import type { Damage } from '../builder/snapshot/files/damage.ts'
import { FindingsError } from '../builder/workspace/findings/finding.ts'
import type { Workspace } from '../builder/workspace/workspace.ts'
import { jobsOption, memoryOption, workersOption } from './pool/builds.ts'
import { action, examples } from './terminal/command.ts'
import { EXIT, type ExitCode, UsageError } from './terminal/exit.ts'
import { withLocation, withMembers } from './terminal/location.ts'
import { visible } from './terminal/money.ts'
import { tableText } from './terminal/table.ts'
import { count, plural, type Terminal, wrap } from './terminal/terminal.ts'

interface Options {
  readonly filesOnly?: boolean
  readonly sources?: boolean
  readonly jobs?: number
  readonly workers?: number
  readonly memory?: number
  readonly key?: string
  readonly expect?: string
  readonly tsa?: string
  readonly approvers?: string
}

export function declareVerify(program: Command): void {
  const command = withOptions(program.command('verify'))
  examples(
    command,
    'tieout verify',
    'tieout verify harbor --sources',
    'tieout verify harbor',
    'tieout verify ~/audit/2025/harbor --json',
    'tieout verify ~/audit/2025/harbor/2025-12-r1-3f9c2a',
    'tieout verify ~/audit/harbor-2025.zip',
    'tieout verify harbor --expect 7b4a1f…',
    'tieout verify ~/audit/harbor-2025.zip --tsa authority.pem',
    'tieout verify ~/audit/2025/harbor --key harbor.jwks.json --approvers harbor-approvers.jwks.json',
  )
  action<Options>(command, async ({ terminal, folder }, options, [asked]) => {
    const { filesOnly = false, sources = false, jobs, workers, memory } = options
    const { key, expect, approvers, tsa } = options
    if (filesOnly && sources)
      throw new UsageError('--files-only leaves out what --sources asks for: choose one')
    if (expect !== undefined && asked === undefined)
      throw new UsageError('--expect needs the company, the folder or the archive that it was noted of')
    const { proveInParallel: proveBesideEachOther } = await import('./pool/verify-pool.ts')
    const pool = filesOnly ? null : proveBesideEachOther({ jobs, memory })
    const found = await verification(folder, terminal, asked, key, {
      figures: !filesOnly,
      sources,
      ...(pool ? { prove: pool } : {}),
      ...(workers === undefined ? {} : { workers }),
      ...(memory === undefined ? {} : { memory }),
      ...(approvers === undefined ? {} : { approverKeys: new Set(await keysIn(approvers)) }),
      ...(tsa === undefined ? {} : { authority: await authorityIn(tsa) }),
      ...(expect === undefined ? {} : { expect: expect.trim().toLowerCase() }),
      progress: (snapshotId, done) => {
        if (done === 0) terminal.note(`${snapshotId}: computing the figures again`)
      },
    }).finally(() => pool?.close())
    terminal.show(found, () => verificationText(found, terminal))
    return EXITS[found.outcome]
  })
}

const withOptions = (command: Command): Command =>
  command
    .summary('check that snapshots are as published, and compute their figures again')
    .description(
      'Verify published snapshots: every file against its hash, every manifest against the pointer and the snapshots after it, and every figure and identity computed again from the books. Says what is wrong and where. A copied folder and an archive need no workspace.',
    )
    .argument(
      '[what]',
      'a company, an archive, or a folder: of one snapshot, a company, or all (default: all)',
    )
    .option(
      '--key <file>',
      'the only public keys that may have signed, as "tieout snapshots key" prints them (default: those of the workspace, for its own snapshots); what is unsigned is damage then',
    )
    .option(
      '--expect <sha256>',
      'of the last line of the log, or of a manifest, as it was noted elsewhere ("tieout snapshots head"): it must be here',
    )
    .option(
      '--approvers <file>',
      'the only public keys that may have approved, as "tieout approvers keys" prints them; what nobody approved is damage then (default: those whom the log names)',
    )
    .option(
      '--tsa <file>',
      'certificate (PEM) of the time-stamping authority that is believed, or of the one that vouches for it, with lists of revoked certificates if there are any (default: that of tieout.yaml); a stamp by any other is damage',
    )
    .option('--files-only', 'check files and manifests, do not compute the figures again')
    .option(
      '--sources',
      'build each snapshot again from its kept sources (keepInputs), and compare all that it says',
    )
    .addOption(jobsOption('snapshots'))
    .addOption(workersOption('compute the figures of one snapshot', 'snapshots'))
    .addOption(memoryOption())

const EXITS: Record<VerificationOutcome, ExitCode> = {
  verified: EXIT.done,
  'read-otherwise': EXIT.readOtherwise,
  unproven: EXIT.unproven,
  damaged: EXIT.failed,
}

const isName = (asked: string): boolean => /^[^/\\.][^/\\]*$/.test(asked)

/**
 * Verifies what the argument names. Where snapshots are in a bucket, every byte of them is read from there: the working
 * copy proves nothing about it.
 */
async function verification(
  from: string,
  terminal: Terminal,
  asked: string | undefined,
  keyFile: string | undefined,
  options: Omit<VerifyOptions, 'known'>,
): Promise<Verification> {
  const workspace = await workspaceAt(from)
  const verifyIn = (root: string | null) => verificationIn(root, { workspace, from, asked, keyFile }, options)
  if (workspace === null || workspace.bucket === null) return verifyIn(workspace?.snapshots ?? null)
  return withLocation(workspace, terminal, async (location) => {
    if (asked === undefined) return location.whole(null, verifyIn)
    const isCompany = isName(asked) && (await location.companies()).includes(asked)
    return isCompany
      ? location.whole(await withMembers(workspace, [asked]), verifyIn)
      : verifyIn(workspace.snapshots)
  })
}

interface Asked {
  readonly workspace: Workspace | null
  readonly from: string
  readonly asked: string | undefined
  readonly keyFile: string | undefined
}

/** What the argument names. Where a company and a folder have the same name, the company is meant. `root` is the folder of snapshots. */
async function verificationIn(
  root: string | null,
  { workspace, from, asked, keyFile }: Asked,
  options: Omit<VerifyOptions, 'known'>,
): Promise<Verification> {
  const { folderKind, verifyCompanies, verifyFolder } = await import('../builder/evidence/verify/verify.ts')
  const { knownKeys, revokedKeys, signingKeyPath } = await import('../builder/snapshot/keys/key-file.ts')
  const named = keyFile === undefined ? null : new Set(await keysIn(keyFile))
  const own = workspace && (await knownKeys(workspace.state))
  const keyPath = keyFile ?? (workspace && signingKeyPath(workspace.state))
  const revoked = keyPath === null ? new Map<string, string>() : await revokedKeys(keyPath)
  const stamping = workspace?.timestamp ?? null
  const ownAuthority = stamping?.certificate == null ? null : await authorityIn(stamping.certificate)
  /**
   * Where `--key` names keys, no others count. The keys of a workspace prove nothing about what others published;
   * where they are lost, no key counts for the workspace's own snapshots.
   */
  const optionsFor = (isOurs: boolean): VerifyOptions => ({
    ...options,
    revoked,
    isOurs: isOurs && named === null,
    authority: options.authority ?? (isOurs ? ownAuthority : null),
    expectsStamps: isOurs && stamping !== null,
    known: named ?? (isOurs ? (own ?? new Set()) : null),
  })
  if (root !== null && asked !== undefined && isName(asked)) {
    const { companyFolder } = await import('../builder/snapshot/files/layout.ts')
    if ((await folderKind(companyFolder(root, asked))) === 'company')
      return verifyCompanies(root, [asked], optionsFor(true))
  }
  const folder = asked ?? root ?? from
  const { isArchive, verifyArchive } = await import('../builder/evidence/verify/archive.ts')
  if (await isArchive(folder)) return verifyArchive(resolve(folder), optionsFor(false))
  const kind = await folderKind(folder)
  if (kind !== null) return verifyFolder(folder, kind, optionsFor(root !== null && isBelow(root, folder)))
  if (asked === undefined && root !== null)
    throw new UsageError('nothing is published yet; next: tieout build')
  throw new UsageError(
    `"${folder}" is neither a company with snapshots nor a folder or archive that holds any; name the folder of a snapshot, of a company, or of all companies, or an archive of "tieout archive"`,
  )
}

/** The workspace around the folder; null where there is none. */
async function workspaceAt(from: string): Promise<Workspace | null> {
  const { openWorkspace } = await import('../builder/workspace/workspace.ts')
  try {
    return openWorkspace(from)
  } catch (problem) {
    if (problem instanceof FindingsError && problem.findings.every(({ code }) => code === 'no-workspace'))
      return null
    throw problem
  }
}

async function authorityIn(path: string) {
  const { readAuthority } = await import('../builder/snapshot/keys/fetch-stamps.ts')
  return readAuthority(path)
}

async function keysIn(path: string): Promise<string[]> {
  if (!existsSync(path)) throw new UsageError(`there is no file ${path}`)
  const { publicKeys } = await import('../builder/snapshot/keys/key-file.ts')
  return (await publicKeys(path)).map(({ kid }) => kid)
}

const isBelow = (root: string, folder: string): boolean => !relative(root, resolve(folder)).startsWith('..')

export function verificationText(found: Verification, terminal: Terminal): string {
  const { paint, width } = terminal
  const rows = found.companies.flatMap((company) =>
    company.snapshots.map((snapshot) => ({
      ...snapshot,
      company: company.company,
      current: company.current,
    })),
  )
  const damages = rows.reduce((sum, row) => sum + row.damages.length, 0)
  const others = [...found.companies, ...(found.archive ? [found.archive] : [])].reduce(
    (sum, { damages }) => sum + damages.length,
    0,
  )
  const published = `${plural(rows.length, 'snapshot is', 'snapshots are')} as published`
  const unproven = rows.filter((row) => row.unproven.length > 0).length
  const otherwise = rows.filter(({ readings }) => readings.length > 0).length
  const verdicts: Record<VerificationOutcome, string> = {
    verified: `${paint.green('Verified')}: ${published}${rows.every(({ recomputed }) => recomputed) ? ', and every figure follows from the books' : ''}${uncomparedText(found.archive)}.`,
    'read-otherwise': `${paint.yellow('Read otherwise')}: ${published}; ${plural(otherwise, 'was', 'were')} made by another version of the program, and this one computes some of their figures otherwise: that is its reading, no damage. The version that published them verifies them.`,
    unproven: `${paint.yellow('Not proven')}: ${published}, and every figure follows from the books${unproven > 0 ? `; of ${plural(unproven, 'snapshot', 'snapshots')} something can be neither confirmed nor refuted` : ''}${uncomparedText(found.archive)}.`,
    damaged: `${paint.red('Damaged')}: ${plural(damages + others, 'thing is', 'things are')} not as published.`,
  }
  return [
    ...(found.archive ? [wrap(archiveText(found.archive), width), ''] : []),
    tableText(
      rows,
      [
        { title: 'Company', of: ({ company }) => visible(company) },
        { title: 'Snapshot', of: ({ snapshotId }) => visible(snapshotId) },
        { title: 'Files', of: ({ files }) => count(files), right: true },
        { title: 'Computed again', of: computedText, right: true },
        { title: 'Signed by', of: ({ keyId }) => keyId?.slice(0, 8) ?? 'nobody' },
        { title: 'Comparisons', of: ({ recomputed }) => count(recomputed?.comparisons ?? 0), right: true },
        {
          title: 'Result',
          of: resultOf,
          colour: (row) =>
            ({ 'as published': paint.green, 'read otherwise': paint.yellow, damaged: paint.red })[
              resultOf(row)
            ],
        },
      ],
      terminal,
    ),
    '',
    ...(found.archive ? archiveRemarks(found.archive, terminal) : []),
    ...found.companies.flatMap((company) => remarks(company, terminal)),
    wrap(verdicts[found.outcome], width),
  ].join('\n')
}

/** Files that could not be proved are named beside the result. */
const uncomparedText = (archive: VerifiedArchive | undefined): string =>
  archive && archive.uncompared.length > 0 ? `; not proved: ${archive.uncompared.join(', ')}` : ''

const resultOf = ({ damages, readings }: VerifiedSnapshot) =>
  damages.length > 0 ? 'damaged' : readings.length > 0 ? 'read otherwise' : 'as published'

const computedText = ({ recomputed }: VerifiedSnapshot): string =>
  recomputed ? plural(recomputed.documents, 'document') : 'no'

/** Rows shown for one snapshot without --verbose. */
const LISTED = 20

const archiveText = ({ path, kind, bagItVersion, payload }: VerifiedArchive): string =>
  `The ${kind} ${visible(path)}${bagItVersion === null ? '' : `, BagIt ${bagItVersion}`}: ${plural(payload.files, 'file')} of ${count(payload.bytes)} bytes`

type Label = 'damage' | 'differs' | 'unproven' | 'note'
type Line = (label: Label, where: string, message: string) => string

const lineOf =
  ({ paint, width }: Terminal): Line =>
  (label, where, message) =>
    `${(label === 'damage' ? paint.red : paint.yellow)(label.padEnd(8))} ${wrap(`${visible(where)}: ${visible(message)}`, width, 9)}`

function damageLines(
  where: string,
  damages: readonly Damage[],
  terminal: Terminal,
  label: Label = 'damage',
): string[] {
  const line = lineOf(terminal)
  const shown = terminal.verbose ? damages : damages.slice(0, LISTED)
  const more = damages.length - shown.length
  return [
    ...shown.map(({ message }) => line(label, where, message)),
    ...(more > 0 ? [line(label, where, `and ${count(more)} more (--verbose lists them)`)] : []),
  ]
}

function archiveRemarks({ damages, notes }: VerifiedArchive, terminal: Terminal): string[] {
  const lines = [
    ...damageLines('the bag', damages, terminal),
    ...notes.map((note) => lineOf(terminal)('note', 'the bag', note)),
  ]
  return lines.length > 0 ? [...lines, ''] : []
}

function remarks(company: VerifiedCompany, terminal: Terminal): string[] {
  const groups = [
    { where: company.company, damages: company.damages },
    ...company.snapshots.map(({ snapshotId, damages }) => ({
      where: `${company.company} ${snapshotId}`,
      damages,
    })),
  ]
  const lines = [
    ...groups.flatMap(({ where, damages }) => damageLines(where, damages, terminal)),
    ...company.snapshots.flatMap(({ snapshotId, unproven }) =>
      unproven.map((why) => lineOf(terminal)('unproven', `${company.company} ${snapshotId}`, why)),
    ),
    ...company.snapshots.flatMap(({ snapshotId, readings }) =>
      damageLines(`${company.company} ${snapshotId}`, readings, terminal, 'differs'),
    ),
  ]
  const notes = [...company.notes, ...company.snapshots.flatMap(({ notes }) => notes)].map((note) =>
    lineOf(terminal)('note', company.company, note),
  )
  return lines.length + notes.length > 0 ? [...lines, ...notes, ''] : []
}
