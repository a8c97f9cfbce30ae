import { readFileSync } from 'node:fs'
import type { NodeAPI } from 'node-red'
import type { AlarmPart, ConditionPart, ConditionTexts } from '../../src/messages/condition-text.ts'
import type { IncidentTexts } from '../../src/messages/incident-summary.ts'
import { oneOf } from './node-options.ts'

/** The languages of the texts; `''` is that of the server. */
const languages = ['', 'en-US', 'de', 'es-ES', 'fr', 'ja', 'ko', 'pt-BR', 'ru', 'zh-CN', 'zh-TW'] as const

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

/** Returns the texts of a node set in a language. Node-RED itself knows the server's only. */
function textsOf(RED: NodeAPI, set: string, wanted: unknown) {
  const ofServer = RED._('@keyholder/node-red-alarm-panel/keyholder:incident.locale')
  const language = oneOf(wanted, languages) || oneOf(ofServer, languages) || 'en-US'
  const path = new URL(`../locales/${language}/${set}.json`, import.meta.url)
  const texts: unknown = JSON.parse(readFileSync(path, 'utf8'))
  return { language, text: (key: string) => textIn(texts, key.replace(/^\w+:/, '')) }
}

/** Returns the text with a key such as `incident.summary.fire`. */
function textIn(texts: unknown, key: string): string {
  let found = texts
  for (const name of key.split('.')) found = (found as Record<string, unknown>)[name]
  return String(found)
}
