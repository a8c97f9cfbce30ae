import { defaultsOf } from '../fixtures/node-fields.ts'
import type { FlowNode } from '../node-red/recorded-flow.ts'

/** A node by its short name, with the fields that differ from the defaults. */
type Plan = { id: string; type?: string } & Record<string, unknown>

/** Returns flow nodes `a <id>`, one per row; the ID names the type unless another type is given. */
export function placed(plans: readonly Plan[]): FlowNode[] {
  return plans.map(({ id, type = `keyholder-${id}`, ...fields }, row) => {
    const place = { z: 'tab', x: 200, y: 40 + 40 * row, wires: [[]] }
    return { id: `a ${id}`, type, ...place, ...defaultsOf(type), ...fields }
  })
}
