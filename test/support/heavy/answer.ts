import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { on } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { HeavyOutcome, HeavyTask } from './client.ts'

const client = fileURLToPath(new URL('client.js', import.meta.url))

/** The most that an answer may cost. */
export const bounds = {
  /** Bytes of resident memory: five times the largest body. */
  growth: 5 * 4 * 1024 * 1024,
  /** Milliseconds for which nothing else runs. */
  blocked: 50,
  /** Milliseconds beyond the account's timeout. */
  late: 100,
}

/**
 * What a heavy answer costs a process that runs nothing but the client: the best of up to three runs by each measure,
 * since what is ours is in each of them, and what comes of a busy machine is not.
 * @param prepare lays the answer down when the client is ready for it
 * @param tidy takes it up again before the next run
 */
export async function costOf(
  task: HeavyTask,
  prepare: () => void = () => {},
  tidy: () => void = () => {},
): Promise<HeavyOutcome> {
  const run = async () => {
    tidy()
    return oneRun(task, prepare)
  }
  let best = await run()
  for (let again = 0; again < 2 && !isWithin(best, task); again += 1) {
    const next = await run()
    assert.equal(next.said, best.said)
    best = {
      ...next,
      took: Math.min(best.took, next.took),
      growth: Math.min(best.growth, next.growth),
      blocked: Math.min(best.blocked, next.blocked),
    }
  }
  return best
}

/** Fails where an answer cost more than it may, and shows all that it cost. */
export function assertWithin(outcome: HeavyOutcome, task: Pick<HeavyTask, 'timeout'>): void {
  if (process.env.SHOW_FIGURES) console.log(figures(outcome))
  assert.ok(isWithin(outcome, task), figures(outcome))
}

function isWithin({ took, growth, blocked }: HeavyOutcome, { timeout }: Pick<HeavyTask, 'timeout'>): boolean {
  return took <= timeout * 1000 + bounds.late && growth <= bounds.growth && blocked <= bounds.blocked
}

function figures({ took, growth, blocked, said, sentence }: HeavyOutcome): string {
  const megabytes = (growth / 1024 / 1024).toFixed(1)
  return `${said}: took ${took.toFixed(0)} ms, grew ${megabytes} MB, blocked ${blocked.toFixed(0)} ms. ${sentence}`
}

async function oneRun(task: HeavyTask, prepare: () => void): Promise<HeavyOutcome> {
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
    return (await next()) as HeavyOutcome
  } finally {
    child.kill()
  }
}
