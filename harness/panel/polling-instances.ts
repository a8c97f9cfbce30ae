import { OutageReporter } from '../../src/panel/polling/outage-reporter.ts'
import { Poller } from '../../src/panel/polling/poller.ts'
import type { AnswerTimes } from '../../src/panel/snapshot.ts'
import type { Random } from '../../src/simulator/random.ts'
import { FakeClock } from '../clock/fake-clock.ts'
import { auditPolls, type PollFigures } from '../cluster/fleet/fleet-audit.ts'
import { createFakeLease, type FakeLease } from './fake-lease.ts'

/** Milliseconds of a simulated cluster. */
export interface SimulatedTimes {
  interval: number
  /** From the latest heartbeat of a killed instance until its session is over. */
  lease: number
  heartbeat: number
  /** From a kill until the instance is back. */
  restart: number
  /** From the return of an instance until it can send requests. */
  warmUp: number
}

interface SimulatedPanel {
  readonly name: string
  holder: SimulatedInstance | undefined
  /** The latest poll that has begun. */
  begun: { at: number; by: SimulatedInstance; isOpen: boolean } | undefined
  /** The time of the latest poll that has ended. */
  endedAt: number
}

interface SimulatedInstance {
  readonly leases: FakeLease[]
  readonly pollers: Poller<AnswerTimes>[]
  /** The latest answers by panel, which are read again. */
  readonly answers: Map<string, AnswerTimes>
  readonly readyAt: number
  isKilled: boolean
  isOver: boolean
}

/**
 * Instances that poll panels, killed and started again on a simulated clock: the pollers are those of the product, and the leases
 * follow the rules of `src/cluster/lua/leases.lua.ts`. A panel moves to the instance with the fewest.
 */
export class PollingInstances {
  readonly #clock = new FakeClock()
  readonly #random: Random
  readonly #times: SimulatedTimes
  readonly #panels: readonly SimulatedPanel[]
  readonly #polls: { operation: string; panel: string; at: number }[] = []
  #live: SimulatedInstance[] = []

