/** The company's colour and logo, as rules that follow the style sheet of all pages. */
import type { Frame } from '../../books/reference/frame.ts'
import type { Brand } from '../../books/reference/presentation.ts'
import { GROUNDS, REPORT_STYLE } from './style.ts'

/** The style sheet of the pages of a company. */
export const styleOf = ({ presentation }: Pick<Frame, 'presentation'>): string =>
  `${REPORT_STYLE}${presentation?.brand ? rulesOf(presentation.brand) : ''}`

/** A company without a brand has no further rules, so that its style sheet is that of every other one. */
const rulesOf = ({ colour, logo }: Brand): string =>
  [
    colour === undefined
      ? ''
      : `:root { --accent: ${readable(colour, 0, GROUNDS.light)}; }
@media (prefers-color-scheme: dark) { :root { --accent: ${readable(colour, 255, GROUNDS.dark)}; } }
header { border-top: .25rem solid ${colour}; padding-top: .5rem; }
`,
    logo === undefined
      ? ''
      : `.company::before { content: ''; display: inline-block; vertical-align: middle; box-sizing: content-box; height: 2.25rem; width: min(${Math.round((225 * logo.width) / logo.height) / 100}rem, 14rem); margin-right: .6rem; padding: .15rem; border-radius: .25rem; background: #ffffff url(data:${logo.type};base64,${logo.data}) center / contain content-box no-repeat; background-clip: border-box; print-color-adjust: exact; }
`,
  ].join('')

type Rgb = readonly number[]
const rgbOf = (colour: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

/** Text of the least contrast that WCAG 2.2 asks for (1.4.3). */
const LEAST_CONTRAST = 4.5
const STEPS = 50

/** The colour itself, or the nearest one on the way to black (0) or white (255) that can be read on each of the grounds. */
function readable(colour: string, toward: 0 | 255, grounds: readonly string[]): string {
  const rgb = rgbOf(colour)
  for (let step = 0; step < STEPS; step++) {
    const mixed = rgb.map((part) => Math.round(part + ((toward - part) * step) / STEPS))
    if (grounds.every((ground) => contrast(mixed, rgbOf(ground)) >= LEAST_CONTRAST)) return hexOf(mixed)
  }
  return hexOf([toward, toward, toward])
}

const hexOf = (rgb: Rgb): string => `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`

function contrast(a: Rgb, b: Rgb): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other)
  return (high + 0.05) / (low + 0.05)
}

/** Relative luminance (WCAG 2.2). */
function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
