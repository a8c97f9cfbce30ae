import { readFileSync } from 'node:fs'
import type { NodeAPI } from 'node-red'
import type { IncidentTexts } from '../../src/messages/incident-summary.ts'
import { oneOf } from './node-options.ts'

/** The languages of the texts; `''` is that of the server. */
const languages = ['', 'en-US', 'de', 'es-ES', 'fr', 'ja', 'ko', 'pt-BR', 'ru', 'zh-CN', 'zh-TW'] as const

/** Returns the texts of a language; of an unknown one, those of the server. Node-RED itself knows the server's only. */
export function incidentTexts(RED: NodeAPI, wanted: unknown): IncidentTexts {
  const ofServer = RED._('@keyholder/node-red-alarm-panel/incident:incident.locale')
  const language = oneOf(wanted, languages) || oneOf(ofServer, languages) || 'en-US'
  const path = new URL(`../locales/${language}/incident.json`, import.meta.url)
  const texts: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const _ = (key: string) => textIn(texts, key.replace(/^\w+:/, ''))
  return { language, text: (part) => _(`incident:incident.summary.${part}`) }
}

/** Returns the text with a key such as `incident.summary.fire`. */
function textIn(texts: unknown, key: string): string {
  let found = texts
  for (const name of key.split('.')) found = (found as Record<string, unknown>)[name]
  return String(found)
}
