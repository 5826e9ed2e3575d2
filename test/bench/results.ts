/** What a benchmark found: a figure, its target, and the reference that was measured beside it in the same run. */
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

export interface Result {
  readonly part: string
  readonly name: string
  readonly value: number
  readonly unit: string
  /** `≤ 4`, `≥ 0.9`; null where the figure is only told. */
  readonly target: string | null
  /** What it is compared with, measured in the same run. */
  readonly reference?: { readonly name: string; readonly value: number; readonly unit: string }
}

const FILE = fileURLToPath(new URL('results.json', import.meta.url))

export function isMet({ value, target }: Result): boolean | null {
  const [, sign, bound] = /^([≤≥]) ([\d.]+)$/.exec(target ?? '') ?? []
  if (bound === undefined) return null
  return sign === '≤' ? value <= Number(bound) : value >= Number(bound)
}

const figure = (value: number): string =>
  Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))

export function tableOf(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const { part, name, value, unit, target, reference } = result
    const met = isMet(result)
    return [
      part,
      name,
      `${figure(value)} ${unit}`.trim(),
      target ?? '',
      met === null ? '' : met ? 'met' : 'MISSED',
      reference ? `${reference.name}: ${figure(reference.value)} ${reference.unit}`.trim() : '',
    ]
  })
  const head = ['Part', 'What', 'Measured', 'Target', '', 'Beside it, in the same run']
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)))
  return [head, widths.map((width) => '-'.repeat(width)), ...rows]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The latest results of each part; parts that did not run keep theirs. */
export function writeResults(results: readonly Result[], before: readonly Result[]): void {
  const parts = new Set(results.map(({ part }) => part))
  const machine = {
    cpu: cpus()[0]?.model ?? '',
    cores: cpus().length,
    memory: totalmem(),
    node: process.version,
  }
  const all = [...before.filter(({ part }) => !parts.has(part)), ...results]
  const lines = all.map((result) => `    ${JSON.stringify({ ...result, met: isMet(result) })}`)
  writeFileSync(
    FILE,
    `{\n  "machine": ${JSON.stringify(machine)},\n  "results": [\n${lines.join(',\n')}\n  ]\n}\n`,
  )
}

export const RESULTS_FILE = FILE

export const median = (values: readonly number[]): number => quantile(values, 0.5)

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!
}
