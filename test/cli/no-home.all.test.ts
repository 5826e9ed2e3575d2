/** Commands of a user whom no list of users knows, with an environment that names no HOME, as containers and schedulers start them. */
import { spawnSync } from 'node:child_process'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { goodCompany, inWorkspaceOf, MAIN } from './command.ts'

const test = suite('no home')

const SANDBOX = '--unshare-user --uid 10001 --gid 10001 --dev-bind / / --proc /proc'.split(' ')

const CLEAN = ['--clearenv', '--setenv', 'PATH', '/usr/bin:/bin']

/** Each command, and what it says. */
const COMMANDS: readonly (readonly [string, RegExp])[] = [
  ['--version', /^\d/],
  ['build', /published/],
  ['verify', /every figure follows from the books/],
  ['user add ann@example.com --first-name Ann --last-name Berg --company acme', /ann@example\.com/],
  ['grants list', /No application/],
]

test('commands work without HOME and without a user who has a home', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    for (const [command, said] of COMMANDS) {
      const { all } = await execa(
        'bwrap',
        [...SANDBOX, ...CLEAN, process.execPath, MAIN, '-C', cwd, ...command.split(' ')],
        { cwd, all: true, reject: false },
      )
      assert.match(all, said, `${command}: ${all}`)
      assert.not.match(all, /homedir|system error/i, command)
    }
  }))

test.needs(
  spawnSync('bwrap', [...SANDBOX, 'true']).status === 0
    ? null
    : 'no bwrap that may make a user: commands without a home are not tried',
)
