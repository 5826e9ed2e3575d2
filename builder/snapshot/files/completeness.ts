/**
 * What a manifest says of the completeness and accuracy of each source (AS 1105.10, ISA 500.9), for the certificate, the first page of
 * an archive and workbooks.
 */
import { displayDecimal } from '../../contract/currency.ts'
import { stateText } from './input-state.ts'
import { fileOf, type InputEntry, keptInputs, type Manifest } from './manifest.ts'

export type SourceFact = readonly [what: string, value: string]

/** Facts about one source, in the order in which an auditor asks. What the manifest does not state is left out. */
export function sourceFacts({ Inputs, Warnings }: Manifest, input: InputEntry): SourceFact[] {
  const {
    File,
    Role,
    Format,
    Encoding,
    Stated = [],
    Numbers = [],
    Report,
    RowsRead,
    RowsRejected,
    Values,
    Figures = 0,
  } = input
  const own = Warnings.filter(({ file }) => file === File || file === fileOf(input))
  const said = (codes: RegExp) => own.filter(({ code }) => codes.test(code)).map(({ message }) => message)
  const gaps = said(/-gap$|-repeat$/)
  const left = said(/left-out|skipped|outside|not-in-statements|left-behind/)
  const others = Role === 'ledger' ? Inputs.filter((each) => each.Report !== undefined) : []
  const fact = (what: string, value: string | null | undefined): SourceFact[] =>
    value == null || value === '' ? [] : [[what, value]]
  return [
    ['Read as', [Role, Report, Format, Encoding].filter((each) => each).join(', ')],
    ...fact(Role === 'configuration' ? 'Questions answered by' : 'States of itself', Stated.join('; ')),
    ['Rows', `${count(RowsRead)} read, ${count(RowsRejected)} rejected`],
    ...fact('Left out', left.join('; ')),
    ...fact('Debits', input.Debit && displayDecimal(input.Debit)),
    ...fact('Credits', input.Credit && displayDecimal(input.Credit)),
    ...fact('Postings', postings(input)),
    ...fact('First and last date', input.FirstDate && `${input.FirstDate} to ${input.LastDate}`),
    ...fact('Numbers', [...Numbers, ...gaps].join('; ')),
    ...fact('Values', Values ? `${count(Values)}, sum ${input.Total}` : null),
    ...fact('Figures', Report && `${count(Figures)}, all agree with the books`),
    ...fact(
      'Agrees with',
      others.map((each) => `${each.Report} (${each.File}): ${count(each.Figures ?? 0)} figures`).join('; '),
    ),
    ['State', stateText(input)],
    ['Kept', input.Kept ? 'yes, in inputs/ under its hash' : 'no'],
  ]
}

const count = (n: number): string => displayDecimal(String(n))

const postings = ({ Postings, PostedDebit = '0', PostedCredit = '0' }: InputEntry): string | null =>
  Postings === undefined
    ? null
    : `${count(Postings)}, debits ${displayDecimal(PostedDebit)}, credits ${displayDecimal(PostedCredit)}; other rows are opening balances`

/** Whether the sources are kept, for whoever has only a copy of the snapshot. */
export function keptText(manifest: Manifest): string {
  const files = new Set(manifest.Inputs.map(fileOf)).size
  const kept = keptInputs(manifest).length
  return kept === 0
    ? 'not kept with the snapshot: their hashes alone. "keepInputs: true" in tieout.yaml keeps those of the next snapshots'
    : `${kept} of ${files} files kept, under their hashes in inputs/`
}
