/** The ids of SIE vouchers in the books: readable, and unique over all files of an entry. */
import { type FiscalYear, yearLabel } from '../../format/intake.ts'
import { doubtful, type NamedVoucher, referenceOf } from './numbers.ts'
import type { SieFile } from './records.ts'

/** `2011 B 12`, where the year's label is `2011`; the label alone where the voucher has neither series nor number. */
export const plainId = (label: string, reference: string): string =>
  reference === '' ? label : `${label} ${reference}`

/** Of each file the line of a voucher → its id, where that is not the plain one. */
export type GivenIds = ReadonlyMap<SieFile, ReadonlyMap<number, string>>

/** The plain id of a voucher; where that repeats in any file, with the date, then counted in the order of the files. */
export function givenIds(years: readonly { readonly file: SieFile; readonly year: FiscalYear }[]): GivenIds {
  const given: GivenIds & Map<SieFile, Map<number, string>> = new Map()
  // Ids of years with different labels differ.
  for (const label of new Set(years.map(({ year }) => yearLabel(year)))) {
    const files = years.filter(({ year }) => yearLabel(year) === label).map(({ file }) => file)
    for (const [file, ids] of idsOf(label, doubtful(files))) given.set(file, ids)
  }
  return given
}

function idsOf(
  label: string,
  vouchers: ReadonlyMap<SieFile, readonly NamedVoucher[]>,
): Map<SieFile, Map<number, string>> {
  const counts = new Map<string, number>()
  for (const voucher of [...vouchers.values()].flat()) {
    const id = plainId(label, referenceOf(voucher))
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const given = new Set<string>()
  const last = new Map<string, number>()
  const idOf = (id: string, date: string): string => {
    const dated = counts.get(id) === 1 && id !== label ? id : `${id} ${date}`
    let unique = dated
    for (let n = last.get(dated) ?? 2; given.has(unique); n++) {
      unique = `${dated} (${n})`
      last.set(dated, n)
    }
    given.add(unique)
    return unique
  }
  const ids = new Map<SieFile, Map<number, string>>()
  for (const [file, own] of vouchers) {
    const others = new Map<number, string>()
    for (const voucher of own) {
      const plain = plainId(label, referenceOf(voucher))
      const id = idOf(plain, voucher.date)
      if (id !== plain) others.set(voucher.line, id)
    }
    ids.set(file, others)
  }
  return ids
}
