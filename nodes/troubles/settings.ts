import { configNode } from '../pages/fields.ts'

/** The settings of a troubles node. */
export const settings = { fields: { panel: configNode('panel') } }
