import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { answerOverConnections } from '../../../harness/clock/memory-exchange.ts'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import { type FlowHarness, type StartedFlow, useFlowHarness } from '../../../harness/flow.ts'
import { PassedCode } from '../../../harness/metrics/passed-code.ts'
import { noteWay } from '../../../harness/mocha/suite-record.ts'
import { second } from '../../../src/duration.ts'

/**
 * The most files, and functions in them, that one action may pass in a Node-RED with one panel that is at rest. The command
 * and the sign-in note attempts in their log, the others do not. Raise none: who adds a step finds one that can go. They were
 * raised once, because the pace must know when nobody listens to the state, and what is slow because of the day. That of the
 * command was raised once more, because it must know what showed before it and what earlier ones may still bring. The poll,
 * the sign-in and the event were raised once more, because the place of each attempt in the queue is watched, and
 * the chunks of an answer are counted where Node adds them; that of the event, because on a read-only disk an event can be a repeat.
 */
const bounds = {
  poll: { files: 42, functions: 272 },
  command: { files: 52, functions: 313 },
  signIn: { files: 53, functions: 370 },
  event: { files: 55, functions: 361 },
} as const

/** The actions that note attempts in their log: those of more than two requests. */
const notesAttempts: readonly (keyof typeof bounds)[] = ['command', 'signIn']
const attemptLog = 'src/account/service-user/rate-limit/attempt-log.ts'

const page = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8')

/** The names of the files in the diagram of a poll. */
const shown = [
  ...(/```mermaid\n([\s\S]*?)```/.exec(page)?.[1] ?? '').matchAll(/\["((?:[\w-]+\/)*[\w-]+\.ts)"\]/g),
].map(([, path = '']) => path)

describe('The way through the code', () => {
  const harness = useFlowHarness()
  const code = new PassedCode()

  before(() => code.start())
  after(() => code.stop())

  /** Starts a flow whose requests go over connections: HTTP belongs to the way. */
  async function start(...options: Parameters<FlowHarness['start']>): Promise<StartedFlow> {
    const started = await harness.start(...options)
    answerOverConnections(started.simulator)
    return started
  }

  /** Runs an action in a flow that has run for a while, and compares what it passes with its bounds. */
  async function check(
    action: keyof typeof bounds,
    { flow }: StartedFlow,
    output: string,
    run: () => void = () => {},
  ): Promise<readonly string[]> {
    await processTime.pass(30 * second)
    const look = async () => {
      flow.output(output).skip()
      code.forget()
      run()
      await flow.output(output).next()
      await processTime.settle()
      return code.passed()
    }
    let { files, functions } = await look()
    // One request of eight notes the next ones.
    while (!notesAttempts.includes(action) && files.includes(attemptLog))
      ({ files, functions } = await look())
    noteWay({ way: action, files: files.length, functions })
    const { files: maxFiles, functions: maxFunctions } = bounds[action]
    assert.ok(files.length <= maxFiles, `${files.length} files, ${functions} functions:\n${files.join('\n')}`)
    assert.ok(functions <= maxFunctions, `${functions} functions`)
    return files
  }

  it('of a poll of the state is short, and the page about the architecture shows its main steps', async () => {
    const started = await start({ nodes: { state: { type: 'keyholder-state', emit: 'poll' } } })
    const passed = await check('poll', started, 'state')
    assert.ok(shown.length > 20)
    const elsewhere = shown.filter((step) => !passed.some((file) => file.endsWith(`/${step}`)))
    assert.deepEqual(elsewhere, [])
  })

  it('of a command is short', async () => {
    const command = { type: 'keyholder-command', partition: 1, state: 'DISARM' }
    const panel = { allowCommands: true }
    const started = await start({ panel, nodes: { command } }, { speed: 100 })
    const { home, flow } = started
    // The first command signs in, and opens the panel.
    flow.input('command')
    await flow.output('command').next()
    home.arm(1, 'AWAY', { exitDelay: 0 })
    await check('command', started, 'command', () => flow.input('command'))
  })

  it('of a sign-in after an expiry, with the poll that needs it, is short', async () => {
    const started = await start({ nodes: { state: { type: 'keyholder-state', emit: 'poll' } } })
    await check('signIn', started, 'state', () => started.simulator.accounts.expireUserTokens())
  })

  it('of an event is short, from the poll to the saved position', async () => {
    const started = await start({ nodes: { events: { type: 'keyholder-events' } } })
    const { home } = started
    home.log({ type_id: 60, zone: 1 })
    await check('event', started, 'events', () => home.log({ type_id: 60, zone: 2 }))
  })
})
