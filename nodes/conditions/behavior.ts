import type { Node, NodeAPI } from 'node-red'
import { day, minute } from '../../src/duration.ts'
import { conditionsMessage } from '../../src/messages/conditions-message.ts'
import { mergeInto } from '../../src/messages/message.ts'
import {
  conditionKinds,
  delayableKinds,
  hasTrait,
  type PanelCondition,
} from '../../src/panel/conditions/condition.ts'
import type { ConditionChoice } from '../../src/panel/conditions/condition-choice.ts'
import { ConditionFeed } from '../../src/panel/conditions/condition-feed.ts'
import type { DueList } from '../../src/panel/conditions/condition-report.ts'
import { failedTests, newestBackup } from '../../src/panel/conditions/maintenance.ts'
import type { DeliveringNode } from '../../src/panel/lease.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { PollCondition, Subscriber } from '../../src/panel/polling/poller.ts'
import type { SituationFacts } from '../../src/panel/situation.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { Catalogue } from '../../src/service/catalogue/catalogue.ts'
import { bundled } from '../../src/service/catalogue/en-us.ts'
import { asKeyholderError, hasCode, unsupportedCodes } from '../../src/service/error.ts'
import { operations } from '../../src/service/operations.ts'
import type { AttachedDef, Behavior } from '../binding/panel-binding.ts'
import { readSettings } from '../pages/fields.ts'
import { guard, guardedSubscriber } from '../shared/guard.ts'
import { conditionTexts } from '../shared/message-texts.ts'
import { alarmText, type ConditionTexts, phrase } from '../shared/node-status.ts'
import { settings } from './settings.ts'

/** The parts of a panel that are polled for a conditions node. */
type Part = 'events' | 'state' | 'devices'

/** Returns the behavior of a conditions node: it tells the list of conditions when it changes, and reminds of it. */
export function behavior(RED: NodeAPI, node: Node, def: AttachedDef): Behavior {
  const { choice, language } = conditionsSettings(def)
  // Two messages about one open door would ring twice.
  const self: DeliveringNode = { id: node.id, instances: 'one' }
  let feed: ConditionFeed<Snapshot<Catalogue>> | undefined
  /** True while another instance follows the conditions. */
  let isStandby = false

  const messageOf = (panel: Panel, snapshot: Snapshot<unknown>, due: DueList) => {
    const texts = conditionTexts(language, panel.account.settings.locale)
    return conditionsMessage(due, panel.sourceOf(snapshot), texts)
  }

  return {
    subscribe: (panel, status) => {
      const { clock, settings } = panel.account
      const life = new AbortController()
      const polled: Record<Part, PollCondition> = {
        events: { state: 'reading' },
        state: { state: 'reading' },
        devices: { state: 'reading' },
      }

      const conditions = new ConditionFeed<Snapshot<Catalogue>>(
        {
          context: (list) => ({
            catalogue: list?.view ?? panel.events.latest?.view ?? bundled,
            timeZone: settings.timeZone,
            // The clock of a machine has fractions.
            readAt: Math.floor(list?.fetchedAt ?? clock.wall()),
          }),
          tell: (telling) => guard(node, () => panel.eventDeliveries.tell(self, telling)),
          send: (due) =>
            guard(node, () => {
              const snapshot = panel.latest
              if (snapshot !== undefined) node.send({ ...messageOf(panel, snapshot, due) })
              show()
            }),
        },
        choice,
      )
      feed = conditions

      const show = () => {
        const list = conditions.conditions
        const part = (['events', 'state', 'devices'] as const).find((one) => polled[one].state !== 'fine')
        if (part === undefined && panel.eventDeliveries.error(self) !== undefined) status.showUnwritable()
        else if (part === undefined && isUnreached(list, panel.situation.facts))
          status.showError({ code: 'TIMEOUT' }, phrase('conditions.status.unreached'))
        else {
          const texts = conditionsTexts(list, choice, panel.situation.facts)
          status.showCondition(panel, polled[part ?? 'events'], operationOf[part ?? 'events'], texts)
        }
      }

      const readAlarms = () =>
        conditions.readAlarms({ ...panel.situation.facts, areAll: panel.situation.isKnown })

      const readBackups = async () => {
        const askedAt = Math.floor(clock.wall())
        const { backups } = conditions.facts
        // Noted before it is asked, so that a Node-RED that restarts again and again does not ask each time.
        conditions.learn({ backups: { isKnown: false, newest: null, ...backups, askedAt } })
        const { view } = await panel.fetchOperation(operations.configurationList, {
          lane: 'poll',
          maxAge: day,
          signal: life.signal,
        })
        const newest = newestBackup(view, settings.timeZone, askedAt)
        conditions.learn({ backups: { askedAt, isKnown: true, newest } })
        show()
      }

      const readTests = async () => {
        const { inspection } = conditions.facts
        if (inspection === null) return
        const asked = { ...inspection, askedAt: Math.floor(clock.wall()) }
        conditions.learn({ inspection: asked })
        const options = { lane: 'poll', maxAge: 0, signal: life.signal } as const
        const { view } = await panel.fetchOperation(operations.rriResults, options)
        // Another inspection may have come meanwhile.
        if (conditions.facts.inspection?.eventKey === asked.eventKey)
          conditions.learn({ inspection: { ...asked, tests: failedTests(view) } })
        show()
      }

      const learn = () => {
        const { license } = panel.account.health
        // Before the first sign-in nothing is known of a license; an end user has none.
        const end = settings.api === 'service' ? license?.notAfter : null
        conditions.learn(end === undefined ? {} : { licenseEnd: end === null ? null : Date.parse(end) })
        const report = (thrown: unknown) => {
          if (!life.signal.aborted) node.error(asKeyholderError(thrown), {})
        }
        if (conditions.needsBackups) guard(node, readBackups, report)
        // Without them, the inspection is told all the same.
        if (conditions.needsTests) guard(node, readTests, () => {})
      }

      const leave = panel.eventDeliveries.subscribe(
        self,
        guardedSubscriber(node, conditions.subscriber, show),
      )
      /** Returns a subscriber that also keeps the status. */
      const subscriber = <T>(part: Part, take: (snapshot: Snapshot<T>) => void): Subscriber<Snapshot<T>> => ({
        snapshot: (snapshot) =>
          guard(node, () => {
            take(snapshot)
            show()
          }),
        condition: (condition) =>
          guard(node, () => {
            if (part === 'events') isStandby = condition.state === 'standby'
            polled[part] = condition
            if (condition.state === 'standby' && part !== 'events') conditions.forgetList(part)
            if (
              part === 'devices' &&
              condition.state === 'failing' &&
              hasCode(condition.error, ...unsupportedCodes)
            )
              conditions.lackDevices()
            show()
          }),
      })
      const readChain = () =>
        guard(node, () => {
          conditions.readChain(panel.chainTests)
          show()
        })
      const wantsFaults = [...choice.kinds].some((kind) => hasTrait(kind, 'of the panel'))
      const stops = [
        leave,
        panel.chainTests.onChange(readChain),
        status.followSituation(panel.situation, () => {
          readAlarms()
          show()
        }),
        ...(wantsFaults ? [panel.polls.faults.await()] : []),
        panel.events.subscribe(
          subscriber('events', () => {
            readAlarms()
            conditions.catchUp()
          }),
          self,
        ),
        panel.state.subscribe(
          subscriber('state', ({ view }) => {
            conditions.readState(view)
            conditions.readChain(panel.chainTests)
            readAlarms()
            learn()
          }),
          self,
        ),
        panel.devices.subscribe(
          subscriber('devices', ({ view, fetchedAt, at, sentAt }) =>
            conditions.readDevices(view, fetchedAt - (at - sentAt)),
          ),
          self,
        ),
      ]
      // If other nodes are already subscribed, this node gets its missed events now, not at the next poll.
      panel.events.pollNow()
      return () => {
        life.abort()
        for (const stop of stops) stop()
      }
    },

    onInput: async (panel, message, reply, signal) => {
      const [snapshot, , devices] = await Promise.all([
        panel.state.read(signal),
        panel.events.read(signal),
        panel.devices.read(signal).catch(unlessUnsupported),
      ])
      const conditions = isStandby
        ? feed?.presentConditions(snapshot.view, devices?.view, panel.situation.facts)
        : feed?.conditions
      const due = { conditions: conditions ?? [], isReminder: false, redelivered: false }
      // The flags of another message are not about this answer.
      const { redelivered, reminder, ...incoming } = message
      reply(mergeInto(RED, incoming, [messageOf(panel, snapshot, due)]))
    },
  }
}

