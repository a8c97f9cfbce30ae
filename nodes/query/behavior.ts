import type { Node, NodeAPI } from 'node-red'
import { mergeInto, message } from '../../src/messages/message.ts'
import { logEntries, parseSince, withIsoTimes } from '../../src/messages/query-answer.ts'
import type { Queries } from '../../src/panel/account-queries.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { isLocale } from '../../src/service/locale.ts'
import { isQueryable, type QueryableName, queryable } from '../../src/service/operations.ts'
import { labelOf, type SourcedValue } from '../../src/settings.ts'
import type { Behavior, FlowMessage } from '../binding/panel-binding.ts'
import { readSettings, type Stored } from '../pages/fields.ts'
import { typedValues } from '../shared/node-options.ts'
import type { QueriedDef } from './queried-node.ts'
import { settings } from './settings.ts'

/** The settings of a query node, as stored in a flow file. */
export type QueryDef = QueriedDef & Stored<typeof settings>

/** The fields that a message can name instead of the dialog. */
type Field = 'operation' | 'since' | 'locale'

/** Returns the behavior of a query node: it answers with the response of the service, and what it adds to it. */
export function behavior(RED: NodeAPI, node: Node, def: QueryDef): Behavior<Queries> {
  const { maxAge } = readSettings(settings, def)
  const read = async (field: Field, incoming: FlowMessage): Promise<SourcedValue> => {
    const { [field]: value } = incoming
    const isNamed =
      field === 'since' ? value !== undefined && value !== null && value !== '' : text(value) !== ''
    if (isNamed) return { source: `msg.${field}`, value }
    const values = await typedValues(RED, node, { ...def }, [field], incoming)
    const fixed = text(def[field]) || (field === 'operation' ? 'panel_info' : '')
    return values[field] ?? { source: labelOf(field), value: fixed }
  }

  return {
    subscribe: (_panel, status) => {
      status.showIdle()
      return () => {}
    },
    onInput: async (panel, incoming, send, signal, status) => {
      const operation = operationOf(await read('operation', incoming))
      const locale = await read('locale', incoming)
      const { timeZone } = panel.account.settings
      const isLog = operation === 'standard_log'
      // Before the request, so that none is sent for a time that is not one.
      const since = isLog ? parseSince(await read('since', incoming), timeZone) : undefined
      const options = { lane: 'urgent', maxAge: 1000 * maxAge, signal } as const
      const snapshot =
        operation === 'session' ? await panel.fetchSession() : await query(panel, operation, locale, options)
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

/** @throws KeyholderError NOT_FOUND for an unknown operation */
function operationOf({ source, value }: SourcedValue): QueryableName | 'session' {
  const operation = text(value)
  if (operation === 'session' || isQueryable(operation)) return operation
  const known = [...Object.keys(queryable), 'session'].join(', ')
  const sentence = `${source}: unknown operation "${operation.slice(0, 40)}". Use one of: ${known}.`
  throw new KeyholderError('NOT_FOUND', sentence)
}

/**
 * Sends the request to the service.
 * @throws KeyholderError BAD_SETTING for an invalid locale
 */
async function query(
  panel: Queries,
  operation: QueryableName,
  { source, value }: SourcedValue,
  options: Parameters<Queries['fetchOperation']>[1],
) {
  // Only the catalogue has languages; a `msg.locale` with another meaning must not affect other operations.
  if (operation !== 'event_profiles') return panel.fetchOperation(queryable[operation], options)
  const locale = text(value)
  if (locale !== '' && !isLocale(locale)) {
    const shown = locale.slice(0, 40)
    const sentence = `${source}: "${shown}" is not a language with its region. Use one such as en_US.`
    throw new KeyholderError('BAD_SETTING', sentence)
  }
  return panel.fetchOperation(queryable[operation], options, locale || panel.account.settings.locale)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
