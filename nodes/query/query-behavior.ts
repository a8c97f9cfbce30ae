import type { Node, NodeAPI } from 'node-red'
import { message } from '../../src/messages/message.ts'
import { logEntries, parseSince, withIsoTimes } from '../../src/messages/query-answer.ts'
import type { Queries } from '../../src/panel/account-queries.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { isLocale } from '../../src/service/locale.ts'
import { isQueryable, queryable } from '../../src/service/operations.ts'
import { labelOf } from '../../src/settings.ts'
import { type Behavior, type FlowMessage, mergeInto } from '../binding/panel-binding.ts'
import { positiveNumber } from '../shared/node-options.ts'
import type { QueriedDef } from './queried-node.ts'

/** The settings of a query node, as stored in a flow file. */
export interface QueryDef extends QueriedDef {
  operation?: unknown
  locale?: unknown
  maxAge?: unknown
}

/** Returns the behavior of a query node: it answers with the response of the service, and what it adds to it. */
export function behavior(RED: NodeAPI, _node: Node, def: QueryDef): Behavior<Queries> {
  return {
    subscribe: (_panel, status) => {
      status.showIdle()
      return () => {}
    },
    onInput: async (panel, incoming, send, signal, status) => {
      const operation = text(incoming.operation) || text(def.operation) || 'panel_info'
      const locale = text(incoming.locale) || text(def.locale)
      const { timeZone } = panel.account.settings
      const isLog = operation === 'standard_log'
      // Before the request, so that none is sent for a time that is not one.
      const since = isLog ? parseSince(incoming.since, timeZone) : undefined
      const options = { lane: 'urgent', maxAge: 1000 * positiveNumber(def.maxAge), signal } as const
      const snapshot =
        operation === 'session'
          ? await panel.fetchSession()
          : await query(panel, { operation, locale, sourceOf: (name) => sourceOf(name, incoming) }, options)
      const copy = structuredClone(snapshot.view)
      const payload = isLog
        ? logEntries(copy, { catalogue: await panel.eventTypes(options), timeZone, since })
        : withIsoTimes(operation, copy, { timeZone, wall: panel.account.clock.wall() })
      const answer = message(panel.sourceOf(snapshot), `query/${operation}`, payload)
      send(mergeInto(RED, incoming, [{ ...answer, operation }]))
      const fine = { detail: operation, at: snapshot.fetchedAt }
      status.showCondition(panel, { state: 'fine' }, operation, { fine })
    },
  }
}

interface Request {
  operation: string
  /** Empty for the language of the account. */
  locale: string
  /** Returns the place of a value as errors name it. */
  sourceOf(name: 'operation' | 'locale'): string
}

function sourceOf(name: string, incoming: FlowMessage): string {
  return text(incoming[name]) === '' ? labelOf(name) : `msg.${name}`
}

/**
 * Sends the request to the service.
 * @throws KeyholderError NOT_FOUND for an unknown operation, BAD_SETTING for an invalid locale
 */
async function query(
  panel: Queries,
  { operation, locale, sourceOf }: Request,
  options: Parameters<Queries['fetchOperation']>[1],
) {
  if (!isQueryable(operation)) {
    const known = [...Object.keys(queryable), 'session'].join(', ')
    const sentence = `${sourceOf('operation')}: unknown operation "${operation.slice(0, 40)}". Use one of: ${known}.`
    throw new KeyholderError('NOT_FOUND', sentence)
  }
  // Only the catalogue has languages; a `msg.locale` with another meaning must not affect other operations.
  if (operation !== 'event_profiles') return panel.fetchOperation(queryable[operation], options)
  if (locale !== '' && !isLocale(locale)) {
    const shown = locale.slice(0, 40)
    const sentence = `${sourceOf('locale')}: "${shown}" is not a language with its region. Use one such as en_US.`
    throw new KeyholderError('BAD_SETTING', sentence)
  }
  return panel.fetchOperation(queryable[operation], options, locale || panel.account.settings.locale)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
