/** What verification found to be damaged, wherever it lies. */
import type { Verification } from '../../builder/evidence/verify/verify.ts'

/** Of the archive, of companies and of their snapshots. */
export const damagesIn = ({ archive, companies }: Verification) => [
  ...(archive?.damages ?? []),
  ...companies.flatMap(({ damages, snapshots }) => [
    ...damages,
    ...snapshots.flatMap((each) => each.damages),
  ]),
]

/** A line for each. */
export const messagesIn = (found: Verification): string =>
  damagesIn(found)
    .map(({ message }) => message)
    .join('\n')
