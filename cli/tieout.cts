#!/usr/bin/env node
/**
 * Starts the command with as many threads in Node's pool as there are cores. Queries of DuckDB on several connections, and files, wait
 * for these threads, and there are four unless the environment says otherwise before the first of them is used. Loading an ES module
 * uses them, so this file is CommonJS.
 */
process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, require('node:os').availableParallelism()))
/**
 * In a container a user often is a number that no list of users has, with HOME unset. Node.js then throws where it is asked for the home, as
 * packages do that look for settings there. They find none in a place that can hold nothing.
 */
try {
  require('node:os').homedir()
} catch {
  process.env.HOME = '/dev/null'
}
void import('./process.ts')
