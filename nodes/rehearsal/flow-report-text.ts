import { rehearsalScenes } from '../../src/simulator/scenarios/rehearsal-scenes.ts'
import type { RehearsalTexts } from '../shared/message-texts.ts'
import { findingKinds } from './flow-findings.ts'
import type { NodeName } from './flow-graph.ts'
import { type FlowReport, type ReportedNode, reportOutcomes } from './flow-report.ts'
import type { RehearsalChoice } from './rehearsal.ts'
import { type WayOut, wayKinds } from './ways-out.ts'

/** The results of nodes, as in `ReportedNode`. */
const states: Record<ReportedNode['state'], true> = {
  ...{ done: true, passed: true, waiting: true, open: true, failed: true, missed: true, disabled: true },
}

/** The keys of the texts of a report, in the locales of the panel under `report`. */
export const reportParts = [
  ...['ways', 'told', 'wayFailed', 'wayMissed', 'disabled', 'polls', 'faster', 'quoted'],
  ...['faults', 'node', 'nodes', 'caught'],
  ...reportOutcomes.map((outcome) => `outcome.${outcome}`),
  ...['node', 'state', 'first'].map((column) => `column.${column}`),
  ...Object.keys(states).map((state) => `state.${state}`),
  ...wayKinds.filter((kind) => kind !== 'other').map((kind) => `way.${kind}`),
  ...rehearsalScenes.map((scene) => `after.${scene}`),
  ...findingKinds.flatMap((kind) => [`fault.${kind}`, `remedy.${kind}`]),
]

/** Returns the sentence about what a report comes to. */
export function outcomeText(
  { outcome, findings }: FlowReport,
  { report: text }: Pick<RehearsalTexts, 'report'>,
): string {
  return text(`outcome.${outcome}`, { count: findings.length })
}

/** Returns the report as lines to read: who was told, after how long and what, what is disabled, then the faults. */
export function reportText(
  report: FlowReport,
  { scene, faster }: Pick<RehearsalChoice, 'scene' | 'faster'>,
  { report: text, language }: Pick<RehearsalTexts, 'report' | 'language'>,
): string {
  const { outcome, ways, findings, caught } = report
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
  const isTold = outcome === 'good' || outcome === 'faults'
  const faults = findings.map(({ kind, node, error = '', count = 0, seconds = 0 }) => {
    const values = { node: nameOf(node), error: error.replace(/\.$/, ''), count, seconds }
    return `- ${text(`fault.${kind}`, values)} ${text(`remedy.${kind}`)}`
  })
  const errors = new Set(
    caught.map((one) => text('caught', { node: nameOf(one.catch), source: nameOf(one.source) })),
  )
  return [
    ...(isTold ? [] : [text(`outcome.${outcome}`)]),
    ...enabled.map(lineOf),
    ...(disabled.length > 0 ? [text('disabled', { ways: disabled.join(', ') })] : []),
    ...(isTold ? [text('polls')] : []),
    ...(faster ? [text('faster')] : []),
    ...(faults.length > 0 ? [text('outcome.faults', { count: faults.length })] : []),
    ...(outcome === 'good' ? [text('outcome.good')] : []),
    ...faults,
    ...errors,
  ].join('\n')
}
