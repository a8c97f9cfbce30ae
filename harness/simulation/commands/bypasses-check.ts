import { minute, second } from '../../../src/duration.ts'
import type { FlowMessage } from '../../recorder.ts'
import type { Surroundings } from '../checks/check.ts'
import type { GivenCommand, GivenCommands, Outcome } from './given-commands.ts'
import { bypassingArmings, isExplicit } from './matching.ts'
import type { ServedCommand, ServedCommands } from './served-commands.ts'
import { describe, isArming } from './wanted-command.ts'

/** Milliseconds for which the list of devices may show what was before. */
const maxLag = 15 * second

/** Milliseconds after its end in which an arming takes back what it has bypassed. */
const maxTakingBack = 10 * minute

/** A zone as an answer names it. */
interface NamedZone {
  zone: number
}

/**
 * A zone that the product has bypassed for an arming is named by an answer for as long as it stays bypassed, or the bypass is
 * taken back. The bypass of somebody else stays. What an answer says of zones is true.
 */
export class BypassesCheck {
  readonly #of: Surroundings
  readonly #given: GivenCommands
  readonly #served: ServedCommands
  /** The errors that belong to no command. */
  readonly #told: string[] = []

  constructor(of: Surroundings, given: GivenCommands, served: ServedCommands) {
    this.#of = of
    this.#given = given
    this.#served = served
  }

  /** Takes an error or a line of the log that belongs to no command. */
  note(sentence: string): void {
    this.#told.push(sentence)
  }

  /** Compares what the end of an arming says of zones with the panel. */
  hear(given: GivenCommand, outcome: Outcome, now: number): void {
    if (outcome.kind === 'failed' || !isArming(given.command) || outcome.payload === undefined) return
    const { bypassed, open, tookMs } = outcome.payload
    this.#compare('bypassed', given, bypassed, given.at + tookMs)
    if (open !== undefined) this.#checkNamed('open', given, open, now)
  }

  /** Compares all bypasses with what was told of them, at the end of a life. */
  end(now: number): void {
    const steps = this.#served.all.filter(
      (one) => one.request.action === 'bypass' && !isExplicit(one, this.#given.all),
    )
    for (const one of steps) {
      if (one.request.action !== 'bypass') continue
      if (one.request.enabled) this.#checkLeft(one, one.request.zone, now)
      else this.#checkTakenBack(one, one.request.zone)
    }
  }

  /** The bypass of a zone ends only if it was requested for an arming, or somebody asks for it. */
  #checkTakenBack(served: ServedCommand, zone: number): void {
    const armings = bypassingArmings(served, this.#given.all)
    const isOwn = this.#served.attempts.some(
      ({ request, at }) =>
        request.action === 'bypass' &&
        request.enabled &&
        request.zone === zone &&
        at < served.at &&
        armings.some(
          (arming) => at >= arming.at && served.at <= (arming.endedAt ?? served.at) + maxTakingBack,
        ),
    )
    if (!isOwn)
      this.#of.report(
        `bypass of others ${served.at}`,
        `bypasses: that of zone ${zone} was ended, and no arming had requested it`,
      )
  }

  /** A zone that is bypassed for an arming is named by the end of this arming, or by an error after the disarm that held it up. */
  #checkLeft({ at, executedAt, hasChanged }: ServedCommand, zone: number, now: number): void {
    const { facts, panel } = this.#of.world
    // People may have bypassed it before.
    if (executedAt === undefined || !hasChanged) return
    const until = Math.min(executedAt + maxTakingBack, now)
    if (!facts.stayed(`device ${panel.zone(zone).id} bypassed`, 'true', executedAt, until)) return
    const armings = bypassingArmings({ at }, this.#given.all).filter(({ endedAt = now }) => endedAt >= at)
    if (armings.some(({ isStopped }) => isStopped)) return
    const isNamed =
      armings.some(({ outcomes }) => outcomes.some((outcome) => names(outcome, zone))) ||
      this.#told.some((sentence) => namesBypassed(sentence, zone))
    if (!isNamed)
      this.#of.report(
        `bypass left ${zone} ${at}`,
        `bypasses: zone ${zone} stays bypassed for an arming, and nothing told it`,
      )
  }

  /** The zones of an answer were bypassed, and it lacks none that was so all the time. */
  #compare(
    what: 'bypassed',
    given: GivenCommand,
    told: readonly NamedZone[] | null | undefined,
    doneAt: number,
  ): void {
    if (told === undefined) this.#report(what, given, 'does not tell which zones it leaves out')
    // Null: nobody knows.
    if (told === undefined || told === null) return
    this.#checkNamed(what, given, told, doneAt)
    const { facts, panel } = this.#of.world
    if (!isArming(given.command)) return
    const ids = panel.findPartitions(given.command.partition).map(({ plan }) => plan.id)
    for (const { id, device_number, device_type, partitions } of panel.devices) {
      if (device_type !== 'ZONE' || !partitions.some((one) => ids.includes(one))) continue
      const isLeftOut = facts.stayed(`device ${id} bypassed`, 'true', given.at - maxLag, doneAt)
      if (isLeftOut && !told.some(({ zone }) => zone === device_number))
        this.#report(
          `${what} ${device_number}`,
          given,
          `does not name zone ${device_number}, which is bypassed`,
        )
    }
  }

  #checkNamed(
    what: 'bypassed' | 'open',
    { ...given }: GivenCommand,
    told: readonly NamedZone[],
    doneAt: number,
  ): void {
    const { facts, panel } = this.#of.world
    for (const { zone } of told)
      if (!facts.was(`device ${panel.zone(zone).id} ${what}`, 'true', given.at - maxLag, doneAt))
        this.#report(`${what} ${zone}`, given, `names zone ${zone} as ${what}, and it is not`)
  }

  #report(claim: string, { number, command, at }: GivenCommand, sentence: string): void {
    this.#of.report(
      `zones ${claim} ${number}`,
      `bypasses: the answer to ${describe(command)} (at ${at}) ${sentence}`,
    )
  }
}

/** Returns true if the end of an arming names a zone as bypassed, or says that nobody knows. */
function names(outcome: Outcome, zone: number): boolean {
  if (outcome.kind === 'failed') return namesBypassed(outcome.sentence, zone)
  const bypassed = (outcome.payload as FlowMessage | undefined)?.bypassed
  // Home Assistant gets no message, and shows the list of devices.
  return (
    outcome.payload === undefined ||
    bypassed === null ||
    bypassed?.some((one: NamedZone) => one.zone === zone)
  )
}

/** Returns true if an error says of a zone that it is or may be bypassed, not only that it is open, or that its bypass was taken back. */
function namesBypassed(error: string, zone: number): boolean {
  return error.split('. ').some((one) => one.includes(`(zone ${zone})`) && /bypassed/i.test(one))
}
