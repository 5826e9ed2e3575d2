/**
 * Builds a snapshot again from the sources kept with it, to compare it with the published one. Its documents are compared
 * as they are made; its books are written into a temporary folder.
 */
import { chmodSync, constants, copyFileSync, lstatSync, mkdirSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { makeBooks } from '../../books/books.ts'
import { rulesOfFormat } from '../../books/post/accounting-rules.ts'
import { writeBooks } from '../../books/store/store.ts'
import type { OpenMember } from '../../build/group/members.ts'
import type { Rounding } from '../../build/group/stated.ts'
import { countsOf, manifestBodyOf, type SourceBody } from '../../build/manifest-body.ts'
import { configurationOf, inputEntries } from '../../build/provenance.ts'
import { andMore } from '../../contract/listed.ts'
import { present } from '../../contract/present.ts'
import { databaseFor } from '../../database/database.ts'
import { bookFiles } from '../../ingest/format/intake.ts'
import type { ExtraColumn } from '../../ingest/format/ledger-columns.ts'
import { ingest, type ReadMembers } from '../../ingest/ingest.ts'
import { withSettingLines } from '../../ingest/setting-lines.ts'
import { roundsByEntry } from '../../snapshot/closing/rules.ts'
import { memberOf, membersNamed } from '../../snapshot/files/input-state.ts'
import { BOOKS, inputPath } from '../../snapshot/files/layout.ts'
import { fileOf, type Manifest } from '../../snapshot/files/manifest.ts'
import { memberFolder } from '../../snapshot/files/member-snapshots.ts'
import { openSnapshotIn } from '../../snapshot/files/open.ts'
import { MODES } from '../../system/effects.ts'
import { sha256OfFile } from '../../system/hash.ts'
import type { Sharing } from '../../system/machine.ts'
import { scratchFolder } from '../../system/scratch-folder.ts'
import { type Company, companyId } from '../../workspace/company.ts'
import { type Finding, hasErrors } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE, datasetFolder, readCompany, type Workspace } from '../../workspace/workspace.ts'
import { documentsOf, type SoundSnapshot } from './recompute.ts'

/** What the kept sources make; {@link Rebuilt.dispose} removes its folder. */
export interface Rebuilt {
  readonly company: Company
  readonly body: SourceBody
  /** The paths of all documents. */
  readonly documents: ReadonlySet<string>
  /** By path: the texts of documents that differ from the published ones. */
  readonly differing: ReadonlyMap<string, string>
  /** The folder that holds the books as a snapshot does. */
  readonly folder: string
  dispose(): Promise<void>
}

/**
 * Why the kept sources make no snapshot: they are not the files that were read, or cannot be read any more.
 */
interface NotRebuilt {
  readonly problem: string
  /** Whether something is not here that no manifest promises, so that nothing is wrong. */
  readonly isAbsent?: boolean
}

/**
 * Builds the snapshot in `folder` again. `inputs` is the folder that holds the company's `inputs/`; `lockDate` gives the
 * day (YYYY-MM-DD) through which its books were closed, null where none; `isKept` as in {@link writeBooks}. The result must be
 * disposed of.
 */
export async function rebuild(
  { manifest, folder }: Pick<SoundSnapshot, 'manifest' | 'folder'>,
  inputs: string,
  sharing: Sharing,
  lockDate: (company: Company) => string | null,
  isKept?: (column: ExtraColumn) => boolean,
): Promise<Rebuilt | NotRebuilt> {
  const { path: scratch, remove } = scratchFolder('sources')
  const dispose = async () => remove()
  try {
    const made =
      (await placeSources(manifest, inputs, datasetsIn(scratch))) ??
      (await rebuildIn(manifest, folder, scratch, sharing, lockDate, isKept))
    if ('problem' in made) await dispose()
    return 'problem' in made ? made : { ...made, dispose }
  } catch (problem) {
    await dispose()
    throw problem
  }
}

/** A datasets folder for this one company. */
const datasetsIn = (scratch: string) => ({ datasets: join(scratch, 'datasets') })

/** The path is that of another source, leads through one, or is longer than the disk takes. */
const NOT_PLACED: readonly string[] = ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']

