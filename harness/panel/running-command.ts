import type { Command } from '../../src/panel/commands/command.ts'
import type { CommandQueue, CommandTurn, CompletedCommand } from '../../src/panel/commands/command-queue.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import { neverAborted } from '../account.ts'

/** A command in a queue whose work the test does. */
export interface RunningCommand {
  /** Undefined until the turn of the command has come. */
  turn?: CommandTurn
  isOver: boolean
  done?: Snapshot<CompletedCommand>
  error?: KeyholderError
  /** Ends the work. */
  succeed(): void
  fail(error: KeyholderError): void
}

/** Gives a command to a queue. */
export function runCommand(
  queue: CommandQueue,
  command: Command,
  { node = '', signal = neverAborted() } = {},
): RunningCommand {
  let [resolve, reject]: [(done: Snapshot<CompletedCommand>) => void, (error: KeyholderError) => void] = [
    () => {},
    () => {},
  ]
  const work = new Promise<Snapshot<CompletedCommand>>((...ends) => {
    ;[resolve, reject] = ends
  })
  // Its turn may never come.
  work.catch(() => {})
  const times = { fetchedAt: 1000, at: 0, sentAt: 0, validFor: Number.POSITIVE_INFINITY }
  const running: RunningCommand = {
    isOver: false,
    succeed: () => resolve({ view: { tookMs: 1000, already: false }, ...times }),
    fail: (error) => reject(error),
  }
  const run = (turn: CommandTurn) => {
    running.turn = turn
    return work
  }
  queue.run({ command, node, signal }, run).then(
    (done) => Object.assign(running, { done, isOver: true }),
    (error) => Object.assign(running, { error, isOver: true }),
  )
  return running
}
