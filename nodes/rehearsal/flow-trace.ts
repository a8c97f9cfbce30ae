import { EventEmitter } from 'node:events'
import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { Clock } from '../../src/clock.ts'
import { onOneLine } from '../../src/service/error.ts'
import { isRehearsed } from '../config/config-nodes.ts'
import { guard } from '../shared/guard.ts'
import { textOfMessage } from './message-text.ts'
import { alarmOf } from './rehearsed-nodes.ts'
import type { Caught, Sending, TracedError, Visit } from './trace-records.ts'

interface Carried {
  sending: Sending
  at: number
}

type Message = NodeMessage & Record<string, unknown>
interface Send {
  msg: Message
  source: { id: string }
}
interface Receive {
  msg: Message
  destination: { id: string; node: Node & { _expectedDoneCount?: number } }
}
interface Complete {
  msg: Message
  error?: unknown
  node: { id: string }
}

/** Messages of nodes that are followed; those of a longer rehearsal are not. */
const maxSendings = 2000

/** Messages of a way out in a report. */
const maxArrivals = 50

/** The number of times that a node may get one message before it counts as a loop: a few retries are none. */
export const maxPasses = 30

/** Errors, and Catch nodes that got one, in a report. */
const maxErrors = 500

/** Characters of an error in the report. */
const maxErrorLength = 160

const label = 'keyholder-rehearsal'
const traced = ['onSend', 'preDeliver', 'onReceive', 'onComplete'] as const

/**
 * Follows the messages of a rehearsal through the flows by Node-RED's message hooks: those with `rehearsal: true`, and what
 * nodes make of them.
 *
 * It keeps no message: objects are known weakly, and topics, kinds and the texts at ways out are copied. It only looks: no
 * hook throws, waits or stops a message.
 */
export class FlowTrace {
  readonly sendings: Sending[] = []
  readonly visits = new Map<string, Visit>()
  readonly errors: TracedError[] = []
  readonly catches: Caught[] = []
  readonly #RED: NodeAPI
  readonly #sources: ReadonlyMap<string, string>
  readonly #clock: Clock
  readonly #begin: number
  readonly #isWay: (id: string) => boolean
  /** The times at which the scene began, and at which what it is about was done; infinite until then. */
  sceneAt = Number.POSITIVE_INFINITY
  deedAt = Number.POSITIVE_INFINITY
  readonly #carried = new WeakMap<object, Carried>()
  readonly #bySend = new WeakMap<object, Sending>()
  readonly #byId = new Map<string, Sending>()
  /** The message that each node received last. */
  readonly #current = new Map<string, { id: string | undefined; sending: Sending }>()
  readonly #log = new EventEmitter()
  /** The errors that are in the log. */
  readonly #logged = new Set<TracedError>()

  /**
   * @param nodes the nodes of the panel
   * @param isWay tells if a node tells or wakes somebody or switches something
   */
  constructor(RED: NodeAPI, nodes: readonly Node[], clock: Clock, isWay: (id: string) => boolean) {
    this.#RED = RED
    this.#sources = new Map(nodes.map(({ id, type }) => [id, type]))
    this.#clock = clock
    this.#begin = clock.monotonic()
    this.#isWay = isWay
  }

