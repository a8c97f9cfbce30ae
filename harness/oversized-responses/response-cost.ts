import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { on } from 'node:events'
import { fileURLToPath } from 'node:url'
import { moduleExtension } from '../module-extension.ts'
import type { ClientResult, ClientTask } from './client-process.ts'

const client = fileURLToPath(new URL(`client-process${moduleExtension}`, import.meta.url))

/** The maximum cost of a response. */
export const maxCost = {
  /** Bytes of resident memory: five times the largest body. */
  growth: 5 * 4 * 1024 * 1024,
  /** Milliseconds beyond the timeout of the account, as measured by `measureDelay`. */
  late: 100,
}

const maxRuns = 20

/**
 * Returns the cost of a response for a process that runs only the client: the lowest values of several runs, because
 * a busy machine increases single values.
 * @param prepare sets up the response when the client is ready
 * @param tidy removes the response before the next run
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
  for (let runs = 1; runs < maxRuns && !isWithin(best); runs += 1) {
    const next = await run()
    assert.equal(next.said, best.said)
    best = { ...next, late: Math.min(best.late, next.late), growth: Math.min(best.growth, next.growth) }
  }
  return best
}

/** Fails if a response costs more than allowed, and shows the cost. */
export function assertWithinLimits(outcome: ClientResult): void {
  if (process.env.SHOW_FIGURES) console.log(figures(outcome))
  assert.ok(isWithin(outcome), figures(outcome))
}

function isWithin({ late, growth }: ClientResult): boolean {
  return late <= maxCost.late && growth <= maxCost.growth
}

function figures({ late, growth, said, sentence }: ClientResult): string {
  return `${said}: late ${late} ms, grew ${(growth / 1024 / 1024).toFixed(1)} MB. ${sentence}`
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
