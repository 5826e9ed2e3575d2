/** Finds the files that company.yaml names, and the commentary and the program's own reports beside it. */
import { lstat, realpath, type Stats, stat as statOf } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join, posix, relative, sep } from 'node:path'
import type { GlobOptions } from 'tinyglobby'
import { byCodePoint } from '../contract/vocabulary.ts'
import { kindOfFile } from '../system/plain-file.ts'
import type { Company } from './company.ts'
import { error, type Finding, type Place } from './findings/finding.ts'
import { groupFiles } from './group.ts'
import { isTableAddress, parseTableAddress, type TableAddress } from './table-address.ts'
import { COMPANY_FILE } from './workspace.ts'

/**
 * The files that match a pattern, relative to the company's folder, in code point order. `key` is the key of company.yaml with
 * the pattern. The folder holds everything from which a snapshot is made, so a pattern that leaves it is an error.
 */
export async function findFiles(
  folder: string,
  pattern: string,
  key: string,
): Promise<{ readonly files: readonly string[]; readonly findings: readonly Finding[] }> {
  const place = { file: COMPANY_FILE, column: key, text: pattern }
  const path = posix.normalize(pattern)
  if (isAbsolute(pattern) || path === '..' || path.startsWith('../'))
    return {
      files: [],
      findings: [
        error('file-outside-folder', `"${pattern}" lies outside the company's folder`, {
          ...place,
          remedy: 'copy the file into the folder and name it relative to company.yaml',
        }),
      ],
    }
  // An existing file is taken by its name, even if the name has characters of patterns: `Chart (2025).csv`.
  const exact = await stat(join(folder, path)).then(
    (found) => found.isFile(),
    () => false,
  )
  if (exact) return { files: [path], findings: [] }
  const wide = tooWide(path, place)
  if (wide !== null) return { files: [], findings: [wide] }
  const { glob } = await import('tinyglobby')
  const all = await glob(path, {
    cwd: folder,
    expandDirectories: false,
    onlyFiles: false,
    fs: WITH_DEAD_LINKS,
  })
  const met = all.filter((each) => !isLeftBehind(posix.basename(each))).sort(byCodePoint)
  const unreadable = await Promise.all(met.map((each) => unreadableFile(folder, path, each)))
  const files = met.filter((each, i) => unreadable[i] === null && !each.endsWith('/'))
  const findings = unreadable.filter((found) => found !== null)
  if (files.length > 0 || findings.length > 0) return { files, findings }
  return {
    files: [],
    findings: [
      error('no-such-file', `there is no file "${pattern}"`, {
        ...place,
        remedy: 'check the name; it is relative to the folder of company.yaml, and capitals count',
      }),
    ],
  }
}

/** No path on a common system is longer. */
const LONGEST_PATTERN = 4096

/**
 * The finding for a pattern with too many wildcards. A name is matched by trying each way in which the wildcards may divide it, and
 * each further wildcard in one part of the path multiplies the ways. Repeated brackets, as in `+(a*)`, multiply them without end.
 */
