import type { NodeAPI } from 'node-red'
import { type Clock, delay } from '../../src/clock.ts'
import { counted, minute, second } from '../../src/duration.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { playScene, type RehearsalScene } from '../../src/simulator/scenarios/rehearsal-scenes.ts'
import { noRehearsal, type PanelNode, type RehearsalInput } from '../config/config-nodes.ts'
import { runningDemo } from '../config/demo.ts'
import { guard } from '../shared/guard.ts'
import type { RehearsalTexts } from '../shared/message-texts.ts'
import { flowsStarted } from '../shared/node-lifecycle.ts'
import { type FlowReport, type StartedReport, startFlowReport } from './flow-report.ts'
import { MarkedNodes } from './marked-nodes.ts'
import { type RealNews, watchRealNews } from './real-news.ts'
import { stopTelling } from './real-state.ts'
import { openRehearsalPanel, type RehearsalPanel } from './rehearsal-panel.ts'
import { candidates, RehearsedNodes } from './rehearsed-nodes.ts'

/** The longest rehearsal in milliseconds. */
export const maxDuration = 10 * minute

/** Milliseconds after the end of a scene in which the nodes tell what has come of it. */
const settling = 10 * second

/** Milliseconds that the first answers of the real panel may take; what is not known by then is made up. */
const maxFirstAnswers = 5 * second

/** Milliseconds that the first answers of the simulated panel may take. */
const maxPreparation = 30 * second

/** The pace of a scene if the user wants it to be faster: so many times as fast. */
const fasterPace = 4

/** The user's choice for a rehearsal. */
export interface RehearsalChoice {
  scene: RehearsalScene
  faster: boolean
  /** True if the nodes for Home Assistant take part. */
  homeAssistant: boolean
}

/**
 * The reason for which a rehearsal has ended: `scene`, its scene is over; `stopped` by the user; `event`, `state` and
 * `command`, something happened at the real panel; `time`, after `maxDuration`; `deploy`; `failed`.
 */
export type RehearsalEnd = RealNews | 'scene' | 'stopped' | 'time' | 'deploy' | 'failed'

/** A rehearsal as the dialog and messages show it; times are milliseconds since 1970. */
export interface RehearsalProgress extends RehearsalChoice {
  startedAt: number
  endedAt: number | null
  ended: RehearsalEnd | null
  /** The number of marked messages that were sent. */
  sent: number
  /** The report of what the messages reached; null until the end. */
  report: FlowReport | null
}

/**
 * A rehearsal: the nodes of a panel tell a scene that is played at a simulated copy of it. The nodes go on with the real
 * panel beside it, and whatever happens there ends the rehearsal.
 */
export class Rehearsal {
  readonly #RED: NodeAPI
  readonly #panelNode: PanelNode
  readonly #choice: RehearsalChoice
  readonly #clock: Clock
  readonly #over: string
  readonly #life = new AbortController()
  readonly #nodes: RehearsedNodes
  readonly #startedAt: number
  /** The functions that end what belongs to the rehearsal, in the order in which it began. */
  readonly #stops: (() => void)[] = []
  #rehearsed: RehearsalPanel | undefined
  #marks: MarkedNodes | undefined
  #endedAt: number | null = null
  #ended: RehearsalEnd | null = null
  #settle: (() => void) | undefined
  #flows: StartedReport | undefined
  #report: FlowReport | null = null
  /** Resolves when the rehearsal has ended and nothing of it is left. Never rejects. */
  readonly ended: Promise<void>

