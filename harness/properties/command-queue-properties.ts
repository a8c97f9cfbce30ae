import assert from 'node:assert/strict'
import fc from 'fast-check'
import { cancels, isDisarm } from '../../src/panel/commands/command.ts'
import type { CommandQueue } from '../../src/panel/commands/command-queue.ts'
import { closedError, type KeyholderError } from '../../src/service/error.ts'
import { wholePanel } from '../../src/service/responses/status.ts'
import type { Instance, Testbed, Testbeds } from '../contract/testbed.ts'
import { seed } from '../mocha/seed.ts'
import { setState } from '../panel/commanded-panel.ts'
import { type RunningCommand, runCommand } from '../panel/running-command.ts'

interface Stores {
  readonly commandQueue: CommandQueue
}

/** A message to a node of one instance or, in the same moment, of several. */
interface Message {
  does: 'message'
  command: ReturnType<typeof setState>
  instances: readonly number[]
}

type Step =
  | Message
  | { does: 'work' | 'wake'; which: number }
  | { does: 'pass'; ms: number }
  | { does: 'kill'; when: 'sending' | 'sent' | 'at any time' }

const instances = 3

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('message' as const),
      command: fc
        .tuple(fc.constantFrom('AWAY', 'AWAY', 'DISARM'), fc.constantFrom(wholePanel, 1, 1))
        .map(([state, partition]) => setState(state, partition)),
      instances: fc.uniqueArray(fc.nat(instances - 1), { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 10, arbitrary: fc.nat(20).map((which): Step => ({ does: 'work', which })) },
  { weight: 1, arbitrary: fc.nat(20).map((which): Step => ({ does: 'wake', which })) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(1, 150, 1000, 6000).map((ms): Step => ({ does: 'pass', ms })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('sending' as const, 'sent' as const, 'at any time' as const)
      .map((when): Step => ({ does: 'kill', when })),
  },
)

/** A command at one instance, with the number of the message that it came with. */
interface Given {
  number: number
  command: Message['command']
  instance: number
  running: RunningCommand
  stage: 'checking' | 'sending' | 'sent' | 'over'
}

/** A queue in which a random sequence happens. */
class Sequence {
  readonly given: Given[] = []
  /** The commands that the panel got, in order. */
  readonly sent: Given[] = []
  readonly killed = new Set<number>()
  readonly #testbed: Testbed<Stores>
  readonly #instances: readonly Instance<Stores>[]
  #messages = 0

  constructor(testbed: Testbed<Stores>, opened: readonly Instance<Stores>[]) {
    this.#testbed = testbed
    this.#instances = opened
  }

  /**
   * The commands that processes work on.
   * @param areKilled true for those of killed processes, which may only have been stopped and go on now
   */
  open(areKilled: boolean): Given[] {
    return this.given.filter(
      ({ stage, running, instance }) =>
        stage !== 'over' && running.turn !== undefined && this.killed.has(instance) === areKilled,
    )
  }

  async happen(step: Step): Promise<void> {
    if (step.does === 'message') await this.#give(step)
    if (step.does === 'pass') await this.#testbed.advance(step.ms)
    if (step.does === 'kill') await this.#kill(step.when)
    if (step.does === 'work' || step.does === 'wake') {
      const open = this.open(step.does === 'wake')
      const one = open[step.which % Math.max(1, open.length)]
      if (one !== undefined) await this.work(one)
    }
  }

  /** Takes one step of the work on a command: announces it, sends it, or ends it. */
  async work(one: Given): Promise<void> {
    const turn = one.running.turn ?? assert.fail()
    if (one.stage === 'checking') {
      const announced = turn.beginSending()?.then(
        () => true,
        () => false,
      )
      await this.#testbed.advance(1)
      if (await announced) one.stage = 'sending'
      else this.#fail(one)
    } else if (one.stage === 'sending') {
      if (!turn.maySend()) return this.#fail(one)
      this.sent.push(one)
      one.stage = 'sent'
    } else {
      one.stage = 'over'
      turn.noteOutcome('done', { command: one.command, before: undefined })
      one.running.succeed()
      await this.#testbed.advance(1)
    }
  }

  /** Works on until every command of the live instances is over, and then lets the stopped ones go on. */
  async end(): Promise<void> {
    const isLeft = ({ instance, running }: Given) => !this.killed.has(instance) && !running.isOver
    for (let round = 0; this.given.some(isLeft); round += 1) {
      assert.ok(round < 400, 'a command never ended')
      for (const one of this.open(false)) await this.work(one)
      await this.#testbed.advance(500)
    }
    while (this.open(true).length > 0) for (const one of this.open(true)) await this.work(one)
  }

  async #give({ command, instances }: Message): Promise<void> {
    this.#messages += 1
    for (const instance of instances.filter((one) => !this.killed.has(one))) {
      const queue = this.#instances[instance]?.stores.commandQueue ?? assert.fail()
      const running = runCommand(queue, command, { node: `node ${this.#messages}` })
      this.given.push({ number: this.#messages, command, instance, running, stage: 'checking' })
      await this.#testbed.advance(1)
    }
  }

  /** Kills an instance with such a command, or any; one is always left. */
  async #kill(when: Given['stage'] | 'at any time'): Promise<void> {
    if (this.killed.size === instances - 1) return
    const open = this.open(false).filter(({ stage }) => when === 'at any time' || stage === when)
    const instance = open[0]?.instance
    if (instance === undefined) return
    this.killed.add(instance)
    await this.#instances[instance]?.kill()
  }

  #fail(one: Given): void {
    const { cancellation } = one.running.turn ?? assert.fail()
    one.stage = 'over'
    one.running.fail(cancellation.aborted ? (cancellation.reason as KeyholderError) : closedError())
  }
}

/** Adds a test of the promises of a command queue of several instances, with `numRuns` random sequences. */
export function testCommandQueueSequences({ start }: Testbeds<Stores>, numRuns: number): void {
  it(`sends no arming after a disarm that came later, and no message twice, though instances are killed or stopped, in ${numRuns} sequences (SEED=${seed})`, async () => {
    let sent = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const testbed = await start()
        try {
          const opened: Instance<Stores>[] = []
          for (let count = 0; count < instances; count += 1) opened.push(await testbed.open())
          const sequence = new Sequence(testbed, opened)
          for (const step of steps) await sequence.happen(step)
          await sequence.end()
          for (const [index, disarm] of sequence.sent.entries()) {
            if (!isDisarm(disarm.command)) continue
            const late = sequence.sent
              .slice(index + 1)
              .find(({ number, command }) => number < disarm.number && cancels(disarm.command, command))
            assert.equal(late, undefined, 'armed after a later disarm')
          }
          const numbers = sequence.sent.map(({ number }) => number)
          assert.equal(new Set(numbers).size, numbers.length, 'a message was sent twice')
          sent += numbers.length
        } finally {
          await testbed.close()
        }
      }),
      { numRuns, seed },
    )
    assert.ok(sent > numRuns, `only ${sent} were sent`)
  }).timeout(1_800_000)
}
