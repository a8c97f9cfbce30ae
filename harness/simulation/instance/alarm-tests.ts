import type { Clock } from '../../../src/clock.ts'
import type { FlowPart } from '../../flow/flow-part.ts'
import { commandNode } from '../commands/house-commands.ts'
import type { Deed } from '../life.ts'
import type { Machine } from '../machine.ts'
import { submitForm } from './editor.ts'
import { chainNode, type WatchedNodes } from './watched-nodes.ts'

/** The parts of an instance that tests of its alarms use. */
interface TestedInstance {
  readonly machine: Machine
  readonly nodes: Pick<WatchedNodes, 'chain' | 'rehearsals'>
  /** The ids of its nodes. */
  readonly part: Pick<FlowPart, 'ids' | 'panel'>
  readonly clock: Clock
}

/** The tests of alarms that people and flows make on one instance: rehearsals, and tests of the alarm chain. */
export class AlarmTests {
  readonly #machine: Machine
  readonly #nodes: TestedInstance['nodes']
  readonly #part: TestedInstance['part']
  readonly #clock: Clock

  constructor({ machine, nodes, part, clock }: TestedInstance) {
    this.#machine = machine
    this.#nodes = nodes
    this.#part = part
    this.#clock = clock
  }

  /** Lets somebody begin, stop or answer a test; returns false for another deed. */
  perform(deed: Deed): boolean {
    switch (deed.what) {
      case 'rehearsal':
        this.#rehearse({ ...deed, action: 'start' }, () =>
          this.#nodes.rehearsals.begin(deed, this.#clock.monotonic()),
        )
        return true
      case 'rehearsal stops':
        this.#rehearse({ action: 'stop' }, () => this.#nodes.rehearsals.stop())
        return true
      case 'rehearsed command':
        this.#machine.flow?.input(commandNode, { payload: { ...deed.command }, rehearsal: deed.mark })
        return true
      case 'chain test':
        this.#testChain(deed)
        return true
      case 'chain answer':
        this.#answerChain(deed)
        return true
      default:
        return false
    }
  }

  /** Follows what the editor shows of a rehearsal that runs. */
  look(): void {
    if (this.#nodes.rehearsals.isRunning) this.#rehearse({ action: 'show' })
  }

  /** Sends the form of rehearsals, and follows what it shows before and after. */
  #rehearse(form: { readonly action: string }, prepare = () => true): void {
    const { flow, process } = this.#machine
    if (flow === undefined) return
    const place = { kind: 'panel', id: this.#part.panel, name: 'rehearsal' }
    const follow = (shown: Readonly<Record<string, unknown>>) =>
      this.#nodes.rehearsals.follow(shown, this.#clock.monotonic())
    // One that is stalled answers later.
    process?.queue(() =>
      submitForm(flow, place, { action: 'show' }, (shown) => {
        follow(shown)
        if (prepare())
          submitForm(flow, place, form, (answer) => {
            // While the flows are deployed, none begins.
            const isRefused = form.action === 'start' && answer.state === 'undeployed'
            if (isRefused) this.#nodes.rehearsals.refuse(this.#clock.monotonic())
            else follow(answer)
          })
        else submitForm(flow, place, form)
      }),
    )
  }

  #testChain({ from }: Extract<Deed, { what: 'chain test' }>): void {
    const { flow, process } = this.#machine
    if (!flow?.has(chainNode)) return
    if (from !== 'network') this.#nodes.chain.want()
    const request = { req: { method: 'POST' } }
    if (from === 'button') {
      const id = this.#part.ids.get(chainNode) ?? ''
      process?.queue(() => submitForm(flow, { kind: 'chain-test', id, name: 'start' }, {}))
    } else flow.input(chainNode, { payload: 'test', ...(from === 'network' && request) })
  }

  #answerChain({ from, attempt }: Extract<Deed, { what: 'chain answer' }>): void {
    const { flow } = this.#machine
    if (!flow?.has(chainNode)) return
    const question = this.#nodes.chain.question(attempt)
    if (question === undefined) return
    const { answer, message } = question
    const now = this.#clock.monotonic()
    if (from === 'person') this.#nodes.chain.answer(question, now)
    const method = from === 'preview' ? 'GET' : 'POST'
    flow.input(chainNode, from === 'echo' ? { ...message } : { payload: { answer }, req: { method } })
  }
}
