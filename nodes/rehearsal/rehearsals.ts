import type { NodeAPI } from 'node-red'
import { systemClock } from '../../src/clock.ts'
import { counted, hour, minute } from '../../src/duration.ts'
import { mergeInto } from '../../src/messages/message.ts'
import { dialogError, KeyholderError } from '../../src/service/error.ts'
import { labelOf, type RawSettings } from '../../src/settings.ts'
import { type RehearsalScene, rehearsalScenes } from '../../src/simulator/scenarios/rehearsal-scenes.ts'
import type { FormAnswer, Reply } from '../admin/form-route.ts'
import type { FlowMessage } from '../binding/panel-binding.ts'
import { configNode, noRehearsal, type PanelNode, type RehearsalInput } from '../config/config-nodes.ts'
import { guard } from '../shared/guard.ts'
import { rehearsalTexts } from '../shared/message-texts.ts'
import { FlowGraph } from './flow-graph.ts'
import { outcomeText, reportText } from './flow-report-text.ts'
import { maxDuration, Rehearsal, type RehearsalChoice, type RehearsalProgress, refused } from './rehearsal.ts'
import { candidates } from './rehearsed-nodes.ts'
import { actingWays } from './ways-out.ts'

/** The rehearsal that runs, of any panel; or the latest one. */
let latest: Rehearsal | undefined

/** The number of rehearsals that messages can start in an hour at one panel: each scene once. */
const maxStarts = 12

/** The times of the starts by messages in the last hour, in milliseconds of the monotonic clock. */
const starts = new WeakMap<PanelNode, number[]>()

/** Answers a message of a rehearsal, or one that starts or ends one, see `PanelNode.rehearse`. */
export async function rehearse(RED: NodeAPI, panelNode: PanelNode, input: RehearsalInput): Promise<void> {
  const { message } = input
  const { rehearse: wanted, ...incoming } = message
  if (wanted === undefined) {
    if (!isRunning(panelNode.id)) throw noRehearsal()
    await latest?.answer(input)
    return
  }
  refuseUnlessAllowed(panelNode)
  if (wanted === false || wanted === 'stop') {
    if (isRunning(panelNode.id)) latest?.end('stopped')
    return
  }
  const choice = choiceOf(wanted)
  const before = latestStarts(panelNode)
  const rehearsal = await start(RED, panelNode, choice)
  starts.set(panelNode, [...before, systemClock.monotonic()])
  await rehearsal.ended
  const { progress } = rehearsal
  // Node-RED drops what the nodes of a stopping flow send.
  if (progress.ended === 'deploy') return
  const panel = await panelNode.open()
  const report = reportMessage(panel.title, progress, panel.account.settings.locale)
  input.send(mergeInto(RED, incoming as FlowMessage, [report]))
}

/**
 * Starts, stops and shows the rehearsal of a deployed panel, as `action` of the form says. Who may change the panel node may
 * start one, whatever it allows to messages.
 */
export function panelRehearsal(RED: NodeAPI): FormAnswer {
  const answer = (reply: Reply, body: object) => {
    reply.set({ 'Content-Type': 'application/json' })
    reply.end(JSON.stringify(body))
  }
  return {
    async answer(id, form, reply) {
      const panelNode = configNode(RED, 'keyholder-panel', id)
      if (panelNode === undefined) return answer(reply, { state: 'undeployed' })
      if (form.action === 'ask') return answer(reply, { state: 'asked', ways: waysOf(RED, panelNode, form) })
      if (form.action === 'start') await start(RED, panelNode, choiceOf(form))
      if (form.action === 'stop' && isRunning(id)) latest?.end('stopped')
      const own = latest?.panelId === id ? latest.progress : undefined
      const state = own === undefined ? 'none' : own.ended === null ? 'running' : 'ended'
      answer(reply, { state, ...own })
    },
    fail(error, reply) {
      answer(reply, { state: 'failed', ...dialogError(error) })
    },
  }
}

