import type { Panel } from '../../world/panel.ts'
import { customization } from './customization.ts'

/** The family of all panels of this simulator. */
const type = 'SIMULATED'

/**
 * GET panels (interface specification 2.4); customization exists since version 10, model and type since 14
 * (field fact).
 */
export function panelList(panels: readonly Panel[], version: number) {
  return panels.map(({ plan }) => ({
    panel_serial: plan.serial,
    alias: plan.alias,
    role: 'MASTER_USER',
    ...(version >= 10 ? { customization } : {}),
    ...(version >= 14 ? { panel_model: plan.model, type } : {}),
  }))
}

/** GET panels for the installer (field fact). */
export function installerPanelList(panels: readonly Panel[]) {
  return panels.map(({ plan }) => ({ panel_serial: plan.serial, alias: plan.alias, type }))
}
