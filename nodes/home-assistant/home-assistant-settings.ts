import { isTopic } from '../../src/home-assistant/topics.ts'
import { badSetting, text } from '../../src/settings.ts'
import type { AttachedDef } from '../binding/panel-binding.ts'

/** The settings of a Home Assistant node, as stored in a flow file. */
export interface HomeAssistantDef extends AttachedDef {
  prefix?: unknown
  base?: unknown
  form?: unknown
  entities?: unknown
  code?: unknown
  instantNight?: unknown
  openZones?: unknown
}

/**
 * Returns a topic without the slash at its end.
 * @throws KeyholderError BAD_SETTING for one that is no name of a topic
 */
export function topicOption(
  settings: Partial<HomeAssistantDef>,
  field: 'prefix' | 'base',
  fallback: string,
): string {
  const entered = (text({ ...settings }, field) || fallback).replace(/\/+$/, '')
  if (isTopic(entered)) return entered
  throw badSetting(
    field,
    `"${entered.slice(0, 40)}" is not a topic. Enter words with / between them, such as ${fallback}`,
  )
}