  constructor(random: Random, times: SimulatedTimes, instances: number, panels: number) {
    this.#random = random
    this.#times = times
    const { interval } = times
    this.#panels = Array.from({ length: panels }, (_, nth) => {
      return { name: `${nth}`, holder: undefined, begun: undefined, endedAt: -interval }
    })
    for (let nth = 0; nth < instances; nth += 1) this.#start()
    for (const panel of this.#panels) this.#give(panel)
  }

  /**
   * Lets time pass, in which an instance is killed at regular intervals; returns the figures of the polls since the first kill.
   * @param isRead true if the holder of a random panel reads it in each heartbeat, as after a new event
   */
  async killEvery(ms: number, kills: number, isRead = false): Promise<PollFigures> {
    const { interval, heartbeat } = this.#times
    await this.#pass(2 * interval)
    const since = this.#clock.monotonic()
    for (let kill = 0; kill < kills; kill += 1) {
      for (let passed = 0; passed < ms; passed += heartbeat) {
        await this.#pass(Math.min(heartbeat, ms - passed))
        this.#share()
        if (isRead) this.#read()
      }
      this.#kill()
    }
    const names = this.#panels.map(({ name }) => name)
    return auditPolls(this.#polls, names, interval, since, this.#clock.monotonic())
  }

  async #pass(ms: number): Promise<void> {
    const end = this.#clock.monotonic() + ms
    while (this.#clock.monotonic() < end) {
      this.#clock.advance(Math.min(5, end - this.#clock.monotonic()))
      await new Promise(setImmediate)
    }
  }

  #start(): void {
    const readyAt = this.#clock.monotonic() + this.#times.warmUp
    const instance = {
      ...{ leases: [], pollers: [], answers: new Map() },
      readyAt,
      isKilled: false,
      isOver: false,
    }
    for (const panel of this.#panels) this.#open(panel, instance)
    this.#live.push(instance)
  }

  #kill(): void {
    const { lease, heartbeat, restart } = this.#times
    const killed = this.#random.pick(this.#live) as SimulatedInstance
    this.#live = this.#live.filter((one) => one !== killed)
    killed.isKilled = true
    for (const one of killed.leases) one.giveTo('nobody')
    this.#clock.after(lease - heartbeat * this.#random.next(), () => {
      killed.isOver = true
      for (const panel of this.#panels)
        if (panel.holder === killed) this.#clock.after(this.#delay(), () => this.#give(panel))
    })
    this.#clock.after(restart, () => this.#start())
  }

  #read(): void {
    const { name, holder } = this.#random.pick(this.#panels) as SimulatedPanel
    const poller = holder?.isKilled ? undefined : holder?.pollers[Number(name)]
    void poller?.readFor(new AbortController().signal, false)
  }

  /** Moves panels that are not just polled from the instances with more of them to one with fewer. */
  #share(): void {
    for (const panel of this.#panels) {
      const { holder, begun } = panel
      if (holder === undefined || holder.isKilled || (begun?.by === holder && begun.isOpen)) continue
      if (this.#count(this.#least) + 1 >= this.#count(holder)) continue
      panel.holder = undefined
      this.#leaseOf(panel, holder).giveTo('nobody')
      this.#give(panel)
    }
  }

  #give(panel: SimulatedPanel): void {
    const heir = this.#least
    panel.holder = heir
    this.#clock.after(this.#delay(), () => {
      if (panel.holder === heir && !heir.isKilled) this.#leaseOf(panel, heir).giveTo('here')
    })
  }

  /** Returns the time until a lease is taken: until the next heartbeat, and some answers of the server. */
  #delay(): number {
    return this.#times.heartbeat * (0.5 + this.#random.next())
  }

  get #least(): SimulatedInstance {
    return this.#live.reduce((least, one) => (this.#count(one) < this.#count(least) ? one : least))
  }

  #count(instance: SimulatedInstance): number {
    return this.#panels.filter(({ holder }) => holder === instance).length
  }

  #leaseOf({ name }: SimulatedPanel, { leases }: SimulatedInstance): FakeLease {
    return leases[Number(name)] as FakeLease
  }

  #open(panel: SimulatedPanel, instance: SimulatedInstance): void {
    const clock = this.#clock
    const { interval } = this.#times
    const lease = createFakeLease(() => clock.monotonic())
    const { begin, end } = lease
    lease.begin = (...asked) => {
      const { begun } = panel
      const isOther = begun !== undefined && begun.by !== instance
      lease.isKilled = isOther && begun.by.isOver
      lease.begunAgo = isOther ? clock.monotonic() - begun.at : Number.POSITIVE_INFINITY
      const [, minGap, minGapAfterKill = 0] = asked
      if (lease.isKilled && begun?.isOpen) {
        const endedAgo = clock.monotonic() - panel.endedAt
        lease.begunAgo = Math.max(lease.begunAgo, endedAgo - minGap + minGapAfterKill)
      }
      const left = begin(...asked)
      const hasBegun = lease.running.size > 0
      if (hasBegun) panel.begun = { at: clock.monotonic(), by: instance, isOpen: true }
      return left
    }
    lease.end = (work, outcome, age = 0) => {
      end(work, outcome, age)
      if (panel.begun?.by !== instance) return
      panel.endedAt = panel.begun.at - age
      panel.begun = { at: panel.endedAt, by: instance, isOpen: false }
    }
    lease.giveTo('nobody')
    const poller = new Poller({
      ...{ name: 'state', clock, lease, firstPriority: 1, isCached: false },
      outages: new OutageReporter(clock, { outage: () => {}, recovery: () => {} }),
      deliveryLease: () => lease,
      validFor: () => 3 * interval,
      interval: () => interval,
      isConstant: true,
      dueAt: () => (instance.answers.get(panel.name)?.at ?? Number.NEGATIVE_INFINITY) + interval,
      load: ({ signal, maxAge }) =>
        new Promise<AnswerTimes>((resolve, reject) => {
          const known = instance.answers.get(panel.name)
          if (known !== undefined && clock.monotonic() - known.sentAt < maxAge) return resolve(known)
          signal.addEventListener('abort', () => reject(new Error('closed')))
          const wait = Math.max(0, instance.readyAt - clock.monotonic()) + 20 * this.#random.next()
          clock.after(wait, () => {
            if (signal.aborted || instance.isKilled) return
            const sentAt = clock.monotonic()
            this.#polls.push({ operation: 'state', panel: panel.name, at: sentAt })
            clock.after(20, () => {
              if (instance.isKilled) return
              const answer = { sentAt, at: clock.monotonic(), fetchedAt: clock.wall() }
              instance.answers.set(panel.name, answer)
              resolve(answer)
            })
          })
        }),
    })
    poller.subscribe({ snapshot: () => {}, condition: () => {} })
    instance.leases.push(lease)
    instance.pollers.push(poller)
  }
}
