/** What differs between two documents of figures, statements or metrics: by row and month. */

export interface Change {
  /** AccountId of a line, Name of a total, NonFinancialId of a metric. */
  readonly row: string
  /** As people know it: `4010 Sales`. */
  readonly name: string
  readonly total: boolean
  readonly month: string
  /** Null where the document states none. */
  readonly before: number | null
  readonly now: number | null
}

interface Row {
  readonly AccountId?: string
  readonly AccountNumber?: string | null
  readonly AccountName?: string
  readonly NonFinancialId?: string
  readonly Name?: string
  readonly Values: readonly (number | null)[]
}

interface FigureDocument {
  readonly Periods: readonly { readonly Month: string }[]
  readonly Data: readonly Row[]
  readonly Summary?: readonly Row[]
}

/** Every changed figure, in the order of the rows and months; null where one of the texts holds no figures. */
export function changesBetween(before: string, now: string): Change[] | null {
  const [old, young] = [parse(before), parse(now)]
  if (!old || !young) return null
  const [left, right] = [figuresOf(old), figuresOf(young)]
  const changes: Change[] = []
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const [was, is] = [left.get(key), right.get(key)]
    const { row, name, total } = (is ?? was)!
    const months = new Set([...(was?.values.keys() ?? []), ...(is?.values.keys() ?? [])])
    for (const month of [...months].sort()) {
      const [a, b] = [was?.values.get(month) ?? null, is?.values.get(month) ?? null]
      if (a !== b) changes.push({ row, name, total, month, before: a, now: b })
    }
  }
  return changes
}

interface Figures {
  readonly row: string
  readonly name: string
  readonly total: boolean
  readonly values: ReadonlyMap<string, number | null>
}

function figuresOf({ Periods, Data, Summary = [] }: FigureDocument): Map<string, Figures> {
  const months = Periods.map(({ Month }) => Month)
  const entry = (row: Row, total: boolean): [string, Figures] => {
    const id = row.AccountId ?? row.NonFinancialId ?? row.Name ?? ''
    const name = [row.AccountNumber, row.AccountName ?? row.Name].filter(Boolean).join(' ') || id
    const values = new Map(months.map((month, i) => [month, row.Values[i] ?? null]))
    return [`${total} ${id}`, { row: id, name, total, values }]
  }
  return new Map([...Data.map((row) => entry(row, false)), ...Summary.map((row) => entry(row, true))])
}

function parse(text: string): FigureDocument | null {
  try {
    const found = JSON.parse(text) as Partial<FigureDocument>
    return Array.isArray(found.Periods) && Array.isArray(found.Data) ? (found as FigureDocument) : null
  } catch {
    return null
  }
}
