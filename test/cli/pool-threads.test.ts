/** Queries and files wait for the threads of Node's pool: the command has as many as there are cores, unless told otherwise. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { inFolder, MAIN } from './command.ts'

const test = suite('threads of the pool')

/** Preloaded: a machine of so many cores, and how many threads the process has at its end. */
const preload = (cores: number): string => `
require('node:os').availableParallelism = () => ${cores}
process.on('exit', () => {
  require('node:fs').writeSync(2, 'threads: ' + require('node:fs').readdirSync('/proc/self/task').length)
})`

const threads = (cores: number, env: Readonly<Record<string, string>> = {}): Promise<number> =>
  inFolder(async (folder) => {
    const file = join(folder, 'preload.cjs')
    writeFileSync(file, preload(cores))
    const { stderr } = await execa(process.execPath, ['--require', file, MAIN, '--version'], { env })
    return Number(/threads: (\d+)/.exec(stderr)?.[1])
  })

const onLinux = process.platform === 'linux' ? test : test.skip
onLinux('there are as many as cores, but at least four; the environment may say another number', async () => {
  const [two, nine, told] = [
    await threads(2),
    await threads(9),
    await threads(9, { UV_THREADPOOL_SIZE: '6' }),
  ]
  assert.is(nine - two, 5)
  assert.is(told - two, 2)
})
