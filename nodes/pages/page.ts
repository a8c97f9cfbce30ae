import { existsSync, readFileSync } from 'node:fs'
import type { Declaration } from './fields.ts'
import { formOf } from './form.ts'
import { ownPart, scriptOf } from './script.ts'

const nodes = new URL('../', import.meta.url)

/** Returns the declaration in `settings.ts` of a node. */
export async function declarationOf(set: string): Promise<Declaration> {
  const { settings }: { settings: Declaration } = await import(new URL(`${set}/settings.js`, nodes).href)
  return settings
}

/**
 * Returns the page of a node for Node-RED's editor: html that is whole without any other file. It is made of the
 * declaration in `settings.ts`, and of what the node does in a way of its own: `page.mjs`, the script, and
 * `page.html`, the form.
 */
export async function pageOf(set: string): Promise<string> {
  const read = (file: string) => {
    const url = new URL(file, nodes)
    return existsSync(url) ? readFileSync(url, 'utf8') : undefined
  }
  const settings = await declarationOf(set)
  const own = ownPart(read(`${set}/page.mjs`) ?? '')
  const prefix = settings.isConfig ? 'node-config-input' : 'node-input'
  const form = formOf({ set, declaration: settings, prefix }, read(`${set}/page.html`))
  return `${scriptOf(set, settings, own, read('pages/dialog.mjs') ?? '')}\n${form}`
}
