import type { FlowNode } from './recorded-flow.ts'

/**
 * The palettes that a flow needs beside ours, as npm takes them: `name@version`, with the version that the flow was made with.
 *
 * Node-RED 4.1 and later write them into every export, and offer to install what is missing at the import.
 */
export function neededPalettes(flows: readonly FlowNode[]): string[] {
  const modules = flows.flatMap(({ modules = {} }) => Object.entries(modules as Record<string, string>))
  return modules.map(([name, version]) => `${name}@${version}`)
}
