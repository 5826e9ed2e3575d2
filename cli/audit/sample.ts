/** `tieout sample`: draws samples from the items of an account, and projects what was found wrong in them. */
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { DrawnItem, Method, Sample } from '../../builder/inspect/audit/sample.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { readFileSync } from '../../builder/system/plain-file.ts'
import { action, examples } from '../terminal/command.ts'
import { csvText, refuseBoth } from '../terminal/csv.ts'
import { EXIT, UsageError } from '../terminal/exit.ts'
import { askedFilters, basisOption, resolved } from '../terminal/filters.ts'
import { money } from '../terminal/money.ts'
import { amountsText, lineTable } from '../terminal/narrow.ts'
import { count, plural, type Terminal, wrap } from '../terminal/terminal.ts'

interface DrawOptions {
  readonly account: string
  readonly asOf?: string
  readonly side?: string
  readonly from?: string
  readonly through?: string
  readonly method: Method
  readonly tolerable?: string
  readonly expected: string
  readonly confidence: string
  readonly size?: string
  readonly key?: string
  readonly strata?: string
  readonly basis?: string
  readonly snapshot?: string
  readonly secret: string
  readonly csv?: boolean
}

export function declareSample(program: Command): void {
  const group = program
    .command('sample')
    .summary('draw samples of an account, and project what was found wrong')
    .description(
      'Draw samples of an account that anybody can draw again, and project what was found wrong in them.',
    )
  declareDraw(group)
  declareSecret(group)
  declareEvaluate(group)
}

function declareDraw(group: Command): void {
  const command = group
    .command('draw', { isDefault: true })
    .summary('draw a sample from the items of an account')
    .description(
      'Draw a sample from an account of a published snapshot: from the open items of a balance (--as-of), or from the lines on one side (--side). The items are proven to add up to the balance or turnover. What is drawn follows from the snapshot and a secret of the auditor ("tieout sample secret"), which nobody can foresee or choose.',
    )
    .argument('<company>', 'id of the company')
    .requiredOption('--account <account>', 'id or number of the account')
    .requiredOption('--secret <file>', 'the file that "tieout sample secret" made')
    .option('--as-of <day>', 'draw from the open items of this day')
    .addOption(new Option('--side <side>', 'draw from the lines on this side').choices(['debit', 'credit']))
    .option('--from <day>', 'of lines: the first day (default: that of the books)')
    .option('--through <day>', 'of lines: the last day')
    .addOption(
      new Option('--method <method>', 'by monetary units (mus), random, or stratified by amount')
        .choices(['mus', 'random', 'stratified'])
        .default('mus'),
    )
    .option('--tolerable <amount>', 'by monetary units: the tolerable misstatement')
    .option('--expected <amount>', 'by monetary units: the expected misstatement', '0')
    .option('--confidence <percent>', 'by monetary units: 50 to 99', '95')
    .option('--size <n>', 'of the other methods: how many items')
    .option('--key <amount>', 'take all items of this amount and more')
    .option('--strata <amounts>', 'stratified: the amounts that divide the strata, like 1000,10000')
    .addOption(basisOption())
    .option('--snapshot <id>', 'the snapshot to draw from (default: the current one)')
    .option('--csv', 'print the worksheet as CSV, for "tieout sample evaluate"')
  examples(
    command,
    'tieout sample draw harbor --account 1110 --as-of 2025-12-31 --tolerable 20000 --expected 2000 --secret auditor.secret',
    'tieout sample draw harbor --account 4110 --side credit --from 2025-01-01 --through 2025-12-31 --tolerable 50000 --secret auditor.secret --csv > worksheet.csv',
    'tieout sample draw harbor --account 6450 --side debit --method random --size 25 --secret auditor.secret',
  )
  action<DrawOptions, [company: string]>(command, async ({ terminal, read }, options, [company]) => {
    refuseBoth(terminal, options.csv)
    if ((options.asOf === undefined) === (options.side === undefined))
      throw new UsageError('say what to draw from: open items (--as-of 2025-12-31), or lines (--side debit)')
    const { sample } = await import('../../builder/inspect/audit/sample.ts')
    const { snapshots } = await read([company])
    const drawn = resolved(
      await sample(snapshots, {
        ...{ company, account: options.account, method: options.method, expected: options.expected },
        ...{ snapshotId: options.snapshot ?? null, asOf: options.asOf ?? null },
        side: options.side === 'credit' ? 'credit' : 'debit',
        ...{ from: options.from ?? null, through: options.through ?? null, key: options.key ?? null },
        basis: askedFilters(options).basis,
        ...{ tolerable: options.tolerable ?? null, confidence: percentOf(options.confidence) },
        size: options.size === undefined ? null : numberOf('size', options.size),
        strata: (options.strata ?? '').split(',').filter((each) => each.trim() !== ''),
        secret: secretIn(options.secret),
      }),
    )
    terminal.show(drawn, () => (options.csv ? worksheet(drawn) : sampleText(drawn, terminal)))
    return drawn.addsUp ? EXIT.done : EXIT.failed
  })
}

function numberOf(option: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new UsageError(`--${option} ${text} is not a number of items, such as 25`)
}

function percentOf(text: string): number {
  if (/^[5-9]\d$/.test(text)) return Number(text)
  throw new UsageError(`--confidence ${text} is not a percentage from 50 to 99`)
}

function secretIn(file: string): string {
  const text = readFileSync(resolve(file), 'utf8').trim()
  if (text.length >= 16) return text
  throw new UsageError(
    `${file} holds no secret of at least 16 characters: make one with "tieout sample secret ${file}"`,
  )
}