/** The operation that a part reads, for the license of a service sign-in. */
const operationOf: Record<Part, string> = { events: 'events', state: 'status', devices: 'devices' }

/** Goes on without the list of devices of a service that has none. */
function unlessUnsupported(thrown: unknown): undefined {
  if (!hasCode(thrown, ...unsupportedCodes)) throw thrown
}

/**
 * Returns the settings of a conditions node: the choice of conditions, and the language of their texts.
 * @throws KeyholderError BAD_SETTING
 */
export function conditionsSettings(stored: object): { choice: ConditionChoice; language: string } {
  const { conditions, remindAfter, inspectionDays, backupDays, language, ...times } = readSettings(
    settings,
    stored,
  )
  const choice = {
    kinds: new Set(conditions),
    after: Object.fromEntries(delayableKinds.map((kind) => [kind, minute * times[`${kind}After`]])),
    remindAfter: minute * remindAfter,
    inspectionDays,
    backupDays,
  }
  return { choice, language }
}

/** Returns true if a test of the alarm chain failed by all ways: what an alarm says matters more than that, and all else less. */
function isUnreached(conditions: readonly PanelCondition[], { alarms }: SituationFacts): boolean {
  return alarms.length === 0 && conditions.some(({ says }) => says === 'chain')
}

/** Returns the status texts for a list of conditions: their number, and the names of the first ones. */
function conditionsTexts(
  conditions: readonly PanelCondition[],
  { kinds }: ConditionChoice,
  facts: SituationFacts,
): ConditionTexts {
  // Also of a node that lists no alarms: its text for an empty list says that all is well.
  const alarm = alarmText(facts)
  if (conditions.length === 0) {
    const isEntered = facts.delay === 'ENTRY_DELAY'
    const isFine = conditionKinds.every((kind) => kinds.has(kind) || !hasTrait(kind, 'needed for fine'))
    const none = isFine ? phrase('conditions.status.none') : phrase('conditions.status.empty')
    return { fine: isEntered ? phrase('state.status.ENTRY_DELAY') : none, alarm }
  }
  const names = [...new Set(conditions.map(({ name }) => name).filter(Boolean))].join(', ')
  const values = { number: String(conditions.length) }
  return { fine: phrase('conditions.status.some', { values, detail: names }), alarm, isPending: true }
}