/** Copies each source to its path in the company's folder; null where all of them are sound. */
export async function placeSources(
  { CompanyId, Inputs }: Manifest,
  inputs: string,
  workspace: Pick<Workspace, 'datasets'>,
): Promise<NotRebuilt | null> {
  const own = Inputs.filter((input) => memberOf(input) === null)
  const files = new Map(own.map((input) => [fileOf(input), input]))
  // Checked because the id becomes the name of a folder.
  if (!companyId.safeParse(CompanyId).success) return { problem: `"${CompanyId}" is not a company id` }
  if (!files.has(COMPANY_FILE)) return { problem: `${COMPANY_FILE} is not among its sources` }
  for (const [file, { Sha256: hash, Bytes }] of files) {
    // A forged manifest may name any path; a source must lie inside the company's folder.
    if (hash === null) return { problem: `no copy of ${file} was kept` }
    if (posix.isAbsolute(file) || /[\\\0]|(^|\/)\.{0,2}(\/|$)/.test(file))
      return { problem: `"${file}" is not a file in a company's folder` }
    const from = inputPath(inputs, hash)
    const found = lstatSync(from, { throwIfNoEntry: false })
    // Nothing would end the copying of a pipe, or of a link to a device.
    if (!found?.isFile()) return { problem: `the kept ${file} is missing` }
    if (found.size !== Bytes)
      return { problem: `the kept ${file} has ${found.size} bytes, and ${Bytes} were read` }
    const to = join(datasetFolder(workspace, CompanyId), file)
    try {
      mkdirSync(dirname(to), { recursive: true })
      // A disk may take two names for one, by their letters' case or accents: neither is written over.
      copyFileSync(from, to, constants.COPYFILE_EXCL)
    } catch (problem) {
      if (!NOT_PLACED.includes((problem as NodeJS.ErrnoException).code ?? '')) throw problem
      return { problem: `"${file}" cannot lie in the company's folder beside its other sources` }
    }
    chmodSync(to, MODES.file)
    if ((await sha256OfFile(to)) !== hash)
      return { problem: `the kept ${file} is not the file that was read` }
  }
  return null
}

async function rebuildIn(
  manifest: Manifest,
  published: string,
  scratch: string,
  sharing: Sharing,
  lockDate: (company: Company) => string | null,
  isKept?: (column: ExtraColumn) => boolean,
): Promise<Omit<Rebuilt, 'dispose'> | NotRebuilt> {
  const { Format, CompanyId, Configuration, Files, Tool } = manifest
  const sources = datasetFolder(datasetsIn(scratch), CompanyId)
  const { value: company, findings: refused } = readCompany(datasetsIn(scratch), CompanyId)
  if (company === null) return notRebuilt(refused)
  const members = new Map(membersNamed(manifest).map((member) => [member.company, member]))
  const open: OpenMember = async (id) => {
    const member = present(members.get(id), 'snapshot of a member')
    const place = memberFolder(published, member)
    return place === null ? null : openSnapshotIn(place, id, member.snapshotId, member.manifestHash)
  }
  const { group } = company
  // A member that belongs to the group in no month of it is not named, but its settings count.
  const unnamed = group?.members.find((member) => !members.has(member.company))
  if (unnamed)
    return {
      problem: `its manifest does not name what ${unnamed.company}, a member, had published`,
      isAbsent: true,
    }
  const rounding: Rounding = roundsByEntry(Tool.Rules) ? 'by entry' : 'by account'
  const place = { folder: sources, open, resources: databaseFor(sharing), rounding }
  const readMembers: ReadMembers | null = group
    ? async (chart, scratch) =>
        (await import('../../build/group/group.ts')).readGroup(company, group, place, chart, scratch)
    : null
  const intake = await ingest(company, sources, null, readMembers)
  try {
    const loaded = await makeBooks(
      company,
      intake,
      databaseFor(sharing),
      lockDate(company),
      null,
      rulesOfFormat(Format),
    )
    const findings = withSettingLines(loaded.findings, sources)
    if (loaded.books === null) return notRebuilt(findings)
    const { books } = loaded
    const keeps = Configuration?.KeepInputs ?? true
    const reading = {
      Inputs: inputEntries(company, intake, loaded, keeps),
      Configuration: configurationOf(company, keeps),
    }
    intake.forgetFigures()
    try {
      const folder = join(scratch, 'snapshot')
      mkdirSync(join(folder, BOOKS), { recursive: true })
      await writeBooks(books, join(folder, BOOKS), bookFiles(intake), isKept)
      const hashes = new Map(Files.map(({ Path, Sha256 }) => [Path, Sha256]))
      const { made, computed, differing } = await documentsOf(books, hashes, sharing)
      const all = [...findings, ...made.findings]
      if (hasErrors(all)) return notRebuilt(all)
      const body = manifestBodyOf(books.frame, reading, {
        Format,
        Totals: { ...(await countsOf(books)), Documents: computed.size },
        TieOuts: made.tieOuts,
        ControlsAgreed: loaded.controlsAgreed,
        Warnings: all,
      })
      return { company, body, documents: computed, differing, folder }
    } finally {
      books.db.close()
    }
  } finally {
    await intake.dispose()
  }
}

/** The first error, with the number of further ones. */
function notRebuilt(findings: readonly Finding[]): NotRebuilt {
  const [first, ...others] = findings.filter(({ severity }) => severity === 'error')
  const place = first?.file ? `${first.file}${first.row === null ? '' : `:${first.row}`}: ` : ''
  return { problem: `${place}${first?.message ?? 'they cannot be read'}${andMore(others.length)}` }
}