  /** Milliseconds since the begin. */
  get now(): number {
    return Math.round(this.#clock.monotonic() - this.#begin)
  }

  /** Tells if a message came after the deed of the scene, and is not the repeated one of a restart. */
  isNews({ at, isLate }: Sending): boolean {
    return at >= this.deedAt && !isLate
  }

  /** Begins to look; `stop` ends it. */
  start(): void {
    const { hooks, log } = this.#RED
    this.stop()
    const add = <T>(hook: (typeof traced)[number], look: (event: T) => void) =>
      hooks.add(`${hook}.${label}`, (event: T) => this.#guarded(() => look(event)))
    add<Send[]>('onSend', (events) => {
      for (const event of events) this.#send(event)
    })
    add<Send>('preDeliver', (event) => this.#deliver(event))
    add<Receive>('onReceive', (event) => this.#receive(event))
    add<Complete>('onComplete', (event) => this.#complete(event))
    this.#log.on('log', (line: { level: number; id?: string; msg?: unknown }) =>
      this.#guarded(() => {
        if (line.level === log.ERROR) this.#logError(line.id ?? '', toError(line.msg))
      }),
    )
    log.addHandler(this.#log)
  }

  /** Ends it; Node-RED is then as before. */
  stop(): void {
    this.#RED.hooks.remove(`*.${label}`)
    this.#log.removeAllListeners()
    this.#RED.log.removeHandler(this.#log)
  }

  #guarded(look: () => void): void {
    guard({ error: () => {} }, look)
  }

  #send(event: Send): void {
    const { msg, source } = event
    const sending = this.#carried.get(msg)?.sending ?? this.#descent(msg, source.id)
    if (sending === undefined) return
    this.#carry(msg, sending)
    this.#bySend.set(event, sending)
    if (sending.node !== source.id || sending.passes.has(source.id)) sending.passedBy.add(source.id)
  }

  /** Returns the sending of a message that is not known yet: what its node has just received, else a new one. */
  #descent(msg: Message, source: string): Sending | undefined {
    const current = this.#current.get(source)
    const type = this.#sources.get(source)
    if (type !== undefined && isRehearsed(msg) && current?.id !== msg._msgid)
      return this.#beginSending(msg, source, type)
    if (current !== undefined && (current.id === msg._msgid || isRehearsed(msg))) return current.sending
    return (
      this.#byId.get(msg._msgid ?? '') ?? (isRehearsed(msg) ? this.#beginSending(msg, source, '') : undefined)
    )
  }

