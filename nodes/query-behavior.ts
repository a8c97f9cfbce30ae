import type { Node, NodeAPI } from 'node-red'
import { message, sourceOf } from '../../src/messages/source.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { isLocale } from '../../src/service/locale.ts'
import { isQueryable, queryable } from '../../src/service/queryable.ts'
import { type AttachedDef, type Behaviour, laidOver } from '../shared/attach.ts'
import { amount } from './choices.ts'

/** The settings of a query node, as they stand in a flow file. */
export interface QueryDef extends AttachedDef {
  operation?: unknown
  locale?: unknown
  maxAge?: unknown
}

/** What a query node does: answers with what the service says, in its own words. */
export function behaviour(RED: NodeAPI, _node: Node, def: QueryDef): Behaviour {
  return {
    listen: (_panel, light) => {
      light.idle()
      return () => {}
    },
    answer: async (panel, incoming, send, signal, light) => {
      const operation = text(incoming.operation) || text(def.operation) || 'panel_info'
      const locale = text(incoming.locale) || text(def.locale)
      const asking = { lane: 'urgent', maxAge: 1000 * amount(def.maxAge), signal } as const
      const news =
        operation === 'session' ? await panel.session() : await query(panel, operation, locale, asking)
      const answer = message(sourceOf(panel, news), `query/${operation}`, structuredClone(news.view))
      send(laidOver(RED, incoming, [{ ...answer, operation }]))
      light.condition(panel, { state: 'fine' }, operation)
    },
  }
}

/** Asks the service. */
async function query(panel: Panel, operation: string, locale: string, asking: Parameters<Panel['query']>[1]) {
  if (!isQueryable(operation)) {
    throw new KeyholderError('NOT_FOUND', `operation: "${operation.slice(0, 40)}" is none that can be asked.`)
  }
  // Only the catalogue has languages; a msg.locale that means something else must not harm the others.
  if (operation !== 'event_profiles') return panel.query(queryable[operation], asking)
  if (locale !== '' && !isLocale(locale)) {
    const shown = locale.slice(0, 40)
    throw new KeyholderError('BAD_SETTING', `locale: "${shown}" is no language and region such as en_US.`)
  }
  return panel.query(queryable[operation], asking, locale || panel.account.settings.locale)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
