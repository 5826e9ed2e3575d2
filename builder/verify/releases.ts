/**
 * The programs that were released, as manifests name them: what they checked, and under how many rules they made figures. A snapshot of
 * one of them is held to what that program could say.
 */
import type { Manifest } from '../snapshot/manifest.ts'

export interface Release {
  /** `Tool.Version`. */
  readonly version: string
  /** `Build.Program`; null for versions before there were fingerprints. */
  readonly program: string | null
  /** `Tool.Rules`; null for versions before they were counted. */
  readonly rules: number | null
  /** Identities that it did not check yet. */
  readonly unchecked: readonly string[]
  /** Folders of documents that it did not publish yet. */
  readonly unpublished: readonly string[]
  /** SHA-256 of the style sheet of its pages; null where it made none. */
  readonly style: string | null
}

const DIVIDED = ['divided-months/']
const FIRST_STYLE = 'e586c5780b8f76fe256d20f8b327b626b72711ce032014f0f084d4001478afdd'

export const RELEASES: readonly Release[] = [
  {
    version: '0.1.0',
    program: null,
    rules: null,
    unchecked: ['every account is there, as posted'],
    unpublished: DIVIDED,
    style: null,
  },
  {
    version: '0.2.0',
    program: 'b0c3b1672633f2238a6d0c14b29be4edc049215d244a2d4175793bf3621fde22',
    rules: 14,
    unchecked: [],
    unpublished: DIVIDED,
    style: null,
  },
  {
    version: '1.0.0',
    program: '2b1cfd60387d36881a62996b1e16a6d6dd39bb7c218ca6ace5591a668190dea3',
    rules: 15,
    unchecked: [],
    unpublished: DIVIDED,
    style: FIRST_STYLE,
  },
  {
    version: '1.0.0',
    program: '3de33cd8276201fa96b2b0a96613f8467cea18e277176c9255c6135bae9bab7e',
    rules: 15,
    unchecked: [],
    unpublished: DIVIDED,
    style: FIRST_STYLE,
  },
]

/** The release that a manifest names; null for this program, and for one that is not in the table. */
export const releaseOf = ({ Tool, Build }: Pick<Manifest, 'Tool' | 'Build'>): Release | null =>
  RELEASES.find(({ program, version }) =>
    program === null ? Build.Program === undefined && Tool.Version === version : program === Build.Program,
  ) ?? null
