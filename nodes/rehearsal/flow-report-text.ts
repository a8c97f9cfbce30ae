import { type RehearsalScene, rehearsalScenes } from '../../src/simulator/scenarios/rehearsal-scenes.ts'
import type { RehearsalTexts } from '../shared/message-texts.ts'
import { findingKinds } from './flow-findings.ts'
import type { NodeName } from './flow-graph.ts'
import type { FlowReport, ReportedNode } from './flow-report.ts'
import { type WayOut, wayKinds } from './ways-out.ts'

/** The results of nodes, as in `ReportedNode`. */
const states: Record<ReportedNode['state'], true> = {
  ...{ done: true, passed: true, waiting: true, open: true, failed: true, missed: true, disabled: true },
}

/** The keys of the texts of a report, in the locales of the panel under `report`. */
export const reportParts = [
  ...['ways', 'told', 'wayFailed', 'wayMissed', 'disabled', 'nobody', 'quoted'],
  ...['faults', 'none', 'some', 'node', 'nodes', 'caught'],
  ...['node', 'state', 'first'].map((column) => `column.${column}`),
  ...Object.keys(states).map((state) => `state.${state}`),
  ...wayKinds.filter((kind) => kind !== 'other').map((kind) => `way.${kind}`),
  ...rehearsalScenes.map((scene) => `after.${scene}`),
  ...findingKinds.flatMap((kind) => [`fault.${kind}`, `remedy.${kind}`]),
]

/** Returns the report as lines to read: who was told, after how long and what, what is disabled, then the faults. */
export function reportText(
  { ways, findings, caught }: FlowReport,
  scene: RehearsalScene,
  { report: text, language }: Pick<RehearsalTexts, 'report' | 'language'>,
): string {
  const quoted = (words: string) => text('quoted', { text: words })
  const nameOf = ({ name, type, tab }: NodeName) =>
    tab === '' ? quoted(name || type) : text('node', { name: quoted(name || type), tab: quoted(tab) })
  const wayOf = ({ kind, name, type }: WayOut) =>
    kind === 'other' ? name || type : text(`way.${kind}`, { name: name || type })
  const lineOf = (way: WayOut) => {
    if (way.state === 'missed') return text('wayMissed', { way: wayOf(way) })
    if (way.state === 'failed') return text('wayFailed', { way: wayOf(way) })
    const after = text(`after.${scene}`, { seconds: (way.seconds ?? 0).toLocaleString(language) })
    const line = text('told', { way: wayOf(way), after })
    return way.text === '' ? line : `${line}: ${quoted(way.text.replace('\n', ': '))}`
  }
  const enabled = ways.filter(({ state }) => state !== 'disabled')
  const disabled = ways.filter(({ state }) => state === 'disabled').map(wayOf)
  const isTold = ways.some(({ state }) => state === 'told')
  const faults = findings.map(({ kind, node, error = '', count = 0, seconds = 0 }) => {
    const values = { node: nameOf(node), error: error.replace(/\.$/, ''), count, seconds }
    return `- ${text(`fault.${kind}`, values)} ${text(`remedy.${kind}`)}`
  })
  const errors = new Set(
    caught.map((one) => text('caught', { node: nameOf(one.catch), source: nameOf(one.source) })),
  )
  return [
    ...(isTold ? [] : [text('nobody')]),
    ...enabled.map(lineOf),
    ...(disabled.length > 0 ? [text('disabled', { ways: disabled.join(', ') })] : []),
    faults.length === 0 ? text('none') : text('some', { count: faults.length }),
    ...faults,
    ...errors,
  ].join('\n')
}
