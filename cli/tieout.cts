#!/usr/bin/env node
/**
 * Starts the command with as many threads in Node's pool as there are cores. Queries of DuckDB on several connections, and files, wait
 * for these threads, and there are four unless the environment says otherwise before the first of them is used. Loading an ES module
 * uses them, so this file is CommonJS.
 */
process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, require('node:os').availableParallelism()))
void import('./process.ts')
