/** `tieout snapshots copy`: copies published snapshots into a bucket, or from there. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Bucket } from '../builder/bucket/bucket.ts'
import type { Copied } from '../builder/bucket/send.ts'
import { action, examples } from './command.ts'
import { RefusedError, UsageError } from './exit.ts'
import { showWork } from './progress.ts'
import { tableText } from './table.ts'
import { count, type Terminal } from './terminal.ts'

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
  action<Options>(command, async ({ terminal, folder }, { to, from, endpoint, region }, asked) => {
    const address = to ?? from
    if (address === undefined || (to !== undefined && from !== undefined))
      throw new UsageError('name one bucket: --to or --from')
    const { openWorkspace } = await import('../builder/workspace/workspace.ts')
    const { listCompanyIds } = await import('../builder/snapshot/open.ts')
    const { companiesHeld } = await import('../builder/bucket/company-object.ts')
    const { snapshots: root } = openWorkspace(folder)
    const bucket = await bucketOf(address, endpoint, region)
    const there = to === undefined ? await companiesHeld(bucket) : await listCompanyIds(root)
    const unknown = asked.filter((id) => !there.includes(id))
    if (unknown.length > 0)
      throw new UsageError(
        `${to === undefined ? bucket.name : resolve(root)} has nothing of "${unknown.join('", "')}"`,
      )
    const companies = asked.length > 0 ? [...new Set(asked)] : there
    const copied = await copyAll(bucket, root, companies, to !== undefined, terminal)
    terminal.show({ bucket: bucket.name, companies: copied, requests: bucket.requests }, () =>
      [copiedTable(copied, terminal), requestsText(bucket)].join('\n'),
    )
    return undefined
  })
}

async function bucketOf(address: string, endpoint?: string, region?: string): Promise<Bucket> {
  const { BUCKET_FORM, parseBucketAddress } = await import('../builder/workspace/bucket-address.ts')
  const parsed = parseBucketAddress(address)
  if (parsed === null) throw new UsageError(`"${address}" ${BUCKET_FORM}`)
  const { openS3 } = await import('../builder/bucket/s3.ts')
  return openS3({ ...parsed, endpoint: endpoint ?? null, region: region ?? null })
}

async function copyAll(
  bucket: Bucket,
  root: string,
  companies: readonly string[],
  isToBucket: boolean,
  terminal: Terminal,
): Promise<Copied[]> {
  const shown = showWork('copy', terminal, 'files')
  try {
    if (isToBucket) {
      const { requireConditions } = await import('../builder/bucket/probe.ts')
      await requireConditions(bucket)
    }
    const copied: Copied[] = []
    for (const company of companies) {
      if (isToBucket) await requireIntact(root, company)
      const { sendCompany } = await import('../builder/bucket/send.ts')
      const { fetchCompany } = await import('../builder/bucket/fetch.ts')
      const copy = isToBucket ? sendCompany : fetchCompany
      copied.push(await copy(bucket, root, company, (done, total) => shown.progress(company, done, total)))
      if (!isToBucket) await requireIntact(root, company)
    }
    return copied
  } finally {
    shown.end()
  }
}

/** Throws {@link RefusedError} where pointer, log or a file of a company is damaged. */
async function requireIntact(root: string, company: string): Promise<void> {
  const { checkCompany } = await import('../builder/snapshot/chain.ts')
  const { companyFolder } = await import('../builder/snapshot/layout.ts')
  const { damages, snapshots } = await checkCompany(companyFolder(root, company), company, true, null)
  const [first] = [...damages, ...snapshots.flatMap((each) => each.damages)]
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

const requestsText = ({ name, requests }: Bucket): string =>
  `Requests to ${name}: ${Object.entries(requests)
    .map(([kind, times]) => `${count(times)} ${kind}`)
    .join(', ')}`