/** Returns what is known to act if a rehearsal starts. */
function waysOf(RED: NodeAPI, panelNode: PanelNode, { homeAssistant }: RawSettings) {
  const sources = candidates(panelNode, homeAssistant === true)
  return actingWays(
    new FlowGraph(RED),
    sources.map(({ id }) => id),
  )
}

/**
 * Refuses a start by a message too many: a loop in a flow must not play burglaries all night.
 * @returns the times of the starts in the last hour
 * @throws KeyholderError
 */
function latestStarts(panelNode: PanelNode): number[] {
  const now = systemClock.monotonic()
  const latest = (starts.get(panelNode) ?? []).filter((at) => now - at < hour)
  if (latest.length < maxStarts) return latest
  const wait = counted(Math.ceil(((latest[0] ?? now) + hour - now) / minute), 'minute')
  const why = `messages have started ${maxStarts} in an hour. Start it in the dialog, or wait ${wait}`
  throw refused(why)
}

function isRunning(panelId: string): boolean {
  return latest?.panelId === panelId && latest.progress.ended === null
}

/**
 * Starts a rehearsal, unless one runs.
 * @throws KeyholderError
 */
async function start(RED: NodeAPI, panelNode: PanelNode, choice: RehearsalChoice): Promise<Rehearsal> {
  if (latest?.progress.ended === null) throw refused('another one runs')
  const account = configNode(RED, 'keyholder-account', panelNode.deployed.account)
  const texts = rehearsalTexts(String(account?.deployed.locale ?? ''))
  const rehearsal = new Rehearsal(RED, panelNode, choice, systemClock, texts)
  latest = rehearsal
  await rehearsal.start()
  // Editors that are open show where the report is.
  const ended = { id: 'keyholder-rehearsal', payload: { panel: panelNode.id }, retain: false }
  guard(panelNode, () => rehearsal.ended.then(() => void RED.events.emit('runtime-event', ended)))
  return rehearsal
}

/** @throws KeyholderError COMMANDS_DISABLED unless the panel allows messages to start a rehearsal */
function refuseUnlessAllowed({ deployed: { allowRehearsal } }: PanelNode): void {
  if (allowRehearsal === true || allowRehearsal === 'true') return
  const sentence = `Rehearsal: messages cannot start one at this panel. Turn on "${labelOf('allowRehearsal')}" in the alarm panel node, or start it in its dialog.`
  throw new KeyholderError('COMMANDS_DISABLED', sentence)
}

/**
 * Returns the choice in a message or a form: the name of a scene, or an object with it.
 * @throws KeyholderError BAD_SETTING
 */
function choiceOf(wanted: unknown): RehearsalChoice {
  const form: RawSettings = typeof wanted === 'object' && wanted !== null ? { ...wanted } : { scene: wanted }
  const scene = rehearsalScenes.find((name): name is RehearsalScene => name === form.scene)
  if (scene === undefined) {
    const shown = String(form.scene).slice(0, 40)
    const sentence = `Rehearsal: unknown scene "${shown}". Use one of: ${rehearsalScenes.join(', ')}.`
    throw new KeyholderError('BAD_SETTING', sentence)
  }
  return { scene, faster: form.faster === true, homeAssistant: form.homeAssistant === true }
}

/** Builds the message about a rehearsal that has ended. */
function reportMessage(panel: string, progress: RehearsalProgress, locale: string): FlowMessage {
  const texts = rehearsalTexts(locale)
  const { scene, ended, startedAt, endedAt, report } = progress
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString())
  const payload = {
    ...progress,
    startedAt: iso(startedAt),
    endedAt: iso(endedAt),
    title: `${texts.word}: ${texts.scene(scene)}`,
    summary: [
      `${texts.word}: ${texts.ended(String(ended), { minutes: maxDuration / minute })}`,
      report && outcomeText(report, texts),
    ]
      .filter(Boolean)
      .join(' '),
    text: report === null ? '' : reportText(report, progress, texts),
  }
  return { topic: `${panel}/rehearsal`, payload, rehearsal: true } as unknown as FlowMessage
}
