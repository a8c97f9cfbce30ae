import { configNode, language } from '../pages/fields.ts'

/** The settings of an incident node. */
export const settings = { fields: { panel: configNode('panel'), language: language() } }
