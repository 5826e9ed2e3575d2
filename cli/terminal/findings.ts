/** Formats findings for people: by file and row, with the text found, what is wrong and what to fix. */
import { basename, isAbsolute, join, relative } from 'node:path'
import { type Finding, SEVERITIES, spelledOut } from '../../builder/workspace/findings/finding.ts'
import { isTableAddress } from '../../builder/workspace/table-address.ts'
import { visible } from './money.ts'
import { count, plural, type Terminal, wrap } from './terminal.ts'

/** How many findings of one code are shown; the rest is counted. */
const MOST_SHOWN = { error: 100, warning: 20, note: 20 }
const LABEL_WIDTH = 9

/**
 * The text of findings. Their files are relative to `folder`, and are shown as paths that can be opened from the
 * current folder; a finding without a file stands under the folder's name.
 */
export function findingsText(
  findings: readonly Finding[],
  terminal: Pick<Terminal, 'paint' | 'width' | 'verbose'>,
  folder?: string,
): string {
  const shown = terminal.verbose ? findings : firstOfEachCode(findings)
  const blocks = [...byFile(shown)].map(([file, found]) => {
    const path = placeOfFile(file, folder)
    return found.map((finding) => findingText(finding, path, terminal)).join('\n')
  })
  return [...blocks, ...omitted(findings, shown, terminal)].join('\n\n')
}

function placeOfFile(file: string, folder: string | undefined): string {
  if (isTableAddress(file)) return file
  if (isAbsolute(file)) return fromHere(file)
  if (folder === undefined) return file
  return file === '' ? basename(folder) : fromHere(join(folder, file))
}

/** The path relative to the current folder where it lies below that, else in full. */
export function fromHere(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short
}

/** `2 errors, 14 warnings` */
export function countsText(findings: readonly Finding[]): string {
  const parts = SEVERITIES.flatMap((each) => {
    const found = findings.filter(({ severity }) => severity === each).length
    return found > 0 ? [plural(found, each)] : []
  })
  return parts.join(', ') || 'no findings'
}

function firstOfEachCode(findings: readonly Finding[]): Finding[] {
  const seen = new Map<string, number>()
  return findings.filter(({ code, severity }) => {
    const nth = (seen.get(code) ?? 0) + 1
    seen.set(code, nth)
    return nth <= MOST_SHOWN[severity]
  })
}

/** The findings of each file in the order of rows; files in the order of their first finding. */
function byFile(findings: readonly Finding[]): Map<string, Finding[]> {
  const files = new Map<string, Finding[]>()
  for (const finding of findings) {
    const file = finding.file ?? ''
    const group = files.get(file)
    if (group) group.push(finding)
    else files.set(file, [finding])
  }
  for (const group of files.values()) group.sort((a, b) => (a.row ?? 0) - (b.row ?? 0))
  return files
}

function findingText(
  finding: Finding,
  path: string,
  { paint, width }: Pick<Terminal, 'paint' | 'width'>,
): string {
  const { severity, row, column, text, message, remedy, code } = spelledOut(finding)
  const label = (name: string, colour: (text: string) => string) => `${colour(name.padEnd(LABEL_WIDTH))}`
  const line = (value: string) => wrap(value, width, LABEL_WIDTH)
  const place = [
    ...(path === '' ? [] : [row === null ? path : `${path}:${row}`]),
    ...(column === null ? [] : [`column ${column}`]),
  ].join(', ')
  const named = `${message} ${paint.dim(`[${code}]`)}`
  const severe = label(severity, { error: paint.red, warning: paint.yellow, note: paint.dim }[severity])
  const lines = [
    ...(place === '' ? [] : [severe + paint.bold(line(place))]),
    `${place === '' ? severe : ' '.repeat(LABEL_WIDTH)}${line(named)}`,
    // The message says that a cell is blank; the blank itself is not shown.
    ...(text === null || text.trim() === '' ? [] : [label('  found', paint.dim) + line(visible(text))]),
    ...(remedy === null ? [] : [label('  to fix', paint.dim) + line(remedy)]),
  ]
  return lines.join('\n')
}

function omitted(
  findings: readonly Finding[],
  shown: readonly Finding[],
  { paint, width }: Pick<Terminal, 'paint' | 'width'>,
): string[] {
  const left = new Map<string, number>()
  for (const { code } of findings) left.set(code, (left.get(code) ?? 0) + 1)
  for (const { code } of shown) left.set(code, (left.get(code) ?? 0) - 1)
  const parts = [...left].filter(([, rest]) => rest > 0).map(([code, rest]) => `${count(rest)} more ${code}`)
  return parts.length === 0 ? [] : [paint.dim(wrap(`and ${parts.join(', ')}; --verbose shows all`, width))]
}
