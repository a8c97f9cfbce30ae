import type { Panel } from '../../world/panel.ts'
import { customization } from './customization.ts'

/** The family that the service files all panels of this simulator under. */
const type = 'SIMULATED'

/** GET panels (interface specification 2.4); customization came with version 10, model and type with 14 (field fact). */
export function panelList(panels: readonly Panel[], version: number) {
  return panels.map(({ plan }) => ({
    panel_serial: plan.serial,
    alias: plan.alias,
    role: 'MASTER_USER',
    ...(version >= 10 ? { customization } : {}),
    ...(version >= 14 ? { panel_model: plan.model, type } : {}),
  }))
}

/** GET panels as the installer gets it (field fact). */
export function installerPanelList(panels: readonly Panel[]) {
  return panels.map(({ plan }) => ({ panel_serial: plan.serial, alias: plan.alias, type }))
}
