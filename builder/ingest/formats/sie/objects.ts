/** Objects that stand on figures which a SIE file states, but on none of its vouchers. */
import type { SieBalance, SieFile } from './records.ts'

const key = (dimension: string, id: string): string => JSON.stringify([dimension, id])

/**
 * The file without objects "0" that are neither declared nor on a voucher: programs write {"1" "0"} for what carries no
 * object of dimension 1. What has no object is what the other shares leave of the total.
 */
export function withoutNobody(file: SieFile): SieFile {
  const isZero = (id: string) => /^0+$/.test(id)
  if (!file.balances.some(({ objects }) => objects.some(({ id }) => isZero(id)))) return file
  const known = new Set([
    ...file.objects.map(({ dimension, id }) => key(dimension, id)),
    ...[...file.uses.dimensions].flatMap(([dimension, { objects }]) =>
      [...objects].map((id) => key(dimension, id)),
    ),
  ])
  const figureOf = ({ label, year, month, account }: SieBalance) =>
    JSON.stringify([label, year, month, account])
  const totals = new Set(file.balances.filter(({ objects }) => objects.length === 0).map(figureOf))
  return {
    ...file,
    balances: file.balances.flatMap((row) => {
      const objects = row.objects.filter(({ dimension, id }) => !isZero(id) || known.has(key(dimension, id)))
      if (objects.length === row.objects.length) return [row]
      // Where a budget has no total, its share without an object is a part of it. Other figures only serve to check the books.
      const isShare = row.label === 'PBUDGET' && !totals.has(figureOf(row))
      return isShare ? [{ ...row, objects }] : []
    }),
  }
}

/**
 * Dimensions whose objects stand on movements or closings, but on no voucher line of any file: balances by object cannot be
 * made of such files. Dimension → the first such figure, and how many there are.
 */
export function balancesOnly(
  files: readonly SieFile[],
): ReadonlyMap<string, { readonly file: string; readonly row: SieBalance; readonly count: number }> {
  const stated = new Map<string, { file: string; row: SieBalance; count: number }>()
  for (const { file, balances } of files) {
    const opened = new Map(balances.map((row) => [keyOf(row, 'OIB'), row.minor]))
    for (const row of balances) {
      const isMoved =
        row.label === 'PSALDO'
          ? row.minor !== 0
          : row.label === 'OUB' && row.minor !== (opened.get(keyOf(row, 'OUB')) ?? 0)
      if (isMoved && row.year === 0)
        for (const { dimension } of row.objects) {
          const known = stated.get(dimension)
          if (known === undefined) stated.set(dimension, { file, row, count: 1 })
          else known.count++
        }
    }
  }
  for (const { uses } of files) for (const dimension of uses.dimensions.keys()) stated.delete(dimension)
  return stated
}

/** Openings and closings of one account and object share a key. */
const keyOf = ({ label, year, account, objects }: SieBalance, of: 'OIB' | 'OUB'): string =>
  label === of ? JSON.stringify([year, account, objects]) : ''
