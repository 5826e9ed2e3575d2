/**
 * After an install: compiles the program, where the compiler was installed too. A small installation ("npm ci --omit=dev")
 * leaves it out, and runs what was compiled before.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const hasCompiler = existsSync(new URL('../node_modules/typescript/package.json', import.meta.url))
if (hasCompiler) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  process.exitCode = status ?? 1
} else if (!existsSync(new URL('../dist/cli/tieout.cjs', import.meta.url)))
  process.stderr.write(
    'There is no dist/ yet, and no compiler to make it: run "npm ci" first, then "npm ci --omit=dev".\n',
  )
