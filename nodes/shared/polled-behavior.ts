import type { Node, NodeAPI } from 'node-red'
import type { Message } from '../../src/messages/source.ts'
import type { Which } from '../../src/messages/which.ts'
import type { News, Panel } from '../../src/panel/panel.ts'
import type { Condition, Listener, Watch } from '../../src/panel/watch.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { type Behaviour, laidOver } from '../shared/attach.ts'
import { guard } from '../shared/guard.ts'
import type { Countdown } from '../shared/status-light.ts'

/** How a node reports something that is polled. */
export interface Reporting<V> {
  /** `change`: what changed; `poll`: everything at every poll. */
  emit: 'change' | 'poll'
  /** Whether everything is sent once after the start. */
  initial: boolean
  /** What the service is asked for it. */
  operation: string
  watch(panel: Panel): Watch<News<V>>
  /** The messages that the news gives, and the memory of what was told. */
  messages(panel: Panel, news: News<V>, which: Which): Message<unknown>[]
  /** What the node shows while all is well, empty where nothing it has chosen is there; else the usual word. */
  text?(view: V): string | Countdown
}

/** The behaviour of nodes that report a polled view: on change or at every poll, and whole on demand. */
export function reporting<V>(
  RED: NodeAPI,
  node: Node,
  { emit, initial, operation, watch, messages, text }: Reporting<V>,
): Behaviour {
  let hasBegun = false
  let latest: News<V> | undefined
  let listener: Listener<News<V>> | undefined

  const which = (): Which => {
    if (!hasBegun) return initial ? 'all' : 'none'
    return emit === 'poll' ? 'all' : 'changed'
  }

  return {
    listen(panel, light) {
      const news = (news: News<V>) => {
        latest = news
        const sent = messages(panel, news, which())
        hasBegun = true
        if (sent.length > 0) node.send([sent.map((message) => ({ ...message }))])
      }
      const condition = (condition: Condition) => {
        const word = latest && text?.(latest.view)
        if (word === '' && condition.state === 'fine') light.failing(nothingChosen())
        else light.condition(panel, condition, operation, word)
      }
      listener = {
        news: (value) => guard(node, () => news(value)),
        condition: (value) => guard(node, () => condition(value)),
      }
      return watch(panel).listen(listener)
    },

    async answer(panel, message, send, signal) {
      // All of it is the answer; what changed would reach the flow twice if it were told as news too.
      const news = await watch(panel).readNow(signal, listener)
      latest = news
      const answer = messages(panel, news, 'all')
      hasBegun = true
      listener?.condition(watch(panel).condition)
      if (answer.length === 0) throw nothingChosen()
      send(laidOver(RED, message, answer))
    },
  }
}

function nothingChosen(): KeyholderError {
  return new KeyholderError('NOT_FOUND', 'The panel reports nothing of what this node has chosen.')
}
