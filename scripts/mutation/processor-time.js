// Loaded into a process of tests: writes the processor time that it has used, in milliseconds, to the file that the
// environment names.

import { writeFileSync } from 'node:fs'

process.once('exit', () => {
  const { user, system } = process.cpuUsage()
  writeFileSync(process.env.PROCESSOR_TIME_FILE, String((user + system) / 1000))
})
