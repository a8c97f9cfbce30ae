import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import type { Finding, Step } from '../../src/account/connection-check.ts'
import type { HealthStatus } from '../../src/messages/health-status.ts'
import { deviceSubtypes } from '../../src/service/catalogue/device-subtypes.ts'
import { catalogueEnUs } from '../../src/service/catalogue/en-us.ts'
import { errorCodes } from '../../src/service/error.ts'

/** What a check of a form can come to. */
const checkStates: Record<Finding['state'], readonly Step[]> = {
  running: ['host', 'version', 'signIn', 'panels', 'userCode'],
  done: ['host', 'version', 'signIn', 'panels', 'userCode'],
  failed: ['settings', 'host', 'version', 'signIn', 'panels', 'userCode'],
}

/** Codes that only commands and closed nodes have: no check meets them. */
const beyondChecks = ['COMMANDS_DISABLED', 'NOT_SETTABLE', 'INVALID_TRANSITION', 'COMMAND_FAILED', 'CLOSED']

const healthStatuses: Record<HealthStatus, true> = {
  rejected: true,
  held: true,
  offline: true,
  degraded: true,
  ok: true,
}

/** The types of devices that services were seen to have (interface specification 2.10). */
const deviceTypes = [
  'CONTROL_PANEL',
  'POWER_LINK',
  'ZONE',
  'WL_SIREN',
  'PGM',
  'KEYFOB',
  'WIRELESS_COMMANDER',
  'PROXY_TAG',
  'REPEATER',
]

/** What the light of a command node calls its commands. */
const commandWords = ['AWAY', 'HOME', 'DISARM', 'bypass', 'unbypass', 'siren_on', 'siren_off']

const nodes = new URL('../../nodes/', import.meta.url)

/** The text of a file below `nodes/`. */
export const read = (path: string) => readFileSync(new URL(path, nodes), 'utf8')

const filesIn = (path: string) => readdirSync(new URL(path, nodes)).map((file) => `${path}${file}`)

/** The sources of the nodes and the modules of the dialogs, as paths for `read`. */
export const scripts = ['./', './admin/', './shared/', '../resources/']
  .flatMap(filesIn)
  .filter((path) => /(?<!\.d)\.ts$|\.mjs$/.test(path))

/** What can stand in the place of a variable in a key. */
const fillings: Record<string, readonly string[]> = {
  'account:account.status.${key}': literals(read('shared/node-status.ts'), '#word'),
  'account:account.status.error.${code}': errorCodes,
  'account:account.remedy.${code}': errorCodes.filter((code) => !beyondChecks.includes(code)),
  'account:account.check.${state}.${step}': Object.keys(checkStates),
  ...Object.fromEntries(
    Object.entries(checkStates).map(([state, steps]) => [`account:account.check.${state}.\${step}`, steps]),
  ),
  'events:events.group.${group}': [...new Set(catalogueEnUs.map(({ group }) => group))],
  'panel:panel.deviceType.${type}': deviceTypes,
  'panel:panel.subtype.${subtype}': [...deviceSubtypes.keys()],
  'command:command.status.running.${word}': commandWords,
  'command:command.status.done.${word}': commandWords,
  'health:health.status.${status}': Object.keys(healthStatuses),
  'state:state.status.${value}': ['AWAY', 'HOME', 'DISARM', 'ENTRY_DELAY', 'PROGRAMMING', 'ARMING', 'ALARM'],
}

/** The texts and templates with which a source calls a function. */
function literals(source: string, name: string): string[] {
  return [...source.matchAll(RegExp(`\\.${name}\\((['"\`])(.+?)\\1`, 'g'))].map(([, , text = '']) => text)
}

/** The keys that a template stands for. */
function filled(template: string): string[] {
  if (!template.includes('${')) return [template]
  const words = fillings[template] ?? assert.fail(`say in test/support/keys-asked.ts what fills ${template}`)
  return words.flatMap((word) => filled(template.replace(/\$\{.*?\}/, word)))
}

/** What the editor looks up for the page of a node set, as `set:key`: in the catalogue of that set. */
export function askedByPage(set: string): string[] {
  const html = read(`${set}.html`)
  const inForm = [...html.matchAll(/data-i18n="([^"]+)"/g)].flatMap(([, keys = '']) => keys.split(';'))
  const asked = [
    ...inForm.map((key) => key.replace(/^\[\w+\]/, '')),
    ...literals(html, '_'),
    ...categories(html).map((category) => `palette.label.${category.replaceAll(' ', '_')}`),
  ]
  return asked.flatMap((key) => filled(withSet(key, set)))
}

/** The categories of the palette that a page names: the palette calls them by texts of that set. */
function categories(html: string): string[] {
  const named = [...html.matchAll(/\bcategory: '(.+)'/g)].map(([, category = '']) => category)
  return named.filter((category) => category !== 'config')
}

/** What Node-RED looks up for a script, as `set:key`: in the catalogue of its node set, or in the one that is named. */
export function askedByScript(path: string): string[] {
  const source = read(path)
  const set = /^\.\/(\w+?)(?:-behavior)?\.ts$/.exec(path)?.[1]
  return literals(source, '_').flatMap((literal) => {
    const key = literal.replace(/\$\{(\w+)\}/, (variable, name) => {
      return RegExp(`^const ${name} = '(.*)'$`, 'm').exec(source)?.[1] ?? variable
    })
    return filled(withSet(key, set))
  })
}

/** A key with its node set before it, be it one of another set or of its own. */
function withSet(key: string, set: string | undefined): string {
  return key.includes(':') ? key.replace(/^.*\/(?=\w+:)/, '') : `${set}:${key}`
}
