import { defaultsOf } from '../contract.ts'
import type { FlowNode } from '../flow-with-sink.ts'

/** A node by the word that names it, with what differs from how the palette gives it. */
type Plan = { id: string; type?: string } & Record<string, unknown>

/** Flow nodes `a <id>` in a row each, of the type that the id names unless another is given. */
export function placed(plans: readonly Plan[]): FlowNode[] {
  return plans.map(({ id, type = `keyholder-${id}`, ...fields }, row) => {
    const place = { z: 'tab', x: 200, y: 40 + 40 * row, wires: [[]] }
    return { id: `a ${id}`, type, ...place, ...defaultsOf(type), ...fields }
  })
}