  /** @param texts about rehearsals, in the language of the account */
  constructor(
    RED: NodeAPI,
    panelNode: PanelNode,
    choice: RehearsalChoice,
    clock: Clock,
    texts: RehearsalTexts,
  ) {
    const { word } = texts
    this.#RED = RED
    this.#panelNode = panelNode
    this.#choice = choice
    this.#clock = clock
    this.#over = `${word}: ${texts.ended('scene')}`
    this.#nodes = new RehearsedNodes(RED, panelNode, {
      word,
      signal: this.#life.signal,
      onMark: (node, message) => this.#marks?.note(node, message),
      onRequest: () => this.end('command'),
    })
    this.#startedAt = clock.wall()
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  get panelId(): string {
    return this.#panelNode.id
  }

  get progress(): RehearsalProgress {
    const times = { startedAt: this.#startedAt, endedAt: this.#endedAt, ended: this.#ended }
    return { ...this.#choice, ...times, sent: this.#nodes.sent, report: this.#report }
  }

  /**
   * Prepares the simulated panel and begins the scene.
   * @throws KeyholderError if the real panel cannot be opened, or is in an alarm
   */
  async start(): Promise<void> {
    const onDeploy = () => this.end('deploy')
    this.#RED.events.once('flows:stopping', onDeploy)
    this.#stops.push(() => this.#RED.events.off('flows:stopping', onDeploy))
    this.#stops.push(this.#clock.after(maxDuration, () => this.end('time')))
    try {
      const panel = await this.#panelNode.open()
      await this.#readFirst(panel)
      const { alarms, delay: running } = panel.situation.facts
      if (alarms.length > 0 || running !== null) throw refused('an alarm or a delay runs at the real panel')
      stopTelling(this.panelId)
      this.#marks = new MarkedNodes(panel.rehearsalFile, this.#over)
      this.#panelNode.log(`A rehearsal begins: ${this.#choice.scene}. Messages of it have rehearsal: true.`)
      await this.#calmDemo(panel)
      this.#life.signal.throwIfAborted()
      // The nodes go on with the real panel, and whatever happens there ends the rehearsal.
      this.#stops.push(watchRealNews(this.#panelNode, panel, (news) => this.end(news)))
      const pace = this.#choice.faster ? fasterPace : 1
      this.#rehearsed = await openRehearsalPanel(panel, this.#choice.scene, pace)
      this.#life.signal.throwIfAborted()
      const nodes = candidates(this.#panelNode, this.#choice.homeAssistant)
      guard(this.#panelNode, () => {
        this.#flows = startFlowReport(this.#RED, { panelNode: this.#panelNode, nodes, clock: this.#clock })
      })
      await this.#nodes.attach(nodes, this.#rehearsed.panel)
      await this.#readRehearsed(this.#rehearsed.panel)
      this.#play(this.#rehearsed, pace)
    } catch (thrown) {
      // It has ended meanwhile.
      if (this.#ended !== null) return void (await this.#close())
      this.end('failed')
      throw thrown
    }
  }

  /** Ends the rehearsal at once; what it has opened is closed soon after. */
  end(reason: RehearsalEnd): void {
    if (this.#ended !== null) return
    this.#ended = reason
    this.#endedAt = this.#clock.wall()
    this.#life.abort()
    guard(this.#panelNode, () => {
      this.#report = this.#flows?.finish() ?? null
    })
    this.#nodes.stop()
    for (const stop of this.#stops.splice(0).reverse()) guard(this.#panelNode, stop)
    this.#panelNode.log(`The rehearsal has ended: ${endings[reason]}.`)
    guard(this.#panelNode, () => this.#close())
    guard(this.#panelNode, () => this.#tellRealState(reason === 'deploy'))
  }

  /**
   * Answers a marked message as the node would answer it.
   * @throws KeyholderError
   */
  async answer(input: RehearsalInput): Promise<void> {
    const panel = this.#rehearsed?.panel
    if (panel === undefined) throw noRehearsal()
    await this.#nodes.answer(panel, input)
  }

  /** Waits for the first answers of the real panel, which show how it is, for some seconds at most. */
  async #readFirst(panel: Panel): Promise<void> {
    await this.#follow(panel, maxFirstAnswers, () =>
      [panel.state, panel.events, panel.devices].every(({ latest }) => latest !== undefined),
    )
  }

  async #readRehearsed(panel: Panel): Promise<void> {
    // The first list of events may be thin, so what is not in it is no news yet.
    const isKnown = () => panel.situation.isKnown && panel.devices.latest !== undefined
    await this.#follow(panel, maxPreparation, isKnown)
    if (!isKnown()) throw refused('the simulated panel does not answer')
  }

  /** Has a panel polled until the end, and waits for some of its answers, or for a while. */
  async #follow(panel: Panel, wait: number, isDone: () => boolean): Promise<void> {
    const waiting = new AbortController()
    const check = () => {
      if (isDone()) waiting.abort()
    }
    const listener = { snapshot: () => setImmediate(check), condition: () => {} }
    this.#life.signal.throwIfAborted()
    for (const poller of [panel.state, panel.events, panel.devices])
      this.#stops.push(poller.subscribe(listener, { id: 'rehearsal', instances: 'every' }))
    check()
    await delay(this.#clock, wait, AbortSignal.any([waiting.signal, this.#life.signal])).catch(() => {})
    this.#life.signal.throwIfAborted()
  }

  #play({ simulator: { world } }: RehearsalPanel, pace: number): void {
    const [copy] = world.panels
    if (copy === undefined) return
    const onEnd = () =>
      this.#stops.push(
        this.#clock.after(settling / 2, () => guard(this.#panelNode, () => this.#nodes.repeatLate())),
        this.#clock.after(settling, () => this.end('scene')),
      )
    this.#flows?.beginScene()
    const onDeed = () => guard(this.#panelNode, () => this.#flows?.noteDeed())
    this.#stops.push(playScene(this.#choice.scene, copy, world.time, pace, onEnd, onDeed))
  }

  /** Has the household of a demo give way, whose doings would be real news. */
  async #calmDemo(panel: Panel): Promise<void> {
    const demo = await runningDemo(String(this.#panelNode.deployed.account))
    if (demo === undefined) return
    for (const { residents } of demo.simulator.world.panels) residents?.giveWay()
    await panel.events.read(this.#life.signal)
  }

  /**
   * Has the flows hear how the real panel is. A deploy drops what nodes send meanwhile, and a panel that it restarts sees to
   * that itself.
   */
  async #tellRealState(isDeployed: boolean): Promise<void> {
    if (isDeployed) await flowsStarted(this.#RED)
    if (this.#RED.nodes.getNode(this.panelId) === this.#panelNode) this.#panelNode.tellRealState()
  }

  /** Closes what the rehearsal has opened so far; called again if something was being opened at the end. */
  async #close(): Promise<void> {
    const rehearsed = this.#rehearsed
    this.#rehearsed = undefined
    try {
      await rehearsed?.close()
    } finally {
      this.#settle?.()
    }
  }
}

const endings: Readonly<Record<RehearsalEnd, string>> = {
  scene: 'its scene is over',
  stopped: 'it was stopped',
  event: 'something happened at the real panel',
  state: 'the state of the real panel changed',
  command: 'a command to the real panel came',
  time: `it lasted ${counted(maxDuration / minute, 'minute')}`,
  deploy: 'the flows were deployed',
  failed: 'it could not begin',
}

/** Returns the error for a rehearsal that cannot begin. */
export function refused(why: string): KeyholderError {
  return new KeyholderError('INVALID_TRANSITION', `Rehearsal: it cannot begin now, because ${why}.`)
}