export function tooWide(pattern: string, place: Place): Finding | null {
  const parts = pattern.split('/')
  const more = parts.reduce((sum, part) => sum + Math.max(0, (part.match(/\*+/g)?.length ?? 0) - 1), 0)
  const folders = parts.filter((part) => part === '**').length
  const braces = pattern.match(/\{/g)?.length ?? 0
  const isShort = pattern.length <= LONGEST_PATTERN
  if (isShort && more <= 3 && folders <= 3 && braces <= 3 && !/[+*!]\(|\([^)]*[+*]|\)\+/.test(pattern))
    return null
  return error('pattern-too-wide', `"${pattern}" is too long, or has too many wildcards, to be looked for`, {
    ...place,
    remedy: 'write more of the names out: up to four "*" in one name and three "**", or name each file',
  })
}

/**
 * All files of this machine from which a snapshot is made: company.yaml, every `files` in it, the logo, the commentary and the controls. Null if
 * a pattern has no match or a mistake.
 */
export async function sourceFiles(company: Company, folder: string): Promise<ReadonlySet<string> | null> {
  const files = new Set([COMPANY_FILE])
  const logo = company.brand?.logo
  for (const pattern of [...patternsIn(company), ...(logo === undefined ? [] : [logo])]) {
    const found = await findFiles(folder, pattern, '')
    if (found.findings.length > 0) return null
    for (const file of found.files) files.add(file)
  }
  for (const file of (await commentaryFiles(folder)).files) files.add(file)
  for (const file of await controlFiles(folder)) files.add(file)
  return files
}

/** The folder of the program's own reports inside a company's folder. */
export const CONTROLS = 'controls'

/** The files in it and in its folders, relative to the company's folder. */
export async function controlFiles(folder: string): Promise<readonly string[]> {
  const top = join(folder, CONTROLS)
  const entries = await readdir(top, { withFileTypes: true, recursive: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && !isLeftBehind(entry.name))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .sort(byCodePoint)
}

/** What people write about the figures of a month. */
export interface CommentaryText {
  /** `YYYY-MM` */
  readonly month: string
  readonly file: string
  readonly text: string
}

/** The folder of commentary inside a company's folder. */
export const COMMENTARY = 'commentary'

/** The commentary files by month, `commentary/2026-03.md`, and other files in that folder; relative to the company's folder. */
export async function commentaryFiles(
  folder: string,
): Promise<{ readonly files: readonly string[]; readonly others: readonly string[] }> {
  const entries = await readdir(join(folder, COMMENTARY), { withFileTypes: true }).catch(() => [])
  const files: string[] = []
  const others: string[] = []
  for (const entry of entries.sort((a, b) => byCodePoint(a.name, b.name)))
    if (!isLeftBehind(entry.name))
      (entry.isFile() && /^\d{4}-(0[1-9]|1[0-2])\.md$/.test(entry.name) ? files : others).push(
        `${COMMENTARY}/${entry.name}`,
      )
  return { files, others }
}

/** The patterns in every `files` of company.yaml: chart, lists, ledger, budgets, metrics, trial balances. */
function patternsIn(company: Company): string[] {
  const ofGroup = company.group === undefined ? [] : groupFiles(company.group)
  return [...Object.values(company), ofGroup].flat().flatMap((setting: unknown) => {
    const files = (setting as { readonly files?: unknown } | null)?.files
    return typeof files === 'string' && !isTableAddress(files) ? [files] : []
  })
}

/** The addresses of tables in buckets that company.yaml names. */
export const tableAddresses = ({ ledger }: Company): TableAddress[] =>
  ledger.flatMap(({ files }) => parseTableAddress(files) ?? [])

/** Whether a file is litter of Windows, macOS or a spreadsheet program, which a pattern never means. */
export const isLeftBehind = (name: string): boolean =>
  /^(~\$.*|\.~lock\..*|\._.*|\.DS_Store|(eh)?thumbs\.db|desktop\.ini)$/i.test(name)

/** The error for a match that is not a file, such as a broken link or a folder with a file's name; it would otherwise go unnoticed. */
async function unreadableFile(folder: string, pattern: string, path: string): Promise<Finding | null> {
  const target = await stat(join(folder, path)).catch(() => null)
  if (target === null)
    return error('unreadable-file', 'is a link to a file that is not there', {
      file: path,
      remedy: 'copy the file itself here, or remove the link',
    })
  // `ledger/*` may match a folder; `ledger/*.csv` is meant for files.
  if (target.isFile() || (target.isDirectory() && !posix.basename(pattern).includes('.'))) return null
  return error('unreadable-file', `is ${kindOfFile(target)}, although it has the name of a file`, {
    file: path.replace(/\/$/, ''),
    remedy: target.isDirectory() ? 'move the files out of it, or rename it' : 'write a file there',
  })
}

/** The search skips broken links. With these functions it takes them for files, so that they are reported. */
const WITH_DEAD_LINKS: NonNullable<GlobOptions['fs']> = {
  realpath: ((path: string, done: (error: null, found: string) => void) =>
    realpath(path, (error, found) => done(null, error ? path : found))) as typeof realpath,
  stat: ((path: string, done: (error: Error | null, found: Stats) => void) =>
    statOf(path, (error, found) => (error ? lstat(path, done) : done(null, found)))) as typeof statOf,
}
