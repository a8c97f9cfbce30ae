import type { Node } from 'node-red'
import { alarmKinds } from '../../src/service/catalogue/alarm-kind.ts'
import { bundled } from '../../src/service/catalogue/en-us.ts'
import type { FlowGraph, NodeName } from './flow-graph.ts'
import { type FlowTrace, maxPasses } from './flow-trace.ts'
import type { Sending } from './trace-records.ts'

/** The faults that a report can find. Each has a sentence and a remedy in the locales. */
export const findingKinds = [
  'unwired',
  'noInput',
  'filter',
  'late',
  'exception',
  'uncaught',
  'emptyCatch',
  'disabled',
  'failed',
  'loop',
  'unfinished',
  'slow',
] as const

/** A fault of a flow that a rehearsal has shown, at one node. */
export interface FlowFinding {
  kind: (typeof findingKinds)[number]
  /** The node to open; for `disabled` it can be a tab. */
  node: NodeName
  /** The error; only for `exception`, `uncaught` and `failed`. */
  error?: string
  /** The number of times that the node received the message; only for `loop`. */
  count?: number
  /** The seconds that it took or has not finished; only for `unfinished` and `slow`. */
  seconds?: number
}

type Trace = Pick<FlowTrace, 'sendings' | 'visits' | 'errors' | 'now'>

/** Milliseconds that a node may take for a message: who waits longer for an alarm has no use of it. */
const maxWork = 10_000

/** The nodes of the panel that tell something by themselves, so that an output without a wire is a mistake. */
const telling = ['keyholder-incident', 'keyholder-events', 'keyholder-state', 'keyholder-conditions']

/** The errors of a program that is wrong, as opposed to those that a function throws on purpose. */
const programErrors = /^(Type|Reference|Range|Syntax)Error$/

/** The words of a filter that is about alarms. */
const alarmWords = /alarm|triggered|burgl|intrus/i

/**
 * Returns the faults of the flows that a rehearsal has shown, the most serious kinds first; none for a flow that works.
 *
 * A message that goes nowhere proves little, because a flow may ignore it on purpose. So a rule looks for what nobody wants:
 * an alarm that ends where nothing is done, although somebody has built what would tell it.
 * @param nodes the running nodes of the panel
 * @param panel the id of the panel
 */
