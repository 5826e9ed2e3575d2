/**
 * The programs that were released, as manifests name them: what they checked, and under how many rules they made figures. A snapshot of
 * one of them is held to what that program could say.
 */
import type { PageLayout } from '../../report/source.ts'
import { RULES } from '../../snapshot/closing/rules.ts'
import { MANIFEST } from '../../snapshot/files/layout.ts'
import type { Manifest } from '../../snapshot/files/manifest.ts'
import { fingerprint } from '../../system/program.ts'
import { buildName } from '../../system/version.ts'

interface Release {
  /** `Tool.Version`. */
  readonly version: string
  /** The beginning of `Build.Program`; absent in versions before there were fingerprints. */
  readonly program?: string
  /** `Tool.Rules`; absent in versions before they were counted. */
  readonly rules?: number
  /** Identities that it did not check yet. */
  readonly unchecked?: readonly string[]
  /** How it laid out pages, and the SHA-256 of their style sheet; absent where it made none. */
  readonly layout?: PageLayout
  readonly style?: string
}

const STYLE = 'e586c5780b8f76fe256d20f8b327b626b72711ce032014f0f084d4001478afdd'
const STYLE_OF_FORMAT_3 = '04ce75146e4394c2807a5e440b3aeda13fff125a2d51b9bfa16d086f7b3e95a8'
const STYLE_WITH_CARDS = '07e13e1ad6267d9eaeb330cb4640bd78925acd29c334ebf00556bb222f4721f8'
const STYLE_OF_2_0 = 'd824f5072e070443722a83993dc90a7a0dd229d85b574bbb0f421ac01e534bb9'

const RELEASES: readonly Release[] = [
  { version: '0.1.0', unchecked: ['every account is there, as posted'] },
  { version: '0.2.0', program: 'b0c3b1672633f223', rules: 14 },
  { version: '1.0.0', program: '2b1cfd60387d3688', rules: 15, layout: 1, style: STYLE },
  { version: '1.0.0', program: '3de33cd8276201fa', rules: 15, layout: 1, style: STYLE },
  { version: '1.0.0+b8ee49f9', program: 'b8ee49f9f6dd2de5', rules: 27, layout: 1, style: STYLE_OF_FORMAT_3 },
  { version: '1.0.0+2c69c4da', program: '2c69c4da69c4d9e3', rules: 28, layout: 1, style: STYLE_OF_FORMAT_3 },
  { version: '1.0.0+2de8ff5a', program: '2de8ff5aa764cc72', rules: 28, layout: 2, style: STYLE_WITH_CARDS },
  { version: '1.0.0+119aa858', program: '119aa8583a01d3f1', rules: 28, layout: 3, style: STYLE_WITH_CARDS },
  { version: '2.0.0+9e4b9e69', program: '9e4b9e69802c5937', rules: 28, layout: 4, style: STYLE_OF_2_0 },
  { version: '2.0.0+5b62e8e7', program: '5b62e8e793d02981', rules: 28, layout: 4, style: STYLE_OF_2_0 },
  { version: '2.0.0+2fae1258', program: '2fae12584cda653a', rules: 29, layout: 4, style: STYLE_OF_2_0 },
]

/** Formats since which versions name the fingerprint of their program, with the rules that the first program of each had. */
const NAMED_SINCE: Readonly<Record<number, number>> = { 3: 27, 4: 28 }

/** Documents that this release did not publish yet. */
export const isLaterThan = ({ layout = 1 }: Release, path: string): boolean =>
  path.startsWith('divided-months/') && layout < 3

/** The release that a manifest names; null for this program, and for one that is not in the table. */
export const releaseOf = ({
  Format,
  Tool,
  Build,
}: Pick<Manifest, 'Format' | 'Tool' | 'Build'>): Release | null =>
  RELEASES.find(({ program, version }) =>
    program === undefined
      ? Build.Program === undefined && version === Tool.Version && Format === 1
      : Build.Program?.startsWith(program),
  ) ?? null

/** A sentence where a manifest gives a program another version or other rules than it has. */
export function programProblems(manifest: Pick<Manifest, 'Format' | 'Tool' | 'Build'>): string[] {
  const { Format, Tool, Build } = manifest
  const own = Build.Program === fingerprint() ? { version: buildName(), rules: RULES.length } : null
  const known = own ?? releaseOf(manifest)
  if (Tool.Name === 'tieout' && known?.version === Tool.Version && known.rules === Tool.Rules) return []
  // A later format with the version or the rules of an earlier program would be held to less.
  const least = NAMED_SINCE[Format]
  const isItsOwn = Build.Program
    ? /^\d+\.\d+\.\d+$/.test(Tool.Version.replace(`+${Build.Program.slice(0, 8)}`, '')) &&
      (least === undefined || (Tool.Version.includes('+') && (Tool.Rules ?? 0) >= least))
    : Format === 1
  if (Tool.Name === 'tieout' && !known && isItsOwn) return []
  return [
    `${MANIFEST} names ${Tool.Name} ${Tool.Version} with ${Tool.Rules ?? 'no'} rules, which is not program ${Build.Program ?? 'without a fingerprint'}`,
  ]
}
