import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { NodeAPI } from 'node-red'
import type { AlarmPart, ConditionPart, ConditionTexts } from '../../src/messages/conditions-message.ts'
import type { IncidentTexts } from '../../src/messages/incident-message.ts'

const locales = new URL('../locales/', import.meta.url)

/** The language of the texts that another one lacks. */
const original = 'en-US'

/** Returns the texts of incidents in a language; of an unknown one, those of the server. */
export function incidentTexts(RED: NodeAPI, wanted: unknown): IncidentTexts {
  const { language, text: _ } = textsOf(RED, 'incident', wanted)
  return { language, text: (part) => _(`incident:incident.summary.${part}`) }
}

/** Returns the texts of conditions in a language; of an unknown one, those of the server. */
export function conditionTexts(RED: NodeAPI, wanted: unknown): ConditionTexts {
  const { language, text: _ } = textsOf(RED, 'conditions', wanted)
  const { text: ofIncidents } = textsOf(RED, 'incident', wanted)
  const textOf = (part: ConditionPart | AlarmPart) =>
    part.startsWith('incident.')
      ? ofIncidents(`incident:incident.summary.${part.slice('incident.'.length)}`)
      : _(`conditions:conditions.text.${part}`)
  return { language, text: textOf }
}

/**
 * Returns the texts of a node set in a language, each that it lacks in English. Node-RED itself knows the server's language
 * only. Each folder of `nodes/locales` is a language, also one that Node-RED's editor does not have.
 */
function textsOf(RED: NodeAPI, set: string, wanted: unknown) {
  const languages = readdirSync(locales)
  const ofServer = RED._('@keyholder/node-red-alarm-panel/keyholder:incident.locale')
  const known = (one: unknown) => languages.find((name) => name === one)
  const language = known(wanted) ?? known(ofServer) ?? original
  const catalogues = [readTexts(language, set), readTexts(original, set)]
  const text = (key: string) => firstText(catalogues, key.replace(/^\w+:/, '')) ?? key
  return { language, text }
}

function readTexts(language: string, set: string): unknown {
  const path = new URL(`${language}/${set}.json`, locales)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
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
