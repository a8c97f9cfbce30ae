import type { Panel } from '../../world/panel.ts'

const createTheme = (name: string, brightness: 'light' | 'dark', primary: string, gradient: string[]) => ({
  name,
  brightness,
  colors: { primary, gradient },
})

/** The look of the provider's app (interface specification 2.3). */
export const customization = {
  id: 1,
  name: 'Keyholder',
  is_default: true,
  created: 1_700_000_000,
  changed: 1_700_000_000,
  data: {
    apptype: '',
    android: 'https://play.example/keyholder',
    ios: 'https://apps.example/keyholder',
    customization: {
      themes: [
        createTheme('day', 'light', '#1F6F8B', ['#1F6F8B', '#3A8FAD', '#99C4D3']),
        createTheme('night', 'dark', '#99C4D3', ['#0B2530', '#14404F', '#1F6F8B']),
      ],
    },
  },
}

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
