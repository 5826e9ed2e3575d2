/**
 * The first page of an archive: whose figures it holds, from which sources, and how to verify it with the tools of
 * any computer.
 */
import { currencyDecimals, formatMinor } from '../../contract/currency.ts'
import { capitalised } from '../../contract/listed.ts'
import { BASES, STATEMENTS, statementTitle } from '../../contract/vocabulary.ts'
import { keptText, sourceFacts } from '../../snapshot/files/completeness.ts'
import { readPublishedStatement } from '../../snapshot/files/documents.ts'
import { membersNamed } from '../../snapshot/files/input-state.ts'
import { INPUTS, MANIFEST, MEMBERS, SIGNATURE } from '../../snapshot/files/layout.ts'
import { keptInputs, type Manifest } from '../../snapshot/files/manifest.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import { REPORT_PAGE } from './report.ts'
import { type BagVersion, encodePath, PAYLOAD } from './tags.ts'

interface About {
  readonly company: string
  readonly version: BagVersion
  readonly keyId: string | null
}

/** The page about the format, beside this page. */
export const FORMAT_PAGE = 'format.md'
/** Months whose totals the page shows; the documents hold all of them. */
const MONTHS = 3

export async function readmeText(snapshot: Snapshot, about: About): Promise<string> {
  const { manifest, manifestHash, company, id } = snapshot
  const { Coverage, Currency, Totals, Tool, Previous } = manifest
  return [
    heading(`Financial statements of ${plain(about.company)}`),
    ...columns([
      ['Company', `${plain(about.company)} (${company})`],
      ['Snapshot', id],
      ['Coverage', `${Coverage.StartDate} to ${Coverage.EndDate}, ${Currency}`],
      ['Made of', `${Totals.Postings} postings in ${Totals.Transactions} transactions`],
      ['Published', `${manifest.Build.At} by ${Tool.Name} ${Tool.Version}`],
      [
        'Follows',
        Previous ? `${Previous.SnapshotId}, manifest ${Previous.ManifestSha256}` : 'none: the first one',
      ],
      ['Sources', keptText(manifest)],
      ['Manifest', `SHA-256 ${manifestHash}`],
      ['Signed by', about.keyId === null ? 'nobody' : `key ${about.keyId}`],
    ]),
    heading('Totals of the last months'),
    'As published, all classes and departments together. The statements are in',
    `${PAYLOAD}/${id}/statements.`,
    ...(await totalsOf(snapshot)),
    heading('What was checked'),
    'Each identity was compared in every month on every combination; a snapshot in which one of',
    'them does not hold is not published. Left and right: its two sides in the last month.',
    '',
    ...tieOuts(manifest),
    heading('Sources'),
    'Completeness and accuracy of each source; debits and credits are control totals of the rows read.',
    '',
    ...sources(manifest),
    heading('What is in this bag'),
    ...contents(manifest, id, about.keyId !== null),
    heading('Checking it with the tools of any computer'),
    ...checking(id, about, manifest),
    '',
  ].join('\n')
}

const heading = (title: string): string =>
  `\n${title}\n${'='.repeat(title.length)}\n`.replace(/^\n(?=Financial)/, '')

/** Text of a source on one line, without control characters, which would act on a terminal. */
const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')

/** Pads the cells to the width of their column; columns in `right` are aligned to the right. */
function columns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widthOf = (i: number) => Math.max(...rows.map((row) => row[i]?.length ?? 0))
  return rows.map((row) =>
    row
      .map((cell, i) => (right.includes(i) ? cell.padStart(widthOf(i)) : cell.padEnd(widthOf(i))))
      .join('  ')
      .trimEnd(),
  )
}

/** The totals of each unfiltered statement of actuals in the last months, as lines of text. */
export async function totalsOf(snapshot: Snapshot): Promise<string[]> {
  const decimals = currencyDecimals(snapshot.manifest.Currency)
  const figure = (value: number | null) => (value === null ? '' : formatMinor(value, decimals))
  const parts = await Promise.all(
    STATEMENTS.flatMap((statement) => BASES.map((basis) => ({ statement, basis }))).map(async (which) => {
      const scope = { ...which, budgetId: null, classId: null, departmentId: null }
      const published = await readPublishedStatement(snapshot, scope)
      if (published === null) return []
      const months = published.months.slice(-MONTHS)
      const head = [
        `${capitalised(statementTitle(which.statement))}, ${which.basis.toLowerCase()}`,
        ...months,
      ]
      const rows = [...published.totals].map(([name, figures]) => [
        `  ${name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')}`,
        ...figures.slice(-MONTHS).map(figure),
      ])
      return ['', ...columns([head, ...rows], [1, 2, 3])]
    }),
  )
  return parts.flat()
}