export function findFaults(
  trace: Trace,
  graph: FlowGraph,
  nodes: readonly Node[],
  panel: string,
): FlowFinding[] {
  // Without a message, nothing was shown; a flow without running nodes sends none.
  if (trace.sendings.length === 0 && nodes.some(({ id }) => graph.next(id).length > 0)) return []
  const alarms = trace.sendings.filter(({ alarm, isLate }) => alarm !== '' && !isLate)
  const news = alarms.length > 0 ? alarms : trace.sendings
  const reached = new Set([...nodes.map(({ id }) => id), ...trace.visits.keys()])
  const alarmed = new Set(alarms.flatMap(({ passes }) => [...passes.keys()]))
  const isTold = news.some(({ passes }) => [...passes.keys()].some((id) => graph.isEnd(id)))
  const isNotified = news.some(({ passes }) => [...passes.keys()].some((id) => graph.isNotification(id)))
  const found = new Map<string, FlowFinding>()
  const find = (kind: FlowFinding['kind'], id: string, facts: Omit<FlowFinding, 'kind' | 'node'> = {}) => {
    const node = graph.name(id)
    if (!found.has(`${kind} ${node.id}`)) found.set(`${kind} ${node.id}`, { kind, node, ...facts })
  }
  // What lies only behind notifications looks at their answers, and lets nothing pass if all is well.
  const failed = new Set(trace.errors.map(({ node }) => node))
  const hasAnswered = (id: string) => {
    const visit = trace.visits.get(id)
    return graph.isNotification(id) && !failed.has(id) && (visit === undefined || visit.doneAt !== null)
  }
  const asked = new Set(nodes.flatMap(({ id }) => [...graph.downstream(id, hasAnswered)]))
  const stops = news.flatMap(({ passes }) =>
    [...passes.keys()].filter((id) => !graph.isEnd(id) && !graph.next(id).some((next) => passes.has(next))),
  )

  for (const id of reached) {
    const outputs = graph.outputs(id)
    const isUnwired = outputs.length > 0 && !graph.next(id).some((next) => graph.def(next) !== undefined)
    if (isUnwired && isNeeded(id)) find('unwired', id)
    for (const next of graph.next(id)) {
      const by = graph.disabledBy(next)
      if (by?.type === 'tab') find('disabled', by.id)
    }
  }
  if (!isTold) {
    for (const id of stops) {
      const next = graph.next(id)
      if (next.length > 0 && !next.some((one) => graph.runs(one))) {
        for (const one of next) if (graph.disabledBy(one) !== undefined) find('disabled', one)
      } else if (next.length > 0 && graph.outputs(id).some((one) => one.length === 0)) find('unwired', id)
    }
    for (const { id, type, panel: own } of graph.stored) {
      const by = graph.disabledBy(id)
      if (own === panel && telling.includes(type) && by !== undefined) find('disabled', by.id)
    }
  }
  const isCut = [...found.values()].some(({ kind }) => kind === 'unwired' || kind === 'disabled')
  if (!isNotified && !isCut) for (const id of withoutInput(graph, reached)) find('noInput', id)
  for (const id of stops) if (isTooNarrow(id)) find('filter', id)
  for (const { id, type } of nodes)
    if (type === 'keyholder-events' && selectsTooLittle(id)) find('filter', id)
  for (const id of ignoredLate()) find('late', id)
  for (const { node, text: error, name, isCaught } of trace.errors) {
    if (graph.isNotification(node)) find('failed', node, { error })
    else if (graph.type(node) === 'function' && programErrors.test(name)) find('exception', node, { error })
    else if (!isCaught) find('uncaught', node, { error })
  }
  for (const id of emptyCatches(graph, reached)) find('emptyCatch', id)
  for (const { passes, batch } of trace.sendings) {
    const [loop] = [...passes].filter(
      ([id, count]) => count > maxPasses * batch.size && graph.downstream(id).has(id),
    )
    if (loop !== undefined && !isInFoundLoop(loop[0])) find('loop', loop[0], { count: loop[1] })
  }
  for (const [id, { open, openSince, longest }] of trace.visits) {
    if (graph.isHolding(id)) continue
    const since = trace.now - openSince
    if (open > 0 && since >= maxWork) find('unfinished', id, { seconds: Math.round(since / 1000) })
    else if (longest >= maxWork) find('slow', id, { seconds: Math.round(longest / 1000) })
  }
  const order = (kind: FlowFinding['kind']) => findingKinds.indexOf(kind)
  return [...found.values()].toSorted((a, b) => order(a.kind) - order(b.kind))

  /** Tells if an output of a node must lead somewhere: it has no other effect. */
  function isNeeded(id: string): boolean {
    const type = graph.type(id)
    if (telling.includes(type))
      return !isTold || !nodes.some((one) => one.type === type && graph.next(one.id).length > 0)
    return graph.isPassing(id) && !graph.hasEffect(id)
  }

  function isInFoundLoop(id: string): boolean {
    return [...found.values()].some(({ kind, node }) => kind === 'loop' && graph.downstream(id).has(node.id))
  }

  /** Tells if a filter was meant to let this alarm pass, and let nothing pass. */
  function isTooNarrow(id: string): boolean {
    const stopped = alarms.filter(({ passes }) => passes.has(id))
    if (failed.has(id) || !asked.has(id)) return false
    const isFilter = ['switch', 'function'].includes(graph.type(id)) && graph.next(id).length > 0
    if (!isFilter || stopped.length === 0 || trace.sendings.some(({ passedBy }) => passedBy.has(id)))
      return false
    // A function that keeps something may wait for a second message.
    if (graph.type(id) === 'function' && /\b(flow|global|context)\.set\b/.test(textOf(graph, id)))
      return false
    const ends = [...graph.downstream(id)].filter((one) => graph.isEnd(one))
    if (ends.length === 0 || ends.some((one) => alarmed.has(one))) return false
    const text = textOf(graph, id)
    const isAboutAlarms = stopped.every(({ node }) => graph.type(node) === 'keyholder-incident')
    return (
      !isAboutOther(text, stopped) && (isAboutAlarms || alarmWords.test(text) || namesKind(text, stopped))
    )
  }

  /** Tells if an events node selects alarms but too few of them: others of the same moment told one, and it did not. */
  function selectsTooLittle(id: string): boolean {
    const { groups, labels, typeIds, partitions } = graph.fields(id)
    const [chosenGroups, chosenLabels, types, places] = [groups, labels, typeIds, partitions].map(listOf)
    const isNarrow = chosenLabels?.length || types?.length || places?.length
    const told = alarms.filter(({ node }) => node === id)
    if (!isNarrow || alarms.length === 0 || told.length > 0) return false
    const ofTypes = (types ?? []).map((type) => bundled.get(Number(type)))
    const text = [chosenLabels, ofTypes.flatMap((type) => [type?.label, type?.description])].flat().join(' ')
    const wantsAlarms =
      chosenGroups?.some((group) => /^(EP_)?alarm$/i.test(group)) ||
      ofTypes.some((type) => type?.group === 'EP_ALARM')
    return Boolean(wantsAlarms) && !isAboutOther(text, alarms)
  }

  /** Returns the notifications that a late alarm reached as one that lasts does, without a look at `late` on the way. */
  function ignoredLate(): string[] {
    return trace.sendings.flatMap(({ alarm, isLate, node, passes }) => {
      if (!isLate || alarm === '') return []
      if ([node, ...passes.keys()].some((id) => /\blate\b/.test(textOf(graph, id)))) return []
      return [...passes.keys()].filter((id) => graph.isNotification(id) && alarmed.has(id))
    })
  }
}

