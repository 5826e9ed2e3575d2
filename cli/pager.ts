/** Long text on a terminal, page by page, as git shows its log: by $PAGER, else less. */
import { spawnSync } from 'node:child_process'

/** Stops at the end of a text of one screen, keeps colours, and does not fold long lines. */
const LESS = 'FRSX'

type Screen = Pick<NodeJS.WriteStream, 'isTTY' | 'rows'>

/** Whether a pager showed the text; false where there is no terminal, no need, or no pager that works. */
export function pagedText(text: string, out: Screen = process.stdout, env = process.env): boolean {
  const pager = env.PAGER ?? 'less'
  if (!out.isTTY || pager === '' || pager === 'cat' || text.split('\n').length < out.rows) return false
  const { status } = spawnSync(pager, {
    input: `${text}\n`,
    stdio: ['pipe', 'inherit', 'inherit'],
    shell: true,
    env: { ...env, LESS: env.LESS ?? LESS },
  })
  return status === 0
}
