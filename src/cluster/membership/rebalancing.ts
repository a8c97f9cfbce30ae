import type { Clock } from '../../clock.ts'
import type { PollOutcome } from '../../panel/lease.ts'
import { tell } from '../lua/followers.lua.ts'
import { ask, asked, pass, withdraw } from '../lua/leases.lua.ts'
import { chunks, type Scripts, script } from '../redis/scripts.ts'
import { type LeaseEntry, type LeaseTable, rootOf } from './lease-table.ts'
import type { Heartbeat, Membership } from './membership.ts'
import { afterPass, afterPoll, afterTaking, mayTake } from './poll-record.ts'

const scripts = {
  tell: script(tell),
  ask: script(ask),
  withdraw: script(withdraw),
  asked: script(asked),
  pass: script(pass),
}

/** The hint that a panel is offered, before its name. */
const offer = 'offer '

/** Leases that one script handles; a longer script would keep the others waiting. */
export const maxPerScript = 200

/** The dependencies of the rebalancing. */
export interface RebalancingOptions {
  clock: Clock
  membership: Membership
  scripts: Scripts
  table: LeaseTable
  /** Looks soon at all leases. */
  look(): void
}

/**
 * Asks for leases that this instance lacks, and passes those that others ask for: until each instance has its share,
 * and when the polls of a panel fail here.
 */
export class Rebalancing {
  readonly #options: RebalancingOptions
  /** The leases that this instance has asked for and not withdrawn, also if they were passed since then. */
  readonly #asked = new Set<LeaseEntry>()
  #isAnswering = false

  constructor(options: RebalancingOptions) {
    this.#options = options
  }

  /** Follows what a heartbeat has told. Never throws. */
  noteHeartbeat({ asked, hints }: Pick<Heartbeat, 'asked' | 'hints'>): void {
    const { table } = this.#options
    if (asked > 0 && (this.#excess > 0 || table.wantedPanels.some((entry) => table.isOffered(entry))))
      void this.#answerAsks()
    // To pass what nobody asks for any more would interrupt its works, and deliver to its nodes anew.
    else for (const entry of table.wantedPanels) entry.isAsked = false
    for (const hint of hints) if (hint.startsWith(offer)) void this.#takeOffered(hint.slice(offer.length))
  }

  /** Asks others for leases if this instance has less than its share; else withdraws what it has asked for. */
  async askForMore(entries: readonly LeaseEntry[]): Promise<void> {
    const { table, membership } = this.#options
    // What it got might fail here too.
    const rests = entries.some((entry) => table.rests(entry))
    const missing = rests ? 0 : Math.floor(entries.length / membership.live) - table.figures.held
    if (missing <= 0) return this.#withdraw()
    const elsewhere = entries.filter((entry) => !table.isHeld(entry) && entry.token !== '')
    if (elsewhere.length === 0) return
    // Beginning anywhere, so that two instances do not ask for the same ones.
    const start = Math.floor(Math.random() * elsewhere.length)
    const turned = [...elsewhere.slice(start), ...elsewhere.slice(0, start)]
    const some = turned.slice(0, Math.min(missing, maxPerScript))
    for (const entry of some) this.#asked.add(entry)
    const names = some.map(({ name }) => name)
    await this.#options.scripts.run(scripts.ask, ['asks'], [membership.session, ...names])
  }

  /**
   * Withdraws what this instance has asked for: as long as anything is asked for, every heartbeat of each instance
   * looks for it. A panel that was offered a short time ago is still to be taken.
   */
  async #withdraw(): Promise<void> {
    const { membership, clock } = this.#options
    const now = clock.monotonic()
    const over = [...this.#asked].filter(({ polls }) => mayTake(polls, now))
    for (const some of chunks(over, maxPerScript)) {
      const names = some.map(({ name }) => name)
      await this.#options.scripts.run(scripts.withdraw, ['asks'], [membership.session, ...names])
      for (const entry of some) this.#asked.delete(entry)
    }
  }

  /** Passes what others ask for, at once or after the work that is under way. Never rejects. */
  async #answerAsks(): Promise<void> {
    const { table, membership } = this.#options
    // A slow answer must not be asked for again with each heartbeat.
    if (this.#isAnswering) return
    this.#isAnswering = true
    const held = table.wantedPanels.filter((entry) => table.isHeld(entry))
    for (const some of chunks(held, maxPerScript)) {
      const names = some.map(({ name }) => name)
      const [asked] = await this.#options.scripts.tryRun(
        scripts.asked,
        ['members', 'asks'],
        [membership.session, ...names],
      )
      for (const [index, entry] of some.entries())
        entry.isAsked = (asked as number[] | undefined)?.[index] === 1
    }
    await this.passAsked(held)
    this.#isAnswering = false
  }

  /**
   * Passes those leases of panels that another instance asks for and that are beyond the own share, unless a work is
   * under way. Never rejects.
   */
  async passAsked(entries: readonly LeaseEntry[]): Promise<void> {
    const { table } = this.#options
    const asked = entries.filter((entry) => entry.isAsked && table.isHeld(entry))
    if (asked.length === 0) return
    // Counted once: thousands of leases may be asked for at the same time.
    let excess = this.#excess
    const passing: Promise<void>[] = []
    for (const entry of asked) {
      const mayPass = excess > 0 || table.isOffered(entry)
      if (!mayPass || [entry, ...entry.members].some(({ works }) => works.size > 0)) continue
      excess -= 1
      passing.push(this.#pass(entry))
    }
    if (passing.length === 0) return
    await Promise.all(passing)
    this.#options.look()
  }

  /** Passes the lease of a panel with all that go with it. Never rejects. */
  async #pass(entry: LeaseEntry): Promise<void> {
    const { table, membership } = this.#options
    const { name, token, members } = entry
    const isOffered = table.isOffered(entry)
    entry.isAsked = false
    // Not held from now on: no work may begin while the lease is passed.
    table.lose(entry)
    for (const one of members) if (table.isHeld(one)) table.lose(one)
    const keys = ['members', 'leases', 'tokens', 'asks', 'version']
    const args = [membership.session, name, token, ...members.map((one) => one.name)]
    const [isPassed] = await this.#options.scripts.tryRun(scripts.pass, keys, args)
    if (isPassed === 1 && isOffered) entry.polls = afterPass(entry.polls, this.#options.clock.monotonic())
  }

  /** Asks for a panel whose polls fail elsewhere. Never rejects. */
  async #takeOffered(name: string): Promise<void> {
    const { table, clock, membership } = this.#options
    const entry = table.find(name)
    if (entry === undefined || entry.wants === 0 || table.isHeld(entry)) return
    if (!mayTake(entry.polls, clock.monotonic())) return
    try {
      await this.#options.scripts.run(scripts.ask, ['asks'], [membership.session, name])
      entry.polls = afterTaking(entry.polls, clock.monotonic())
      this.#asked.add(entry)
    } catch {
      // It is offered again after the next failed poll.
    }
  }

  /** Notes how a poll has ended, and offers the panel to the other instances if that shows that they should try. */
  notePoll(entry: LeaseEntry, work: string, outcome: PollOutcome): void {
    const { table } = this.#options
    const panel = rootOf(entry)
    panel.polls = afterPoll(panel.polls, work, outcome)
    if (!table.isOffered(panel)) return
    void this.#options.scripts.tryRun(scripts.tell, ['hints'], [`${offer}${panel.name}`])
  }

  /** The number of leases that are held beyond the own share. */
  get #excess(): number {
    const { membership, table } = this.#options
    const { wanted, held } = table.figures
    return held - Math.ceil(wanted / membership.live)
  }
}