/** Returns what a node is set to, without its names. */
function textOf(graph: FlowGraph, id: string): string {
  const { name, info, id: _, ...settings } = graph.fields(id)
  // A line break in JSON would join the letter n to the word after it.
  return JSON.stringify(settings).replace(/\\[nrt]/g, ' ')
}

/** Tells if a filter names kinds of alarm, and none of those that were told. */
function isAboutOther(text: string, alarms: readonly Sending[]): boolean {
  const others = [...alarmKinds, 'smoke', 'water', 'gap', 'restore', 'closed', 'over'].filter(
    (kind) => kind !== 'alarm',
  )
  return others.some((kind) => RegExp(kind, 'i').test(text)) && !namesKind(text, alarms)
}

function namesKind(text: string, alarms: readonly Sending[]): boolean {
  return alarms.some(({ alarm }) => alarm !== 'alarm' && RegExp(alarm.slice(0, 5), 'i').test(text))
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** Returns nodes on the same tabs that lead to a notification, or are one, and to which no wire leads. */
function withoutInput(graph: FlowGraph, reached: ReadonlySet<string>): string[] {
  const tabs = new Set([...reached].map((id) => graph.def(id)?.z))
  const placed = [...graph.stored].filter(({ z, wires }) => tabs.has(z) && wires !== undefined)
  // A wire of a disabled node is not missing.
  const targets = new Set(placed.flatMap(({ id }) => graph.next(id)))
  const here = placed.filter(({ id }) => graph.runs(id))
  const begins = ['inject', 'catch', 'status', 'complete', 'link in', 'comment']
  return here.flatMap(({ id, type }) => {
    if (targets.has(id) || begins.includes(type) || graph.def(id)?.initialize) return []
    const isSink = graph.isNotification(id) && (type === 'http request' || graph.outputs(id).length === 0)
    const leads = graph.isPassing(id) && [...graph.downstream(id)].some((one) => graph.isNotification(one))
    return isSink || leads ? [id] : []
  })
}

/** Returns the Catch nodes on the same tabs that no error can reach, and those whose errors go nowhere. */
function emptyCatches(graph: FlowGraph, reached: ReadonlySet<string>): string[] {
  const tabs = new Set([...reached].map((id) => graph.def(id)?.z))
  const nodes = [...graph.stored]
  return nodes.flatMap(({ id, type, z, g, scope, wires = [] }) => {
    if (type !== 'catch' || !tabs.has(z) || graph.disabledBy(id) !== undefined) return []
    const isCovered = ({ id: one, z: tab, g: group, d }: (typeof nodes)[number]) =>
      one !== id &&
      tab === z &&
      !d &&
      (Array.isArray(scope) ? scope.includes(one) : scope !== 'group' || !g || group !== undefined)
    return wires.flat().length > 0 && nodes.some(isCovered) ? [] : [id]
  })
}
