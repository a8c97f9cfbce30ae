// Loaded into a process of tests: it is ended when it has used up the seconds of processor time that the environment names, or when
// it uses none any more. No time of the clock ends a test, because a busy machine makes each of them late.

import { Worker } from 'node:worker_threads'
import Mocha from 'mocha'

Mocha.Runnable.prototype.timeout = function (...limit) {
  return limit.length === 0 ? 0 : this
}

/** Looks, once a second at most, from a thread of its own: an endless loop stops all others. On a busy machine it looks less often. */
const watch = `
  const { writeSync } = require('node:fs')
  const limit = Number(process.env.PROCESSOR_LIMIT)
  let before = 0
  let idle = 0
  setInterval(() => {
    const { user, system } = process.cpuUsage()
    const used = (user + system) / 1_000_000
    idle = used - before < 0.01 ? idle + 1 : 0
    before = used
    if (used < limit && idle < 60) return
    writeSync(2, used < limit ? 'No end: waits for nothing.' : 'No end: the processor time is used up.')
    process.kill(process.pid, 'SIGKILL')
  }, 1000)
`
new Worker(watch, { eval: true, execArgv: [] }).unref()