function declareSecret(group: Command): void {
  const command = group
    .command('secret')
    .summary('make the secret from which samples are drawn')
    .description(
      'Make a secret in a new file, and print its commitment. Give the commitment to whoever is audited before the snapshot is published, keep the file, and show the secret afterwards: then anybody can draw the same samples again.',
    )
    .argument('<file>', 'a new file')
  examples(command, 'tieout sample secret auditor.secret')
  action<object, [file: string]>(command, async ({ terminal }, _options, [file]) => {
    const { freePlace } = await import('../../builder/system/output.ts')
    const { writeWhole } = await import('../../builder/system/effects.ts')
    freePlace(resolve(file))
    const secret = randomBytes(32).toString('hex')
    writeWhole(resolve(file), `${secret}\n`, { mode: 0o600, flag: 'wx' })
    const commitment = sha256(secret)
    terminal.show(
      { file, commitment },
      () => `Commitment: ${commitment}\nThe secret is in ${file}; keep it until the samples are drawn.`,
    )
  })
}

const KINDS: Readonly<Record<DrawnItem['kind'], string>> = {
  key: 'key item',
  drawn: 'drawn',
  negative: 'other direction',
}

function sampleText(drawn: Sample, terminal: Terminal): string {
  const { paint, width } = terminal
  const { population, design, currency } = drawn
  const what = drawn.asOf === null ? 'lines' : `open items of ${drawn.asOf}`
  const counted = (label: string, { items, amount }: Sample['population']['all']) =>
    [label, amount, plural(items, 'item')] as const
  return [
    paint.bold(wrap(`Sample of ${drawn.account} ${drawn.name}, ${what}`, width)),
    paint.dim(`snapshot ${drawn.snapshotId}, ${drawn.basis}, ${currency}`),
    '',
    amountsText(
      [
        counted('All items', population.all),
        counted('Drawn from', population.positive),
        counted('Key items, all taken', population.key),
        counted('In the other direction, to be tested apart', population.negative),
      ],
      width,
    ),
    drawn.addsUp
      ? paint.green('The items add up to the account.')
      : paint.red('The items do not add up to the account; please report this.'),
    '',
    ...(design === null
      ? []
      : [
          wrap(
            `By monetary units: tolerable ${money(design.tolerable)}, expected ${money(design.expected)}, confidence ${design.confidence} %, factor ${design.factor.toFixed(2)}, interval ${money(design.interval)}.`,
            width,
          ),
          '',
        ]),
    lineTable<DrawnItem>(
      drawn.items,
      [
        { title: 'Item', of: ({ id }) => id, flexible: 10 },
        { title: 'Date', of: ({ date }) => date ?? '', dispensable: 2 },
        { title: 'Amount', of: ({ amount }) => money(amount), right: true },
        { title: 'Why', of: ({ kind }) => KINDS[kind], dispensable: 1 },
        { title: 'Memo', of: ({ memo }) => memo ?? '', dispensable: 4, flexible: 10 },
        {
          title: 'Source',
          of: ({ file, row }) => (file === null ? '' : `${file}:${row}`),
          dispensable: 3,
          flexible: 12,
        },
      ],
      terminal,
    ).text,
    '',
    wrap(`${count(drawn.items.length)} items. Commitment ${drawn.commitment}; seed ${drawn.seed}.`, width),
  ].join('\n')
}

const COLUMNS = ['item', 'date', 'memo', 'file', 'row', 'kind', 'book', 'audited'] as const
const DESIGN = ['interval', 'tolerable', 'confidence'] as const

/** What an auditor fills in: `audited` is empty, so that nothing counts as right before somebody has looked. */
const worksheet = ({ items, design }: Sample): string =>
  csvText(
    [...COLUMNS, ...DESIGN],
    items.map(({ id, date, memo, file, row, kind, amount }) => [
      ...[id, date, memo, file, row, kind, amount, ''],
      ...[design?.interval ?? '', design?.tolerable ?? '', design?.confidence ?? ''],
    ]),
  )

function declareEvaluate(group: Command): void {
  const command = group
    .command('evaluate')
    .summary('project what was found wrong in a sample')
    .description(
      'Project the misstatements in a worksheet of "tieout sample draw --csv" by monetary units onto the population: write the audited amounts into the column "audited". States the projected misstatement and its upper limit (AICPA, Audit Sampling).',
    )
    .argument('<worksheet>', 'the CSV, with the column "audited" filled in')
  examples(command, 'tieout sample evaluate worksheet.csv')
  action<object, [worksheet: string]>(command, async ({ terminal }, _options, [file]) => {
    const { evaluate } = await import('../../builder/inspect/audit/worksheet.ts')
    const found = resolved(evaluate(readFileSync(resolve(file), 'utf8'), file))
    terminal.show(found, () => {
      const { paint, width } = terminal
      return [
        `${plural(found.items, 'item')}, ${count(found.wrong)} with a misstatement`,
        '',
        amountsText(
          [
            ['Known misstatement', found.known],
            ['Projected misstatement', found.projected],
            ['Allowance for sampling risk', found.allowance],
            [`Upper limit at ${found.confidence} %`, found.limit],
            ['Tolerable misstatement', found.tolerable],
          ],
          width,
        ),
        '',
        found.isTolerable
          ? paint.green('The upper limit is within the tolerable misstatement.')
          : paint.red('The upper limit is beyond the tolerable misstatement.'),
        ...(found.apart === 0
          ? []
          : [
              wrap(
                `${plural(found.apart, 'item')} in the other direction is not projected: judge it apart.`,
                width,
              ),
            ]),
      ].join('\n')
    })
    return found.isTolerable ? EXIT.done : EXIT.failed
  })
}