  /** Returns the sending of an error of a node of the panel: Node-RED gives it to the Catch nodes without sending it. */
  #beginWithError(msg: Message): Sending | undefined {
    const source = (msg.error as { source?: { id?: string } } | undefined)?.source?.id
    return isRehearsed(msg) && source !== undefined ? this.#beginSending(msg, source, '') : undefined
  }

  #beginSending(msg: Message, node: string, type: string): Sending | undefined {
    if (this.sendings.length >= maxSendings) return undefined
    const news = { alarm: alarmOf(type, msg), isLate: msg.late === true }
    const { batch = { size: 0 } } = this.#byId.get(msg._msgid ?? '') ?? {}
    batch.size += 1
    const sending: Sending = { at: this.now, node, ...news, batch, passes: new Map(), passedBy: new Set() }
    this.sendings.push(sending)
    return sending
  }

  #carry(msg: Message, sending: Sending): Carried {
    const carried = this.#carried.get(msg) ?? { sending, at: this.now }
    this.#carried.set(msg, carried)
    if (msg._msgid !== undefined) this.#byId.set(msg._msgid, sending)
    return carried
  }

  /** Notes the message that is delivered: it can be a copy of the one that was sent. */
  #deliver(event: Send): void {
    const sending = this.#bySend.get(event)
    if (sending !== undefined) this.#carry(event.msg, sending)
  }

  #receive({ msg, destination: { id, node } }: Receive): void {
    const sending =
      this.#carried.get(msg)?.sending ?? this.#byId.get(msg._msgid ?? '') ?? this.#beginWithError(msg)
    if (sending === undefined || isLooping(sending)) return
    this.#carry(msg, sending).at = this.now
    sending.passes.set(id, (sending.passes.get(id) ?? 0) + 1)
    this.#current.set(id, { id: msg._msgid, sending })
    const visit = this.#visit(id)
    visit.received += 1
    visit.isOfScene ||= sending.at >= this.sceneAt
    if (sending.at >= this.sceneAt && visit.arrivals.length < maxArrivals && this.#isWay(id))
      visit.arrivals.push({ sending, at: this.now, doneAt: null, hasFailed: false, text: textOfMessage(msg) })
    visit.saysDone = (node._expectedDoneCount ?? 0) > 0
    if (visit.saysDone) {
      if (visit.open === 0) visit.openSince = this.now
      visit.open += 1
    }
    if (node.type === 'catch') this.#catchError(id, msg)
  }

  #complete({ msg, error, node: { id } }: Complete): void {
    const carried = this.#carried.get(msg)
    const visit = this.visits.get(id)
    if (visit === undefined || (carried === undefined && !this.#byId.has(msg._msgid ?? ''))) return
    visit.doneAt ??= this.now
    const sending = carried?.sending ?? this.#byId.get(msg._msgid ?? '')
    const arrival = visit.arrivals.find((one) => one.doneAt === null && one.sending === sending)
    if (arrival !== undefined) arrival.doneAt = this.now
    visit.longest = Math.max(visit.longest, this.now - (carried?.at ?? this.now))
    visit.open = Math.max(0, visit.open - 1)
    const fail = () => {
      for (const one of arrival === undefined ? visit.arrivals : [arrival]) one.hasFailed = true
    }
    if (error) {
      fail()
      this.#noteError(id, error, false)
    } else if (msg.statusCode !== undefined && this.#RED.nodes.getNode(id)?.type === 'http request') {
      const { statusCode } = msg
      if (typeof statusCode === 'number' && statusCode < 400) return
      fail()
      this.#noteError(id, `HTTP ${statusCode}`, true)
    }
  }

  #visit(id: string): Visit {
    const known = this.visits.get(id)
    if (known !== undefined) return known
    const visit = {
      ...{ firstAt: this.now, received: 0, open: 0, saysDone: false, openSince: this.now, doneAt: null },
      ...{ longest: 0, arrivals: [], isOfScene: false },
    }
    this.visits.set(id, visit)
    return visit
  }

  #catchError(id: string, msg: Message): void {
    const { message, source } = (msg.error ?? {}) as { message?: unknown; source?: { id?: string } }
    if (source?.id === undefined) return
    const known = this.errors.findLast(({ node, isCaught }) => node === source.id && !isCaught)
    if (known !== undefined && !this.#logged.has(known)) known.isCaught = true
    else if (!this.#isCaughtNow(source.id)) this.#throwAside(source.id, message, true)
    if (this.catches.length < maxErrors) this.catches.push({ node: id, source: source.id, at: this.now })
  }

  /** Tells if another Catch node has got the same error. */
  #isCaughtNow(node: string): boolean {
    const last = this.errors.findLast((error) => error.node === node)
    return last?.isCaught === true && last.at === this.now
  }

  /** Notes an error that no node has passed to `done`: it was thrown, or told by `node.error`. */
  #throwAside(id: string, error: unknown, isCaught: boolean): TracedError {
    const visit = this.visits.get(id)
    if (visit !== undefined) {
      visit.open = Math.max(0, visit.open - 1)
      // Which message it is about is not known: rather a failure too many than an alarm that nobody got.
      const open = visit.arrivals.filter(({ doneAt }) => doneAt === null)
      for (const one of open.length > 0 ? open : visit.arrivals) one.hasFailed = true
    }
    return this.#noteError(id, error, isCaught)
  }

  #logError(id: string, error: unknown): void {
    if (!this.visits.has(id)) return
    const known = this.errors.findLast(({ node, isCaught }) => node === id && !isCaught)
    const isNew = known === undefined || this.#logged.has(known)
    this.#logged.add(isNew ? this.#throwAside(id, error, false) : known)
  }

  #noteError(node: string, error: unknown, isCaught: boolean): TracedError {
    const { message, name } = (typeof error === 'object' && error !== null ? error : {}) as Partial<Error>
    const text = onOneLine(String(message ?? error)).replace(/\w+:\/\/\S+/g, '…')
    const noted = { node, at: this.now, text: text.slice(0, maxErrorLength), name: name ?? '', isCaught }
    if (this.errors.length < maxErrors) this.errors.push(noted)
    return noted
  }
}

/** Tells if a message is followed no more, because a node got it far too often. */
function isLooping({ passes, batch }: Sending): boolean {
  for (const count of passes.values()) if (count > maxPasses * 2 * batch.size) return true
  return false
}

/**
 * Returns the error of a line of the log, or its text. The Debug node, whose handler comes first, has replaced an error in the line by
 * JSON (`encodeObject` of Node-RED's util).
 */
function toError(logged: unknown): unknown {
  const isEncoded = typeof logged === 'string' && logged.startsWith('{"__enc__":true,"type":"error"')
  return isEncoded ? (JSON.parse(logged) as { data: unknown }).data : logged
}
