/** Preloaded into a measured process: says at its end what it used, to the file that TIEOUT_USAGE names. */
const { writeFileSync } = require('node:fs')

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeFileSync(
    process.env.TIEOUT_USAGE,
    JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS * 1024 }),
  )
})
