/** What the installer of a panel sets in it, as the makers' guides describe it. */
export interface PanelOptions {
  /**
   * True if a bypass outlives the disarm. Guides: it ends with the disarm after an arming. They do not say that of a bypass
   * that the service sends, so this is the panel on which it is not so.
   */
  readonly keepsBypass: boolean
}

/** The options of a simulated panel, unless others are chosen. */
export const usualOptions: PanelOptions = { keepsBypass: false }
