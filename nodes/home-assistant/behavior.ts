import type { Node, NodeAPI } from 'node-red'
import { emptyMemory } from '../../src/home-assistant/announcer-memory.ts'
import { PanelBridge } from '../../src/home-assistant/panel-bridge.ts'
import { CodeCheck } from '../../src/home-assistant/requests/code-check.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { PollCondition } from '../../src/panel/polling/poller.ts'
import { isDisarm, textOf } from '../binding/broker-input.ts'
import type { AttachedDef, Behavior, FlowMessage } from '../binding/panel-binding.ts'
import { packageInfo } from '../config/open-account.ts'
import { readSettings } from '../pages/fields.ts'
import { guard } from '../shared/guard.ts'
import { entityNames } from '../shared/message-texts.ts'
import { isInFlows, sendAtOnce } from '../shared/node-lifecycle.ts'
import { phrase } from '../shared/node-status.ts'
import { keeperOf } from './keeper.ts'
import { settings } from './settings.ts'
import { forgetMemory, memories } from './unserved.ts'

/** The nodes that forget their publications when they are deleted; a node has several behaviors in its life. */
const forgetful = new WeakSet<Node>()

/** The wrong codes, by the serial of the panel: a new node does not begin to count anew. */
const codeChecks = new Map<string, CodeCheck>()

/** The states that came from events before a rehearsal, by the id of the node: they come back with the real panel. */
const rememberedBefore = new Map<string, ReadonlyMap<string, string>>()

/** Returns the behavior of a Home Assistant node: it announces the panel and its states, and carries out commands. */
export function behavior(RED: NodeAPI, node: Node, def: AttachedDef): Behavior {
  const { entities, ...others } = readSettings(settings, def)
  const options = { ...others, groups: new Set(entities) }
  /** Messages of the broker may come before it is there, and none may be lost. */
  let opening: Promise<PanelBridge> | undefined
  let bridge: PanelBridge | undefined
  let isEnding = false

  if (!forgetful.has(node)) {
    node.on('close', (isRemoved: boolean, done: () => void) => {
      if (isRemoved) forgetMemory(node.id)
      done()
    })
    forgetful.add(node)
  }

  /** Returns the bridge to a panel; it starts with what an earlier one has published. */
  const open = async (panel: Panel): Promise<PanelBridge> => {
    const { serial, allowCommands } = panel.settings
    const nameOf = entityNames(panel.account.settings.locale)
    const { base } = options
    const before = memories.get(node.id)
    const isSame = before?.base === base && before.serial === serial
    if (!isSame) forgetMemory(node.id)
    const memory = isSame ? before.memory : emptyMemory()
    memories.set(node.id, { base, serial, memory })
    // In a rehearsal, a facade takes the place of the node.
    if (RED.nodes.getNode(node.id) !== node) rememberedBefore.set(node.id, new Map(memory.remembered))
    else if (rememberedBefore.has(node.id)) {
      memory.remembered.clear()
      for (const [object, state] of rememberedBefore.get(node.id) ?? []) memory.remembered.set(object, state)
      rememberedBefore.delete(node.id)
    }
    const codeCheck = codeChecks.get(serial) ?? new CodeCheck()
    codeChecks.set(serial, codeCheck)
    const { version } = await packageInfo()
    const keeper = keeperOf(RED, node)
    const setup = { ...options, serial, keeper, allowsCommands: allowCommands, version, nameOf }
    return new PanelBridge(setup, panel, memory, codeCheck, {
      nodeId: node.id,
      random: Math.random,
      send: (messages) => {
        if (isEnding) sendAtOnce(RED, node, messages)
        else node.send([messages.map((message) => ({ ...message }))])
      },
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
        bridge = opened
        let latest: PollCondition = { state: 'reading' }
        const show = () => {
          const { count } = opened
          const fine = phrase('home-assistant.status.announced', { values: { number: `${count}` } })
          status.showCondition(panel, latest, 'status', {
            fine: count === 0 ? phrase('home-assistant.status.waiting') : fine,
            isPending: panel.situation.facts.isUnready,
          })
        }
        const unfollow = status.followSituation(panel.situation, show)
        const leave = opened.start((condition) => {
          latest = condition
          show()
        })
        stop = () => {
          leave()
          unfollow()
        }
      }
      guard(node, start, report)
      return () => {
        isOver = true
        opening = undefined
        bridge = undefined
        stop()
      }
    },
    onInput: async (_panel, message: FlowMessage, _send, signal) => {
      const { topic, payload, retain } = message
      const opened = await opening
      if (typeof topic === 'string') await opened?.receive(topic, textOf(payload), retain === true, signal)
    },
    isDisarm: async (message) => isDisarm(message),
    end: () => {
      isEnding = true
      bridge?.leave(!isInFlows(RED, node))
    },
    failureText: (panel) => phrase('home-assistant.status.refused', { at: panel.account.clock.wall() }),
  }
}
