import type { Node, NodeAPI } from 'node-red'
import { systemClock } from '../src/clock.ts'
import { type AnnouncerMemory, emptyMemory } from '../src/home-assistant/announcer.ts'
import { CodeCheck } from '../src/home-assistant/code-check.ts'
import { PanelBridge } from '../src/home-assistant/panel-bridge.ts'
import { entityGroups, forms, type Setup } from '../src/home-assistant/setup.ts'
import { isTopic } from '../src/home-assistant/topics.ts'
import type { Panel } from '../src/panel/panel.ts'
import type { Condition } from '../src/panel/polling/poller.ts'
import { badSetting, text } from '../src/settings.ts'
import { packageInfo } from './config/open-account.ts'
import { textOf } from './shared/broker-input.ts'
import { guard } from './shared/guard.ts'
import { oneOf, wordList } from './shared/node-options.ts'
import type { AttachedDef, Behavior, FlowMessage } from './shared/panel-binding.ts'
import { phrase, written } from './shared/status-text.ts'

/** The settings of a Home Assistant node, as stored in a flow file. */
export interface HomeAssistantDef extends AttachedDef {
  prefix?: unknown
  base?: unknown
  form?: unknown
  entities?: unknown
  code?: unknown
}

/** Publications of the nodes, kept over a redeploy, by the node's id and the topics of its panel. */
const memories = new Map<string, AnnouncerMemory>()

/** The keys in `memories` of the nodes; a node has several behaviors in its life. */
const keys = new WeakMap<Node, string>()

/** The wrong codes, by the serial of the panel: a new node does not begin to count anew. */
const codeChecks = new Map<string, CodeCheck>()

/** Returns the behavior of a Home Assistant node: it announces the panel and its states, and carries out commands. */
export function behavior(RED: NodeAPI, node: Node, def: HomeAssistantDef): Behavior {
  const settings = { ...def }
  const chosen = wordList(settings, 'entities', entityGroups)
  const options = {
    prefix: topicOption(settings, 'prefix', 'homeassistant'),
    base: topicOption(settings, 'base', 'keyholder'),
    form: oneOf(def.form, forms),
    groups: new Set(chosen.length > 0 ? chosen : entityGroups),
    code: oneOf(def.code, ['none', 'remote']),
  }
  const nameOf: Setup['nameOf'] = (name, values = {}) =>
    written(RED, phrase(`home-assistant.entity.${name}`, { values }), systemClock.wall())
  /** Messages of the broker may come before it is there, and none may be lost. */
  let opening: Promise<PanelBridge> | undefined

  if (!keys.has(node)) {
    node.on('close', (isRemoved: boolean, done: () => void) => {
      if (isRemoved) memories.delete(keys.get(node) ?? '')
      done()
    })
    keys.set(node, '')
  }

  /** Returns the bridge to a panel; it starts with what an earlier one has published. */
  const open = async (panel: Panel): Promise<PanelBridge> => {
    const { serial, allowCommands } = panel.settings
    const key = [node.id, options.base, serial].join(' ')
    keys.set(node, key)
    const memory = memories.get(key) ?? emptyMemory()
    memories.set(key, memory)
    const codeCheck = codeChecks.get(serial) ?? new CodeCheck()
    codeChecks.set(serial, codeCheck)
    const { version } = await packageInfo()
    const setup = { ...options, serial, allowsCommands: allowCommands, version, nameOf }
    return new PanelBridge(setup, panel, memory, codeCheck, {
      nodeId: node.id,
      random: Math.random,
      send: (messages) => node.send([messages.map((message) => ({ ...message }))]),
      run: (work) => guard(node, work),
    })
  }

  return {
    hasQuietInput: true,
    subscribe: (panel, status, report) => {
      let isOver = false
      let stop = () => {}
      const current = open(panel)
      opening = current
      const start = async () => {
        const opened = await current
        if (isOver) return
        let latest: Condition = { state: 'reading' }
        const show = () => {
          const { count } = opened
          const fine = phrase('home-assistant.status.announced', { values: { number: `${count}` } })
          status.showCondition(panel, latest, 'status', {
            fine: count === 0 ? phrase('home-assistant.status.waiting') : fine,
            isPending: panel.situation.facts.isUnready,
          })
        }
        const leave = opened.start((condition) => {
          latest = condition
          show()
        })
        const unfollow = status.followSituation(panel.situation, show)
        stop = () => {
          leave()
          unfollow()
        }
      }
      guard(node, start, report)
      return () => {
        isOver = true
        opening = undefined
        stop()
      }
    },
    onInput: async (_panel, message: FlowMessage, _send, signal) => {
      const { topic, payload, retain } = message
      const bridge = await opening
      if (typeof topic === 'string') await bridge?.receive(topic, textOf(payload), retain === true, signal)
    },
    failureText: (panel) => phrase('home-assistant.status.refused', { at: panel.account.clock.wall() }),
  }
}

/**
 * Returns a topic without the slash at its end.
 * @throws KeyholderError BAD_SETTING for one that is no name of a topic
 */
function topicOption(settings: HomeAssistantDef, field: 'prefix' | 'base', fallback: string): string {
  const entered = (text({ ...settings }, field) || fallback).replace(/\/+$/, '')
  if (isTopic(entered)) return entered
  throw badSetting(
    field,
    `"${entered.slice(0, 40)}" is not a topic. Enter words with / between them, such as ${fallback}`,
  )
}
