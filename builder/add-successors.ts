/**
 * Exports that take the place of earlier ones: programs and browsers give the next year to date another name, `General
 * Ledger (1).csv`. Beside the file before it, its entries would count twice.
 */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Item } from './add-settings.ts'
import type { Covered, Format, SourceFile, Stated } from './ingest/format.ts'
import { formatOf } from './ingest/formats.ts'
import { lookAt } from './ingest/look.ts'
import { scanFile } from './ingest/scan.ts'
import { error, type Finding } from './workspace/finding.ts'

export interface Succession {
  /** Files of the company's folder whose place the new ones take, by the new one's target. */
  readonly instead: ReadonlyMap<string, readonly string[]>
  readonly findings: readonly Finding[]
}

/** Which files that are there already the new ones hold anew. Only where both say which days they cover. */
export async function successions(
  items: readonly Item[],
  folder: string,
  { company, replace, stated }: { company: string; replace: boolean; stated: Stated },
): Promise<Succession> {
  const findings: Finding[] = []
  const instead = new Map<string, string[]>()
  const targets = new Set(items.map(({ to }) => to))
  for (const { from, to, known } of items) {
    if (known.kind !== 'format') continue
    const { format, source } = known
    const new_ = await coveredBy(format, source, stated)
    for (const { file, covers } of await filesOf(format, folder, targets, source.scan.sha256, stated)) {
      if (!new_.some((a) => covers.some((b) => overlap(a, b)))) continue
      const [held, holds] = [daysOf(covers), daysOf(new_)]
      const isWhole = holds.start <= held.start && held.end <= holds.end
      if (isWhole && replace) instead.set(to, [...(instead.get(to) ?? []), file])
      else
        findings.push(
          error(
            'period-there-already',
            `${basename(from)} holds entries of ${holds.start} to ${holds.end}; ${file}, which is there, those of ${held.start} to ${held.end}: they would count twice`,
            {
              file: basename(from),
              text: file,
              remedy: isWhole
                ? `if it is the newer export of the same books, put it in the place of the other: tieout add ${company} ${quoted(from)} --replace`
                : 'export a period that begins after the other file ends, or all of it in one file',
            },
          ),
        )
    }
  }
  return { instead, findings }
}

async function filesOf(
  format: Format,
  folder: string,
  except: ReadonlySet<string>,
  sha256: string,
  stated: Stated,
): Promise<{ readonly file: string; readonly covers: readonly Covered[] }[]> {
  const place = join(folder, format.place.folder)
  if (!existsSync(place)) return []
  const found: { file: string; covers: readonly Covered[] }[] = []
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    const file = `${format.place.folder}${entry.name}`
    if (!entry.isFile() || except.has(file)) continue
    const path = join(place, entry.name)
    const scan = await scanFile(path)
    // The same bytes under another name are told of by the build, as one file that stands there twice.
    if (scan.bytes === 0 || scan.sha256 === sha256) continue
    const look = await lookAt(path, file, scan)
    if (formatOf(look) !== format) continue
    found.push({ file, covers: await coveredBy(format, { file, path, scan, look }, stated) })
  }
  return found
}

const coveredBy = async (format: Format, source: SourceFile, stated: Stated): Promise<readonly Covered[]> =>
  (await format.survey([source], stated)).covers

const overlap = (a: Covered, b: Covered): boolean =>
  a.start <= b.end &&
  b.start <= a.end &&
  (a.holds === null || b.holds === null || [...a.holds].some((each) => b.holds?.has(each)))

const daysOf = (covers: readonly Covered[]): { start: string; end: string } => ({
  start: covers.map(({ start }) => start).sort()[0]!,
  end: covers
    .map(({ end }) => end)
    .sort()
    .at(-1)!,
})

const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
