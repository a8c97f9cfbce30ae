import type { ReportTexts } from '../shared/message-texts.ts'
import { findingKinds } from './flow-findings.ts'
import type { NodeName } from './flow-graph.ts'
import type { FlowReport, ReportedNode } from './flow-report.ts'

/** The results of nodes, as in `ReportedNode`. */
const states: Record<ReportedNode['state'], true> = {
  ...{ done: true, passed: true, waiting: true, open: true, failed: true, missed: true, disabled: true },
}

/** The keys of the texts of a report, in the locales of the panel under `report`. */
export const reportParts = [
  ...['title', 'none', 'some', 'told', 'node', 'reached', 'table', 'caught'],
  ...['node', 'state', 'first', 'done'].map((column) => `column.${column}`),
  ...Object.keys(states).map((state) => `state.${state}`),
  ...findingKinds.flatMap((kind) => [`fault.${kind}`, `remedy.${kind}`]),
]

/** Returns the report as lines to read: each fault with its remedy, then how far the messages came. */
export function reportText({ findings, nodes, caught }: FlowReport, text: ReportTexts): string {
  const nameOf = ({ name, type, tab }: NodeName) => {
    const shown = `"${name || type}"`
    return tab === '' ? shown : text('node', { name: shown, tab: `"${tab}"` })
  }
  const faults = findings.map(({ kind, node, error = '', count = 0, seconds = 0 }) => {
    const values = { node: nameOf(node), error: error.replace(/\.$/, ''), count, seconds }
    return `- ${text(`fault.${kind}`, values)} ${text(`remedy.${kind}`)}`
  })
  const reached = nodes.filter(({ received }) => received > 0)
  const told = reached.filter(({ isNotification, done }) => isNotification && done !== null)
  const errors = new Set(
    caught.map((one) => text('caught', { node: nameOf(one.catch), source: nameOf(one.source) })),
  )
  return [
    faults.length === 0 ? text('none') : text('some', { count: faults.length }),
    ...faults,
    text('reached', { count: reached.length, total: nodes.length }),
    ...told.map((node) => text('told', { node: nameOf(node), seconds: node.done ?? 0 })),
    ...errors,
  ].join('\n')
}
