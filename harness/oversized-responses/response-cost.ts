import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { on } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ClientResult, ClientTask } from './client-process.ts'

const client = fileURLToPath(new URL('client-process.js', import.meta.url))

/**
 * The most that an answer may cost.
 *
 * Nobody else in Node-RED is to wait longer than a blink. Times are measured against what the machine does besides, so
 * that a slow or busy one does not fail.
 */
export const maxCost = {
  /** Bytes of resident memory: five times the largest body. */
  growth: 5 * 4 * 1024 * 1024,
  /** What everything else may have to wait for, in yardsticks: a blink of 50 ms where one of them takes 25 ms. */
  blocked: 2,
  /** Milliseconds beyond the account's timeout, as `lateness` counts them. */
  late: 100,
}

const mostRuns = 5

/**
 * What a heavy answer costs a process that runs nothing but the client: the best of some runs by each measure, since
 * what is ours is in each of them, and what comes of a busy machine is not.
 * @param prepare lays the answer down when the client is ready for it
 * @param tidy takes it up again before the next run
 */
export async function costOfResponse(
  task: ClientTask,
  prepare: () => void = () => {},
  tidy: () => void = () => {},
): Promise<ClientResult> {
  const run = async () => {
    tidy()
    return oneRun(task, prepare)
  }
  let best = await run()
  for (let runs = 1; runs < mostRuns && !isWithin(best); runs += 1) {
    const next = await run()
    assert.equal(next.said, best.said)
    const { blocked, yardstick } = waited(next) < waited(best) ? next : best
    best = {
      ...next,
      late: Math.min(best.late, next.late),
      growth: Math.min(best.growth, next.growth),
      blocked,
      yardstick,
    }
  }
  return best
}

/** Fails where an answer cost more than it may, and shows all that it cost. */
export function assertWithinLimits(outcome: ClientResult): void {
  if (process.env.SHOW_FIGURES) console.log(figures(outcome))
  assert.ok(isWithin(outcome), figures(outcome))
}

/** What everything else had to wait for, in yardsticks. */
function waited({ blocked, yardstick }: ClientResult): number {
  return blocked / yardstick
}

function isWithin(outcome: ClientResult): boolean {
  return (
    outcome.late <= maxCost.late && outcome.growth <= maxCost.growth && waited(outcome) <= maxCost.blocked
  )
}

function figures(outcome: ClientResult): string {
  const { late, growth, blocked, yardstick, said, sentence } = outcome
  const megabytes = (growth / 1024 / 1024).toFixed(1)
  const measured = `${waited(outcome).toFixed(1)} yardsticks of ${yardstick.toFixed(0)} ms`
  return `${said}: late ${late} ms, grew ${megabytes} MB, blocked ${blocked.toFixed(0)} ms, ${measured}. ${sentence}`
}

async function oneRun(task: ClientTask, prepare: () => void): Promise<ClientResult> {
  const child = fork(client, [JSON.stringify(task)], { execArgv: ['--expose-gc'] })
  const messages = on(child, 'message', { close: ['exit'] })
  const next = async (): Promise<unknown> => {
    const { value, done } = await messages.next()
    return done ? assert.fail('the process of the client ended') : value[0]
  }
  try {
    assert.equal(await next(), 'ready')
    prepare()
    child.send('go')
    return (await next()) as ClientResult
  } finally {
    child.kill()
  }
}