const tieOuts = ({ TieOuts }: Manifest): string[] =>
  columns(
    [
      ['Identity', 'Of', 'Comparisons', 'Left', 'Right', 'Largest difference'],
      ...TieOuts.map((entry) => [
        entry.Identity,
        `${entry.Statement}, ${entry.Basis.toLowerCase()}`,
        String(entry.Checks),
        entry.Left,
        entry.Right,
        entry.LargestDifference,
      ]),
    ],
    [2, 3, 4, 5],
  )

const sources = (manifest: Manifest): string[] =>
  manifest.Inputs.flatMap((input) => [
    `${plain(input.File)} (${input.Role})`,
    ...columns(
      [
        ...sourceFacts(manifest, input),
        ...(input.Kept ? [['Lies in', `${PAYLOAD}/${INPUTS}/${input.Sha256}`] as const] : []),
      ].map(([what, value]) => [`  ${what}`, plain(value)]),
    ),
  ])

const contents = (manifest: Manifest, id: string, signed: boolean): string[] =>
  columns([
    [`${PAYLOAD}/${id}/`, 'the snapshot as it was published; its manifest.json lists every file'],
    ...(keptInputs(manifest).length > 0
      ? [[`${PAYLOAD}/${INPUTS}/`, 'the sources themselves, each under its SHA-256']]
      : []),
    ...(membersNamed(manifest).length > 0
      ? [[`${PAYLOAD}/${MEMBERS}/`, 'the snapshots of members that it was made from, as they were published']]
      : []),
    ...(signed
      ? [
          [
            'public-key.pem, public-key.jwks.json',
            'the key of the signature: compare it with the publisher’s',
          ],
        ]
      : []),
    [
      REPORT_PAGE,
      'the statements as pages for a browser, with every line of the accounts, and a certificate',
    ],
    [
      FORMAT_PAGE,
      'what every file and figure of the snapshot means, and how to compute it again from its books',
    ],
    ['sha256sums.txt', 'the SHA-256 of every file, for sha256sum'],
    ['bagit.txt, bag-info.txt, *manifest-sha256.txt', 'what makes this a bag (BagIt, RFC 8493)'],
  ])

function checking(id: string, { version, keyId }: About, { Files }: Manifest): string[] {
  const folder = `${PAYLOAD}/${id}`
  const escaped = Files.some(({ Path }) => encodePath(Path, version) !== Path)
  return [
    'In the folder of this file. Every file is the one that was archived, where nothing is printed by:',
    '',
    '  sha256sum --check --quiet sha256sums.txt',
    // BagIt writes "%" in names as "%25", which sha256sum does not decode; those files are in the list above under
    // their real names.
    '  grep -v %25 tagmanifest-sha256.txt | sha256sum --check --quiet',
    ...(escaped
      ? [
          '',
          'BagIt has "%" in the names of files written as "%25" in manifest-sha256.txt, which sha256sum does',
          'not know, nor do some BagIt tools: they miss these files. sha256sums.txt has the names as they are.',
        ]
      : ['', 'The payload alone, as BagIt lists it: sha256sum --check --quiet manifest-sha256.txt']),
    ...(keyId === null
      ? []
      : [
          '',
          'The manifest is the one that was signed, where this says "Signature Verified Successfully":',
          '',
          ...signatureCheck(folder, KEY_FILE).map((line) => `  ${line}`),
          '',
          'Whose key that is, this bag cannot say: the publisher’s is printed by "tieout snapshots key".',
          `Its id (RFC 7638) must be ${keyId}.`,
        ]),
    '',
    `Every figure follows from "books", the ledger as Parquet: ${FORMAT_PAGE} has all the rules, with an example.`,
    '',
    'With Tieout: "tieout verify <this folder or zip>" does all that, and computes every figure again from',
    '"books"; "tieout restore <this folder or zip>" takes the snapshot back into a workspace.',
  ]
}

const KEY_FILE = 'public-key.pem'

/**
 * Shell commands that verify the signature of a manifest, given the folder of its snapshot and the file of a public
 * key.
 */
export const signatureCheck = (folder: string, keyFile: string): string[] => [
  `S=${folder}/${SIGNATURE} M=${folder}/${MANIFEST}`,
  "{ cut -d. -f1 $S | tr -d '\\n'; printf .; cat $M; } > /tmp/signed",
  "{ cut -d. -f3 $S | tr -d '\\n' | tr -- '-_' '+/'; printf ==; } | base64 -d > /tmp/signature",
  `openssl pkeyutl -verify -pubin -inkey ${keyFile} -rawin -in /tmp/signed -sigfile /tmp/signature`,
]
