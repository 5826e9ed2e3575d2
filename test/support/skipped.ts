/** Tests that need a program which is not installed. */
import { suite } from '../suite.ts'

/** Says why the tests of a file cannot run, and counts as skipped: a file without any test would fail. */
export const skipAll = (missing: string): void => suite('skipped').needs(missing)
