/** `tieout snapshots copy`: copies published snapshots into a bucket, or from there. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Bucket } from '../builder/snapshot/places/bucket/bucket.ts'
import type { Copied, CopyProgress } from '../builder/snapshot/places/bucket/send.ts'
import { action, examples } from './terminal/command.ts'
import { RefusedError, UsageError } from './terminal/exit.ts'
import { type Changing, changeIn, requestsText } from './terminal/location.ts'
import { showWork } from './terminal/progress.ts'
import { tableText } from './terminal/table.ts'
import { count, type Terminal } from './terminal/terminal.ts'

interface Options {
  readonly to?: string
  readonly from?: string
  readonly endpoint?: string
  readonly region?: string
}

export function declareCopy(snapshots: Command): void {
  const command = snapshots
    .command('copy')
    .description(
      'Copy all published snapshots of companies, with log, time stamps and kept sources, into a bucket of S3 or of a store that speaks like it; or from there into the snapshots folder of this workspace. Each file is held against its hash on the way, what is at the other place already is not copied again, and a place with publications that the other one lacks is left as it is. Credentials come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or a profile (AWS_PROFILE).',
    )
    .argument('[company...]', 'ids of companies (default: all that are there)')
    .option('--to <bucket>', 'the bucket to copy to: s3://bucket/prefix')
    .option('--from <bucket>', 'the bucket to copy from: s3://bucket/prefix')
    .option('--endpoint <url>', "the address of a store that is not Amazon's (default: AWS_ENDPOINT_URL)")
    .option('--region <name>', 'the region of the bucket (default: AWS_REGION, or that of the profile)')
  examples(
    command,
    'tieout snapshots copy --to s3://acme-books/snapshots',
    'tieout snapshots copy --from s3://acme-books/snapshots harbor',
    'tieout snapshots copy --to s3://books --endpoint https://minio.example.com',
  )
  action<Options>(command, async ({ terminal, read }, { to, from, endpoint, region }, asked) => {
    const address = to ?? from
    if (address === undefined || (to !== undefined && from !== undefined))
      throw new UsageError('name one bucket: --to or --from')
    const { listCompanyIds } = await import('../builder/snapshot/files/open.ts')
    const { companiesHeld } = await import('../builder/snapshot/places/bucket/company-object.ts')
    const isToBucket = to !== undefined
    const own = isToBucket && asked.length === 0 ? null : isToBucket ? asked : []
    const workspace = await read(own)
    const bucket = await bucketOf(address, endpoint, region)
    const there = isToBucket
      ? await listCompanyIds(workspace.snapshots)
      : [...(await companiesHeld(bucket)).keys()]
    const unknown = asked.filter((id) => !there.includes(id))
    if (unknown.length > 0)
      throw new UsageError(
        `${isToBucket ? resolve(workspace.snapshots) : bucket.name} has nothing of "${unknown.join('", "')}"`,
      )
    const companies = asked.length > 0 ? [...new Set(asked)] : there
    const copied = isToBucket
      ? await sendAll(bucket, workspace.snapshots, companies, terminal)
      : await fetchAll(bucket, changeIn(workspace, terminal), companies, terminal)
    terminal.show({ bucket: bucket.name, companies: copied, requests: bucket.requests }, () =>
      [copiedTable(copied, terminal), requestsText(bucket.name, bucket.requests)].join('\n'),
    )
  })
}

async function bucketOf(address: string, endpoint?: string, region?: string): Promise<Bucket> {
  const { BUCKET_FORM, parseBucketAddress } = await import('../builder/workspace/bucket-address.ts')
  const parsed = parseBucketAddress(address)
  if (parsed === null) throw new UsageError(`"${address}" ${BUCKET_FORM}`)
  const { openS3 } = await import('../builder/snapshot/places/bucket/s3.ts')
  return openS3({ ...parsed, endpoint: endpoint ?? null, region: region ?? null })
}

async function sendAll(
  bucket: Bucket,
  root: string,
  companies: readonly string[],
  terminal: Terminal,
): Promise<Copied[]> {
  const { requireConditions } = await import('../builder/snapshot/places/bucket/probe.ts')
  const { sendCompany } = await import('../builder/snapshot/places/bucket/send.ts')
  await requireConditions(bucket)
  return eachOf(companies, terminal, async (company, progress) => {
    await requireIntact(root, company)
    return sendCompany(bucket, root, company, progress)
  })
}

async function fetchAll(
  bucket: Bucket,
  change: Changing['change'],
  companies: readonly string[],
  terminal: Terminal,
): Promise<Copied[]> {
  const { fetchCompany } = await import('../builder/snapshot/places/bucket/fetch.ts')
  return eachOf(companies, terminal, (company, progress) =>
    change(company, async ({ snapshots }) => {
      const copied = await fetchCompany(bucket, snapshots, company, progress)
      await requireIntact(snapshots, company)
      return copied
    }),
  )
}

async function eachOf(
  companies: readonly string[],
  terminal: Terminal,
  copy: (company: string, progress: CopyProgress) => Promise<Copied>,
): Promise<Copied[]> {
  return showWork('copy', terminal, 'files', async (show) => {
    const copied: Copied[] = []
    for (const company of companies)
      copied.push(await copy(company, (done, total) => show(company, done, total)))
    return copied
  })
}

/** Throws {@link RefusedError} where pointer, log or a file of a company is damaged. */
async function requireIntact(root: string, company: string): Promise<void> {
  const { checkCompany } = await import('../builder/snapshot/log/chain.ts')
  const { companyFolder } = await import('../builder/snapshot/files/layout.ts')
  const { steadily } = await import('../builder/snapshot/log/steadily.ts')
  const folder = companyFolder(root, company)
  const damagesNow = async () => {
    const { damages, snapshots } = await checkCompany(folder, company, true, null)
    return [...damages, ...snapshots.flatMap((each) => each.damages)]
  }
  const [first] = await steadily(folder, damagesNow, ({ length }) => length === 0)
  if (first !== undefined)
    throw new RefusedError(
      `${company} is damaged: ${first.message}; "tieout verify ${company}" shows all of it`,
    )
}

const copiedTable = (copied: readonly Copied[], terminal: Terminal): string =>
  tableText(
    copied,
    [
      { title: 'Company', of: ({ company }) => company },
      { title: 'Current', of: ({ current }) => current ?? 'none' },
      { title: 'Copied files', of: ({ files }) => count(files), right: true },
      { title: 'Bytes', of: ({ bytes }) => count(bytes), right: true },
    ],
    terminal,
  )
