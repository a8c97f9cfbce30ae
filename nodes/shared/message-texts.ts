import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Setup } from '../../src/home-assistant/setup.ts'
import type { AlarmPart, ConditionPart, ConditionTexts } from '../../src/messages/conditions-message.ts'
import { filled, type IncidentTexts } from '../../src/messages/incident-message.ts'

/** The nodes whose messages have texts in any language; Node-RED reads only those of the editor. */
export const nodesWithMessageTexts = [
  'incident',
  'conditions',
  'chain-test',
  'home-assistant',
  'panel',
] as const

/** A node whose messages have texts. */
type NodeWithTexts = (typeof nodesWithMessageTexts)[number]

const folderOf = (node: NodeWithTexts) => new URL(`../${node}/locales/`, import.meta.url)

/** The languages that have texts of any of them, also one that Node-RED's editor does not have. */
const languages = [
  ...new Set(
    nodesWithMessageTexts.flatMap((node) =>
      readdirSync(folderOf(node)).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []),
    ),
  ),
]

/** The files that were read, by their URL. */
const catalogues = new Map<string, unknown>()

/** The language of the texts that another one lacks. */
const original = 'en-US'

/** Returns the texts of incidents in the language of a node, else of its account, see `findTexts`. */
export function incidentTexts(wanted: unknown, locale: string): IncidentTexts {
  const { language, text: _ } = findTexts('incident', wanted, locale)
  return { language, text: (part) => _(`incident:incident.summary.${part}`) }
}

/** Returns the texts of conditions in the language of a node, else of its account, see `findTexts`. */
export function conditionTexts(wanted: unknown, locale: string): ConditionTexts {
  const { language, text: _ } = findTexts('conditions', wanted, locale)
  const { text: ofIncidents } = findTexts('incident', wanted, locale)
  const textOf = (part: ConditionPart | AlarmPart) =>
    part.startsWith('incident.')
      ? ofIncidents(`incident:incident.summary.${part.slice('incident.'.length)}`)
      : _(`conditions:conditions.text.${part}`)
  return { language, text: textOf }
}

/** The values of the placeholders of a text. */
type Values = Readonly<Record<string, string | number>>

/** Returns a text of the report of a rehearsal with its placeholders filled, see `reportParts` in its own folder. */
export type ReportTexts = (part: string, values?: Values) => string

/** The texts about rehearsals in a language. */
export type RehearsalTexts = ReturnType<typeof rehearsalTexts>

/** Returns the texts about rehearsals in the language of an account. */
export function rehearsalTexts(locale: string) {
  const { language, text: _ } = findTexts('panel', '', locale)
  const report: ReportTexts = (part, values = {}) => filled(_(`panel:panel.report.${part}`), values)
  return {
    language,
    word: _('panel:panel.rehearsal.word'),
    scene: (scene: string) => _(`panel:panel.rehearsal.scene.${scene}`),
    ended: (ended: string, values: Values = {}) => filled(_(`panel:panel.rehearsal.ended.${ended}`), values),
    report,
  }
}

/**
 * Returns the title and the summary of a test of the alarm chain in the language of a node, else of its account, see `findTexts`.
 * @param minutes for which the answer is awaited
 */
export function chainTestTexts(wanted: unknown, locale: string, panel: string, minutes: number) {
  const { language, text: _ } = findTexts('chain-test', wanted, locale)
  const duration = { style: 'unit', unit: 'minute', unitDisplay: 'long' } as const
  const time = new Intl.NumberFormat(language, duration).format(minutes)
  return {
    title: filled(_('chain-test:chain-test.message.title'), { panel }),
    summary: filled(_('chain-test:chain-test.message.summary'), { time }),
  }
}

/** Returns the names of entities in the language of an account. */
export function entityNames(locale: string): Setup['nameOf'] {
  const { text: _ } = findTexts('home-assistant', '', locale)
  return (name, values = {}) =>
    _(`home-assistant:home-assistant.entity.${name}`).replace(
      /__(\w+)__/g,
      (place, key) => values[key] ?? place,
    )
}

/**
 * Returns the texts of a node set in a language, each that it lacks in English.
 * @param wanted the language that the node selects; empty or unknown for that of the account
 * @param locale of the account, such as `de_AT`, for which the texts in `de` do
 */
function findTexts(set: NodeWithTexts, wanted: unknown, locale: string) {
  const ofAccount = locale.replace('_', '-')
  const spoken = (language: string) => language.split('-')[0]
  const language =
    languages.find((name) => name === wanted) ??
    languages.find((name) => name === ofAccount) ??
    languages.find((name) => spoken(name) === spoken(ofAccount)) ??
    original
  const known = [readTexts(language, set), readTexts(original, set)]
  const text = (key: string) => firstText(known, key.replace(/^[\w-]+:/, '')) ?? key
  return { language, text }
}

/** Returns the texts of a node set in a language; reads them once, because each message needs them. */
function readTexts(language: string, set: NodeWithTexts): unknown {
  const path = new URL(`${language}.json`, folderOf(set))
  const texts = catalogues.get(path.href) ?? (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {})
  catalogues.set(path.href, texts)
  return texts
}

/**
 * Returns the first text with a key.
 * @param catalogues trees of texts, the preferred one first
 * @param key such as `incident.summary.fire`
 */
export function firstText(catalogues: readonly unknown[], key: string): string | undefined {
  const found = catalogues.map((texts) => key.split('.').reduce(childOf, texts))
  return found.find((text): text is string => typeof text === 'string' && text !== '')
}

function childOf(part: unknown, name: string): unknown {
  return typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined
}
